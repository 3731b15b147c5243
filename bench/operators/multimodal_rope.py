q: f32[2, 16, 512, 64]
k: f32[2, 4, 512, 64]
cos: f32[3, 2, 512, 64]
sin: f32[3, 2, 512, 64]
dq: f32[2, 16, 512, 64]
dk: f32[2, 4, 512, 64]
def rot(x):
    return torch.cat((-x[..., 32:], x[..., :32]), dim=-1)
def sel(c):
    return torch.cat((c[0, :, :, :8], c[1, :, :, 8:20], c[2, :, :, 20:32], c[0, :, :, 32:40], c[1, :, :, 40:52], c[2, :, :, 52:64]), dim=-1).unsqueeze(1)
def f(q, k):
    c = sel(cos)
    s = sel(sin)
    return q * c + rot(q) * s, k * c + rot(k) * s
(yq, yk), pull = vjp(f, q, k)
gq, gk = pull((dq, dk))
return yq, yk, gq, gk
