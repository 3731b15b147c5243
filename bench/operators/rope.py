q: f32[2, 16, 512, 64]
k: f32[2, 4, 512, 64]
cos: f32[512, 64]
sin: f32[512, 64]
dq: f32[2, 16, 512, 64]
dk: f32[2, 4, 512, 64]
def rot(x):
    x1 = x[..., :32]
    x2 = x[..., 32:]
    return torch.cat((-x2, x1), dim=-1)
def f(q, k):
    return q * cos + rot(q) * sin, k * cos + rot(k) * sin
(yq, yk), pull = vjp(f, q, k)
gq, gk = pull((dq, dk))
return yq, yk, gq, gk
