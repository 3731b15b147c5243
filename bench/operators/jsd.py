lp: f32[1024, 8192]
lq: f32[1024, 8192]
beta = 0.5
p = torch.exp(lp)
q = torch.exp(lq)
m = beta * p + (1 - beta) * q
lm = torch.log(m)
loss = (beta * (p * (lp - lm)) + (1 - beta) * (q * (lq - lm))).sum() / 1024
loss.backward()
return loss, lq.grad
