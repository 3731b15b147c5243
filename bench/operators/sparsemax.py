x: f32[1024, 512]
dy: f32[1024, 512]
def f(x):
    s, i = torch.sort(x, dim=-1, descending=True)
    c = torch.cumsum(s, dim=-1)
    k = torch.arange(1, 513)
    ok = (s * k > c - 1)
    kk = ok.to(torch.float32).sum(-1, keepdim=True)
    ssum = torch.where(ok, s, 0.0).sum(-1, keepdim=True)
    tau = (ssum - 1) / kk
    return F.relu(x - tau)
y, pull = vjp(f, x)
dx = pull(dy)
return y, dx
