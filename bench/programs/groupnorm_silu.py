x: f32[8, 320, 64, 64]
scale: f32[320]
shift: f32[320]
y = F.silu(F.group_norm(x, 32, scale, shift))
return y
