a: f32[1024, 64, 64]
b: f32[1024, 64, 64]
y = F.softmax(a @ b * 0.125, dim=-1)
return y
