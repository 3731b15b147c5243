x: f32[64, 2048]
u: f32[64, 1] = uniform(0, 1)
p = F.softmax(x, dim=-1)
s, i = torch.sort(p, dim=-1, descending=True)
c = torch.cumsum(s, dim=-1)
keep = (c - s) < 0.9
sk = torch.where(keep, s, 0.0)
cs = torch.cumsum(sk, dim=-1)
j = (cs < u * sk.sum(-1, keepdim=True)).to(torch.int32).sum(-1, keepdim=True)
t = i.gather(1, j)
return t
