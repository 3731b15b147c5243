x: f32[32, 512, 1024]
y = F.softmax(x, dim=1)
return y
