va: f32[1024, 8, 64]
sa: f32[1024, 8]
vb: f32[1024, 8, 64]
sb: f32[1024, 8]
m = torch.maximum(sa, sb)
a = torch.exp(sa - m)
b = torch.exp(sb - m)
d = a + b
o = va * (a / d)[..., None] + vb * (b / d)[..., None]
s = torch.log(d) + m
return o, s
