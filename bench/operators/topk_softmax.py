g: f32[512, 64]
p = F.softmax(g, dim=-1)
v, i = p.topk(8)
v = v / v.sum(-1, keepdim=True)
return v, i
