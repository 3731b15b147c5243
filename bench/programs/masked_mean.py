tokens: f32[64, 512, 768]
mask: f32[64, 512]
y = (tokens * mask[..., None]).sum(dim=1) / mask.sum(dim=1, keepdim=True)
return y
