C = 64
x: f32[32, C, 56, 56]
scale: f32[C]
shift: f32[C]
mean = x.mean(dim=(0, 2, 3), keepdim=True)
var = x.var(dim=(0, 2, 3), keepdim=True, unbiased=False)
normal = (x - mean) / sqrt(var + 1e-5)
y = relu(normal * scale.view(1, C, 1, 1) + shift.view(1, C, 1, 1))
return y
