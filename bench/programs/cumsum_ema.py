x: f32[4096, 4096]
y = cumsum(exp(x * 0.01), dim=-1) / cumsum(ones_like(x), dim=-1)
return y
