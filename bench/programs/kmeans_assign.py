points: f32[65536, 64]
centres: f32[256, 64]
distance = (points ** 2).sum(dim=-1, keepdim=True) - 2 * (points @ centres.T) + (centres ** 2).sum(dim=-1)
nearest = distance.argmin(dim=-1)
return nearest
