q: f32[1, 8, 256, 64]
k: f32[1, 8, 256, 64]
v: f32[1, 8, 256, 64]
dy: f32[1, 8, 256, 64]
def f(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)
y, pull = vjp(f, q, k, v)
dq, dk, dv = pull(dy)
return y, dq, dk, dv
