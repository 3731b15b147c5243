lg: f32[1024, 8192]
t: i32[1024] = zeros()
old: f32[1024]
ref: f32[1024]
adv: f32[1024]
logp = torch.log_softmax(lg, dim=-1).gather(1, t.unsqueeze(-1)).squeeze(-1)
ratio = torch.exp(logp - old)
cl = torch.clamp(ratio, 0.8, 1.2)
pl = -torch.min(ratio * adv, cl * adv)
kl = torch.exp(ref - logp) - (ref - logp) - 1.0
loss = (pl + 0.04 * kl).mean()
loss.backward()
return loss, lg.grad
