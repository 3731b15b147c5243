C, I = 4096, 11008
token: f32[1, C]
gate: f32[I, C]
up: f32[I, C]
down: f32[C, I]
y = F.linear(F.silu(F.linear(token, gate)) * F.linear(token, up), down)
return y
