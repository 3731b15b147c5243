x: f32[16, 64, 32, 32]
w: f32[64]
b: f32[64]
dy: f32[16, 64, 32, 32]
def f(x, w, b):
    return F.group_norm(x, 8, w, b)
y, pull = vjp(f, x, w, b)
dx, dw, db = pull(dy)
return y, dx, dw, db
