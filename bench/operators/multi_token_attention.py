s: f32[2, 4, 128, 128]
w: f32[4, 1, 3, 3]
dy: f32[2, 4, 128, 128]
def f(s, w):
    m = torch.tril(torch.ones(128, 128)) > 0
    a = torch.where(m, s, -1e9)
    p = F.softmax(a, dim=-1)
    c = F.conv2d(p, w, padding=1, groups=4)
    return torch.where(m, c, 0.0)
y, pull = vjp(f, s, w)
ds, dw = pull(dy)
return y, ds, dw
