p0: f32[768, 768] = state()
g0: f32[768, 768]
m0: f32[768, 768] = state()
v0: f32[768, 768] = state()
p1: f32[768] = state()
g1: f32[768]
m1: f32[768] = state()
v1: f32[768] = state()
p2: f32[768, 3072] = state()
g2: f32[768, 3072]
m2: f32[768, 3072] = state()
v2: f32[768, 3072] = state()
p3: f32[3072] = state()
g3: f32[3072]
m3: f32[3072] = state()
v3: f32[3072] = state()
p4: f32[3072, 768] = state()
g4: f32[3072, 768]
m4: f32[3072, 768] = state()
v4: f32[3072, 768] = state()
p5: f32[768] = state()
g5: f32[768]
m5: f32[768] = state()
v5: f32[768] = state()
p6: f32[768] = state()
g6: f32[768]
m6: f32[768] = state()
v6: f32[768] = state()
p7: f32[768] = state()
g7: f32[768]
m7: f32[768] = state()
v7: f32[768] = state()
p8: f32[50257, 768] = state()
g8: f32[50257, 768]
m8: f32[50257, 768] = state()
v8: f32[50257, 768] = state()
p9: f32[1024, 768] = state()
g9: f32[1024, 768]
m9: f32[1024, 768] = state()
v9: f32[1024, 768] = state()
p10: f32[768, 2304] = state()
g10: f32[768, 2304]
m10: f32[768, 2304] = state()
v10: f32[768, 2304] = state()
p11: f32[2304] = state()
g11: f32[2304]
m11: f32[2304] = state()
v11: f32[2304] = state()
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
p0, m0, v0 = adam(p0, g0, m0, v0)
p1, m1, v1 = adam(p1, g1, m1, v1)
p2, m2, v2 = adam(p2, g2, m2, v2)
p3, m3, v3 = adam(p3, g3, m3, v3)
p4, m4, v4 = adam(p4, g4, m4, v4)
p5, m5, v5 = adam(p5, g5, m5, v5)
p6, m6, v6 = adam(p6, g6, m6, v6)
p7, m7, v7 = adam(p7, g7, m7, v7)
p8, m8, v8 = adam(p8, g8, m8, v8)
p9, m9, v9 = adam(p9, g9, m9, v9)
p10, m10, v10 = adam(p10, g10, m10, v10)
p11, m11, v11 = adam(p11, g11, m11, v11)
