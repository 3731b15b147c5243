c: f32[64, 128, 1000]
r: f32[64, 128, 1000]
tc: i32[64, 128] = zeros()
tr: i32[64, 128] = zeros()
lc = F.log_softmax(c, dim=-1).gather(2, tc.unsqueeze(-1)).squeeze(-1).mean(-1)
lr = F.log_softmax(r, dim=-1).gather(2, tr.unsqueeze(-1)).squeeze(-1).mean(-1)
loss = -F.logsigmoid(0.1 * (lc - lr)).mean()
loss.backward()
return loss, c.grad, r.grad
