x: f32[512, 256]
wg: f32[256, 1024]
wu: f32[256, 1024]
wd: f32[1024, 256]
y = (F.silu(x @ wg) * (x @ wu)) @ wd
return y
