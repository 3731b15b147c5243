x: f32[2048, 1024]
w: f32[1024]
b: f32[1024]
dy: f32[2048, 1024]
def f(x, w, b):
    mu = x.mean(-1, keepdim=True)
    v = ((x - mu) ** 2).mean(-1, keepdim=True)
    return (x - mu) * torch.rsqrt(v + 1e-6) * w + b
y, pull = vjp(f, x, w, b)
dx, dw, db = pull(dy)
return y, dx, dw, db
