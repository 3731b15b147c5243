w: f32[32000, 512]
i: i32[2048] = zeros()
dy: f32[2048, 512]
def f(w):
    return F.embedding(i, w)
y, pull = vjp(f, w)
dw = pull(dy)
return y, dw
