q: f32[1, 8, 256, 64]
k: f32[1, 8, 256, 64]
v: f32[1, 8, 256, 64]
y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
return y
