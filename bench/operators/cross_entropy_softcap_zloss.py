x: f32[2048, 32000]
t: i32[2048] = zeros()
z = 30.0 * torch.tanh(x / 30.0)
lse = torch.logsumexp(z, -1)
ce = F.cross_entropy(z, t, label_smoothing=0.1)
loss = ce + 1e-4 * (lse * lse).mean()
loss.backward()
return loss, x.grad
