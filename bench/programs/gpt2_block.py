B, T, C, H = 8, 1024, 768, 12
x: f32[B, T, C]
norm1_w: f32[C]
norm1_b: f32[C]
qkv_w: f32[3 * C, C] = param()
qkv_b: f32[3 * C] = param()
out_w: f32[C, C] = param()
out_b: f32[C] = param()
norm2_w: f32[C]
norm2_b: f32[C]
up_w: f32[4 * C, C] = param()
up_b: f32[4 * C] = param()
down_w: f32[C, 4 * C] = param()
down_b: f32[C] = param()

def heads(t):
    return t.view(B, T, H, C // H).transpose(1, 2)

q, k, v = F.linear(F.layer_norm(x, (C,), norm1_w, norm1_b), qkv_w, qkv_b).split(C, dim=2)
mixed = F.scaled_dot_product_attention(heads(q), heads(k), heads(v), is_causal=True)
after = x + F.linear(mixed.transpose(1, 2).reshape(B, T, C), out_w, out_b)
hidden = F.gelu(F.linear(F.layer_norm(after, (C,), norm2_w, norm2_b), up_w, up_b), approximate="tanh")
result = after + F.linear(hidden, down_w, down_b)
return result
