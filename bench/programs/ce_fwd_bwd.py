N, V = 8192, 32000
logits: f32[N, V]
labels: i32[N] = uniform(0, V)
loss, dlogits = value_and_grad(lambda z: F.cross_entropy(z, labels))(logits)
return loss, dlogits
