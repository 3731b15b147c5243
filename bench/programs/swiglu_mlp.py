N, C, I = 4096, 1024, 2816
x: f32[N, C]
gate: f32[I, C]
up: f32[I, C]
down: f32[C, I]
y = F.linear(F.silu(F.linear(x, gate)) * F.linear(x, up), down)
return y
