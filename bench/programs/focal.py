N, V = 65536, 1000
logits: f32[N, V]
labels: i32[N] = uniform(0, V)
log_p = F.log_softmax(logits, dim=-1).gather(1, labels[:, None]).squeeze(1)
loss = (-((1 - exp(log_p)) ** 2) * log_p).mean()
return loss
