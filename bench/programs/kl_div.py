N, V = 4096, 32000
p: f32[N, V]
q: f32[N, V]
log_p = F.log_softmax(p, dim=-1)
log_q = F.log_softmax(q, dim=-1)
divergence = (exp(log_p) * (log_p - log_q)).sum(dim=-1)
return divergence
