k: f32[128, 8, 64]
v: f32[128, 8, 64]
kc: f32[1024, 8, 64]
vc: f32[1024, 8, 64]
slot: i32[128] = arange()
kc[slot] = k
vc[slot] = v
return kc, vc
