q: f32[8, 1024, 64]
k: f32[8, 1024, 64]
mask: f32[1024, 1024]
s = torch.softmax(q @ k.transpose(-2, -1) / 8.0 + mask, dim=-1)
return s
