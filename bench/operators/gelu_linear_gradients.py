x: f32[4096, 1024]
W: f32[1024, 1024] = param()
b: f32[1024] = param()
dy: f32[4096, 1024]
def f(x, W, b):
    return gelu(x @ W + b)
y, pull = vjp(f, x, W, b)
dx, dW, db = pull(dy)
return y, dx, dW, db
