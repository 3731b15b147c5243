x: f32[65536, 512]
mean = x.mean(dim=0)
var = ((x - mean) ** 2).mean(dim=0)
y = (x - mean) / sqrt(var + 1e-5)
return y
