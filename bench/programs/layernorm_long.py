C = 131072
x: f32[256, C]
weight: f32[C]
bias: f32[C]
y = F.layer_norm(x, (C,), weight, bias)
return y
