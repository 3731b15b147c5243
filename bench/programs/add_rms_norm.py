N, C = 8192, 4096
x: f32[N, C]
residual: f32[N, C]
weight: f32[C]
total = x + residual
y = total * rsqrt((total * total).mean(dim=-1, keepdim=True) + 1e-6) * weight
return total, y
