a: f32[2048, 4096]
b: f32[2048, 4096]
dy: f32[2048, 4096]
def f(a, b):
    return F.gelu(a, approximate="tanh") * b
y, pull = vjp(f, a, b)
da, db = pull(dy)
return y, da, db
