N, D = 4096, 512
texts: f32[N, D]
images: f32[N, D]
pairs: i32[N] = arange()
scores = F.normalize(texts, dim=-1) @ F.normalize(images, dim=-1).T / 0.07
loss = (F.cross_entropy(scores, pairs) + F.cross_entropy(scores.T, pairs)) / 2
return loss
