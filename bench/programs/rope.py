N, D = 2048, 64
q: f32[4, 32, N, D]
cosine: f32[N, D]
sine: f32[N, D]
left, right = q.chunk(2, dim=-1)
turned = q * cosine + torch.cat((-right, left), dim=-1) * sine
return turned
