q: f32[32, 128]
k: f32[4096, 8, 128]
v: f32[4096, 8, 128]
qq = q.reshape(8, 4, 128)
s = torch.einsum("hgd,nhd->hgn", qq, k) / math.sqrt(128)
p = F.softmax(s, dim=-1)
o = torch.einsum("hgn,nhd->hgd", p, v)
return o
