p0: f32[768, 768]
g0: f32[768, 768]
m0: f32[768, 768]
v0: f32[768, 768]
p1: f32[768]
g1: f32[768]
m1: f32[768]
v1: f32[768]
p2: f32[768, 3072]
g2: f32[768, 3072]
m2: f32[768, 3072]
v2: f32[768, 3072]
p3: f32[3072]
g3: f32[3072]
m3: f32[3072]
v3: f32[3072]
p4: f32[3072, 768]
g4: f32[3072, 768]
m4: f32[3072, 768]
v4: f32[3072, 768]
p5: f32[768]
g5: f32[768]
m5: f32[768]
v5: f32[768]
p6: f32[768]
g6: f32[768]
m6: f32[768]
v6: f32[768]
p7: f32[768]
g7: f32[768]
m7: f32[768]
v7: f32[768]
p8: f32[50257, 768]
g8: f32[50257, 768]
m8: f32[50257, 768]
v8: f32[50257, 768]
p9: f32[1024, 768]
g9: f32[1024, 768]
m9: f32[1024, 768]
v9: f32[1024, 768]
p10: f32[768, 2304]
g10: f32[768, 2304]
m10: f32[768, 2304]
v10: f32[768, 2304]
p11: f32[2304]
g11: f32[2304]
m11: f32[2304]
v11: f32[2304]
t: f32[]
lr: f32[]
b1 = 0.9
b2 = 0.999
def adam(p, g, m, v):
    m = b1 * m + (1 - b1) * g
    v = b2 * v + (1 - b2) * g * g
    mh = m / (1 - b1 ** t)
    vh = v / (1 - b2 ** t)
    return p - lr * mh / (torch.sqrt(vh) + 1e-8), m, v
np0, nm0, nv0 = adam(p0, g0, m0, v0)
np1, nm1, nv1 = adam(p1, g1, m1, v1)
np2, nm2, nv2 = adam(p2, g2, m2, v2)
np3, nm3, nv3 = adam(p3, g3, m3, v3)
np4, nm4, nv4 = adam(p4, g4, m4, v4)
np5, nm5, nv5 = adam(p5, g5, m5, v5)
np6, nm6, nv6 = adam(p6, g6, m6, v6)
np7, nm7, nv7 = adam(p7, g7, m7, v7)
np8, nm8, nv8 = adam(p8, g8, m8, v8)
np9, nm9, nv9 = adam(p9, g9, m9, v9)
np10, nm10, nv10 = adam(p10, g10, m10, v10)
np11, nm11, nv11 = adam(p11, g11, m11, v11)
return np0, nm0, nv0, np1, nm1, nv1, np2, nm2, nv2, np3, nm3, nv3, np4, nm4, nv4, np5, nm5, nv5, np6, nm6, nv6, np7, nm7, nv7, np8, nm8, nv8, np9, nm9, nv9, np10, nm10, nv10, np11, nm11, nv11
