qkv: f32[512, 1536]
qw: f32[64]
kw: f32[64]
cos: f32[512, 32]
sin: f32[512, 32]
q, k, v = qkv.split(512, dim=-1)
def nrm(x, w):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * w
def rope(x):
    c = cos[:, None, :]
    s = sin[:, None, :]
    a = x[..., :32]
    b = x[..., 32:]
    return torch.cat((a * c - b * s, b * c + a * s), dim=-1)
qq = rope(nrm(q.reshape(512, 8, 64), qw))
kk = rope(nrm(k.reshape(512, 8, 64), kw))
return qq, kk
