x: f32[2048, 1024]
w: f32[3]
b: f32[1]
dy: f32[2048, 1024]
def nrm(x):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)
def f(x, w, b):
    return w[0] * nrm(x ** 3) + w[1] * nrm(x ** 2) + w[2] * nrm(x) + b
y, pull = vjp(f, x, w, b)
dx, dw, db = pull(dy)
return y, dx, dw, db
