x: f32[2048, 8192]
y = F.silu(x[:, :4096]) * x[:, 4096:]
return y
