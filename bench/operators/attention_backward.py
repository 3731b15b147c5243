q: f32[8, 256, 64]
k: f32[8, 256, 64]
v: f32[8, 256, 64]
dy: f32[8, 256, 64]
def f(q, k, v):
    s = (q @ k.mT) / 8.0
    p = F.softmax(s, dim=-1)
    return p @ v
y, pull = vjp(f, q, k, v)
dq, dk, dv = pull(dy)
return y, dq, dk, dv
