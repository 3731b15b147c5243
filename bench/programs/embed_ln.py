V, T, C = 50257, 1024, 768
table: f32[V, C]
position: f32[T, C]
weight: f32[C]
bias: f32[C]
tokens: i32[8, T] = uniform(0, V)
y = F.layer_norm(F.embedding(tokens, table) + position, (C,), weight, bias)
return y
