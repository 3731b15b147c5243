def rms(x, w):
    v = x.pow(2).mean(-1, keepdim=True)
    return w * (x * torch.rsqrt(v + 1e-6))
x: f32[2048, 1024]
w: f32[1024]
dy: f32[2048, 1024]
y, pull = vjp(rms, x, w)
dx, dw = pull(dy)
return y, dx, dw
