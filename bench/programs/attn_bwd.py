H, N, D = 16, 2048, 64
q: f32[1, H, N, D]
k: f32[1, H, N, D]
v: f32[1, H, N, D]
dout: f32[1, H, N, D]
out, pull = vjp(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True), q, k, v)
dq, dk, dv = pull(dout)
return out, dq, dk, dv
