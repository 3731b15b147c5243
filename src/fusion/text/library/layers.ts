/** @file Layers that are more than one function, as PyTorch and its users define them. Written in the language itself. */

export const LAYER_CLASSES = String.raw`
class Module:
  def __repr__(self):
    return "Module"

class RemovableHandle:
  def __init__(self):
    self.of = None

class Rngs:
  def __init__(self, *seeds, **streams):
    self.seeds = seeds

  def params(self):
    return None

  def dropout(self):
    return None

  def __call__(self):
    return None

class MultiHeadDotProductAttention:
  def __init__(self, num_heads, qkv_features=None, out_features=None, use_bias=True, **options):
    self.num_heads = num_heads
    self.qkv_features = qkv_features
    self.out_features = out_features
    self.use_bias = use_bias

  def forward(self, inputs_q, inputs_k=None, inputs_v=None, mask=None, deterministic=None, **options):
    inputs_k = inputs_q if inputs_k is None else inputs_k
    inputs_v = inputs_k if inputs_v is None else inputs_v
    features = self.qkv_features or inputs_q.shape[-1]
    sizes = (self.num_heads, features // self.num_heads)
    parts = zip(("query", "key", "value"), (inputs_q, inputs_k, inputs_v))
    q, k, v = [nn.DenseGeneral(sizes, use_bias=self.use_bias, name=name)(t).transpose(-2, -3) for name, t in parts]
    y = scaled_dot_product_attention(q, k, v, attn_mask=mask).transpose(-2, -3)
    return nn.DenseGeneral(self.out_features or inputs_q.shape[-1], axis=(-2, -1), use_bias=self.use_bias, name="out")(y)

class SelfAttention(MultiHeadDotProductAttention):
  def forward(self, inputs_q, mask=None, deterministic=None, **options):
    return super().forward(inputs_q, inputs_q, inputs_q, mask)

class MultiheadAttention:
  def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True, add_bias_kv=False, add_zero_attn=False, kdim=None, vdim=None, batch_first=False):
    self.embed_dim = embed_dim
    self.num_heads = num_heads
    self.head_dim = embed_dim // num_heads
    self.dropout = dropout
    self.kdim = kdim or embed_dim
    self.vdim = vdim or embed_dim
    self.batch_first = batch_first
    self.add_zero_attn = add_zero_attn
    self.joined = (kdim or embed_dim) == embed_dim and (vdim or embed_dim) == embed_dim
    if self.joined:
      self.in_proj_weight = nn.Parameter(torch.zeros(3 * embed_dim, embed_dim))
    else:
      self.q_proj_weight = nn.Parameter(torch.zeros(embed_dim, embed_dim))
      self.k_proj_weight = nn.Parameter(torch.zeros(embed_dim, kdim or embed_dim))
      self.v_proj_weight = nn.Parameter(torch.zeros(embed_dim, vdim or embed_dim))
    self.in_proj_bias = nn.Parameter(torch.zeros(3 * embed_dim)) if bias else None
    self.bias_k = nn.Parameter(torch.zeros(1, 1, embed_dim)) if add_bias_kv else None
    self.bias_v = nn.Parameter(torch.zeros(1, 1, embed_dim)) if add_bias_kv else None
    self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)

  def _heads(self, x, i):
    first, last = i * self.embed_dim, (i + 1) * self.embed_dim
    bias = None if self.in_proj_bias is None else self.in_proj_bias[first:last]
    if self.joined:
      return linear(x, self.in_proj_weight[first:last], bias)
    return linear(x, [self.q_proj_weight, self.k_proj_weight, self.v_proj_weight][i], bias)

  # Keys and values beside those that are given: one that is learned, one that is zero.
  def _more(self, keys, own):
    B, T, E = keys.shape
    if own is not None:
      keys = torch.cat([keys, own.expand(B, 1, E)], dim=1)
    return torch.cat([keys, torch.zeros(B, 1, E)], dim=1) if self.add_zero_attn else keys

  def _widened(self, mask):
    more = (0 if self.bias_k is None else 1) + (1 if self.add_zero_attn else 0)
    if mask is None or more == 0:
      return mask
    beside = torch.zeros(list(mask.shape[:-1]) + [more])
    return torch.cat([mask, beside.bool() if mask.dtype == torch.bool else beside], dim=-1)

  # A mask of this layer says what is hidden; that of the function, what is seen.
  def _seen(self, attn_mask, key_padding_mask, B):
    mask = attn_mask
    if mask is not None and mask.ndim == 3:
      mask = mask.reshape(B, -1, mask.shape[-2], mask.shape[-1])
    if mask is not None and mask.dtype == torch.bool:
      mask = ~mask
    if key_padding_mask is None:
      return mask
    padding = key_padding_mask[:, None, None, :]
    if padding.dtype == torch.bool:
      padding = ~padding
    if mask is None:
      return padding
    if mask.dtype == torch.bool and padding.dtype == torch.bool:
      return mask & padding
    both = [torch.where(m, 0.0, -math.inf) if m.dtype == torch.bool else m for m in (mask, padding)]
    return both[0] + both[1]

  def forward(self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None, average_attn_weights=True, is_causal=False):
    if query is key and key is value and self.joined:
      x = query if self.batch_first else query.transpose(0, 1)
      q, k, v = linear(x, self.in_proj_weight, self.in_proj_bias).chunk(3, dim=-1)
    else:
      inputs = [t if self.batch_first else t.transpose(0, 1) for t in (query, key, value)]
      q, k, v = [self._heads(t, i) for i, t in enumerate(inputs)]
    B, T, E = q.shape
    if is_causal and attn_mask is None and (self.bias_k is not None or self.add_zero_attn):
      raise ValueError("MultiheadAttention with more keys takes the mask itself: attn_mask=nn.Transformer.generate_square_subsequent_mask(T).")
    k, v = self._more(k, self.bias_k), self._more(v, self.bias_v)
    attn_mask, key_padding_mask = self._widened(attn_mask), self._widened(key_padding_mask)
    q, k, v = [t.reshape(B, -1, self.num_heads, E // self.num_heads).transpose(1, 2) for t in (q, k, v)]
    mask = self._seen(attn_mask, key_padding_mask, B)
    y = scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=is_causal and attn_mask is None)
    y = self.out_proj(y.transpose(1, 2).reshape(B, T, E))
    y = y if self.batch_first else y.transpose(0, 1)
    if not need_weights:
      return y, None
    scores = q @ k.transpose(-2, -1) / math.sqrt(E // self.num_heads)
    if is_causal and attn_mask is None:
      scores = scores + torch.full((scores.shape[-2], scores.shape[-1]), -math.inf).triu(1)
    if mask is not None:
      scores = torch.where(mask, scores, -math.inf) if mask.dtype == torch.bool else scores + mask
    weights = torch.softmax(scores, -1)
    return y, weights.mean(1) if average_attn_weights else weights

class TransformerEncoderLayer:
  def __init__(self, d_model, nhead, dim_feedforward=2048, dropout=0.1, activation="relu", layer_norm_eps=1e-5, batch_first=False, norm_first=False, bias=True):
    self.self_attn = nn.MultiheadAttention(d_model, nhead, dropout=dropout, bias=bias, batch_first=batch_first)
    self.linear1 = nn.Linear(d_model, dim_feedforward, bias=bias)
    self.linear2 = nn.Linear(dim_feedforward, d_model, bias=bias)
    self.norm1 = nn.LayerNorm(d_model, eps=layer_norm_eps, bias=bias)
    self.norm2 = nn.LayerNorm(d_model, eps=layer_norm_eps, bias=bias)
    self.dropout = nn.Dropout(dropout)
    self.norm_first = norm_first
    self.activation = {"relu": torch.relu, "gelu": torch.nn.functional.gelu}[activation] if isinstance(activation, str) else activation

  def _attend(self, x, mask, padding, is_causal):
    return self.dropout(self.self_attn(x, x, x, key_padding_mask=padding, attn_mask=mask, need_weights=False, is_causal=is_causal)[0])

  def _feed(self, x):
    return self.dropout(self.linear2(self.dropout(self.activation(self.linear1(x)))))

  def forward(self, src, src_mask=None, src_key_padding_mask=None, is_causal=False):
    if self.norm_first:
      x = src + self._attend(self.norm1(src), src_mask, src_key_padding_mask, is_causal)
      return x + self._feed(self.norm2(x))
    x = self.norm1(src + self._attend(src, src_mask, src_key_padding_mask, is_causal))
    return self.norm2(x + self._feed(x))

class TransformerDecoderLayer:
  def __init__(self, d_model, nhead, dim_feedforward=2048, dropout=0.1, activation="relu", layer_norm_eps=1e-5, batch_first=False, norm_first=False, bias=True):
    self.self_attn = nn.MultiheadAttention(d_model, nhead, dropout=dropout, bias=bias, batch_first=batch_first)
    self.multihead_attn = nn.MultiheadAttention(d_model, nhead, dropout=dropout, bias=bias, batch_first=batch_first)
    self.linear1 = nn.Linear(d_model, dim_feedforward, bias=bias)
    self.linear2 = nn.Linear(dim_feedforward, d_model, bias=bias)
    self.norm1 = nn.LayerNorm(d_model, eps=layer_norm_eps, bias=bias)
    self.norm2 = nn.LayerNorm(d_model, eps=layer_norm_eps, bias=bias)
    self.norm3 = nn.LayerNorm(d_model, eps=layer_norm_eps, bias=bias)
    self.dropout = nn.Dropout(dropout)
    self.norm_first = norm_first
    self.activation = {"relu": torch.relu, "gelu": torch.nn.functional.gelu}[activation] if isinstance(activation, str) else activation

  def _attend(self, attn, x, of, mask, padding, is_causal):
    return self.dropout(attn(x, of, of, key_padding_mask=padding, attn_mask=mask, need_weights=False, is_causal=is_causal)[0])

  def _feed(self, x):
    return self.dropout(self.linear2(self.dropout(self.activation(self.linear1(x)))))

  def forward(self, tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None, memory_key_padding_mask=None, tgt_is_causal=False, memory_is_causal=False):
    if self.norm_first:
      y = self.norm1(tgt)
      x = tgt + self._attend(self.self_attn, y, y, tgt_mask, tgt_key_padding_mask, tgt_is_causal)
      x = x + self._attend(self.multihead_attn, self.norm2(x), memory, memory_mask, memory_key_padding_mask, memory_is_causal)
      return x + self._feed(self.norm3(x))
    x = self.norm1(tgt + self._attend(self.self_attn, tgt, tgt, tgt_mask, tgt_key_padding_mask, tgt_is_causal))
    x = self.norm2(x + self._attend(self.multihead_attn, x, memory, memory_mask, memory_key_padding_mask, memory_is_causal))
    return self.norm3(x + self._feed(x))

class TransformerDecoder:
  def __init__(self, decoder_layer, num_layers, norm=None):
    self.layers = nn.ModuleList([copy.deepcopy(decoder_layer) for i in range(num_layers)])
    self.norm = norm

  def forward(self, tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None, memory_key_padding_mask=None, tgt_is_causal=False, memory_is_causal=False):
    for layer in self.layers:
      tgt = layer(tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask, tgt_is_causal, memory_is_causal)
    return tgt if self.norm is None else self.norm(tgt)

class Transformer:
  def __init__(self, d_model=512, nhead=8, num_encoder_layers=6, num_decoder_layers=6, dim_feedforward=2048, dropout=0.1, activation="relu", layer_norm_eps=1e-5, batch_first=False, norm_first=False, bias=True):
    encoder = nn.TransformerEncoderLayer(d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias)
    decoder = nn.TransformerDecoderLayer(d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias)
    self.encoder = nn.TransformerEncoder(encoder, num_encoder_layers, nn.LayerNorm(d_model, eps=layer_norm_eps, bias=bias))
    self.decoder = nn.TransformerDecoder(decoder, num_decoder_layers, nn.LayerNorm(d_model, eps=layer_norm_eps, bias=bias))

  @staticmethod
  def generate_square_subsequent_mask(sz, device=None, dtype=None):
    return torch.full((sz, sz), -math.inf).triu(1)

  def forward(self, src, tgt, src_mask=None, tgt_mask=None, memory_mask=None, src_key_padding_mask=None, tgt_key_padding_mask=None, memory_key_padding_mask=None):
    memory = self.encoder(src, src_mask, src_key_padding_mask)
    return self.decoder(tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask)


class TransformerEncoder:
  def __init__(self, encoder_layer, num_layers, norm=None, enable_nested_tensor=True, mask_check=True):
    self.layers = nn.ModuleList([copy.deepcopy(encoder_layer) for i in range(num_layers)])
    self.norm = norm

  def forward(self, src, mask=None, src_key_padding_mask=None, is_causal=None):
    for layer in self.layers:
      src = layer(src, mask, src_key_padding_mask, is_causal or False)
    return src if self.norm is None else self.norm(src)

class Conv1D:
  def __init__(self, nf, nx):
    self.nf = nf
    self.weight = nn.Parameter(torch.zeros(nx, nf))
    self.bias = nn.Parameter(torch.zeros(nf))

  def forward(self, x):
    return x @ self.weight + self.bias

class DropPath:
  def __init__(self, drop_prob=0.0, scale_by_keep=True):
    self.drop_prob = drop_prob

  def forward(self, x):
    return x

class StochasticDepth:
  def __init__(self, p, mode="batch"):
    self.p = p

  def forward(self, x):
    return x

class LSTMCell:
  def __init__(self, input_size, hidden_size, bias=True):
    self.input_size = input_size
    self.hidden_size = hidden_size
    self.weight_ih = nn.Parameter(torch.zeros(4 * hidden_size, input_size))
    self.weight_hh = nn.Parameter(torch.zeros(4 * hidden_size, hidden_size))
    self.bias_ih = nn.Parameter(torch.zeros(4 * hidden_size)) if bias else None
    self.bias_hh = nn.Parameter(torch.zeros(4 * hidden_size)) if bias else None

  def forward(self, input, hx=None):
    h, c = (torch.zeros(input.shape[0], self.hidden_size), torch.zeros(input.shape[0], self.hidden_size)) if hx is None else hx
    gates = linear(input, self.weight_ih, self.bias_ih) + linear(h, self.weight_hh, self.bias_hh)
    i, f, g, o = gates.chunk(4, dim=-1)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c), c

class GRUCell:
  def __init__(self, input_size, hidden_size, bias=True):
    self.input_size = input_size
    self.hidden_size = hidden_size
    self.weight_ih = nn.Parameter(torch.zeros(3 * hidden_size, input_size))
    self.weight_hh = nn.Parameter(torch.zeros(3 * hidden_size, hidden_size))
    self.bias_ih = nn.Parameter(torch.zeros(3 * hidden_size)) if bias else None
    self.bias_hh = nn.Parameter(torch.zeros(3 * hidden_size)) if bias else None

  def forward(self, input, hx=None):
    h = torch.zeros(input.shape[0], self.hidden_size) if hx is None else hx
    r, z, n = linear(input, self.weight_ih, self.bias_ih).chunk(3, dim=-1)
    hr, hz, hn = linear(h, self.weight_hh, self.bias_hh).chunk(3, dim=-1)
    z = torch.sigmoid(z + hz)
    return (1 - z) * torch.tanh(n + torch.sigmoid(r + hr) * hn) + z * h

class RNNCell:
  def __init__(self, input_size, hidden_size, bias=True, nonlinearity="tanh"):
    self.input_size = input_size
    self.hidden_size = hidden_size
    self.nonlinearity = nonlinearity
    self.weight_ih = nn.Parameter(torch.zeros(hidden_size, input_size))
    self.weight_hh = nn.Parameter(torch.zeros(hidden_size, hidden_size))
    self.bias_ih = nn.Parameter(torch.zeros(hidden_size)) if bias else None
    self.bias_hh = nn.Parameter(torch.zeros(hidden_size)) if bias else None

  def forward(self, input, hx=None):
    h = torch.zeros(input.shape[0], self.hidden_size) if hx is None else hx
    sum = linear(input, self.weight_ih, self.bias_ih) + linear(h, self.weight_hh, self.bias_hh)
    return torch.relu(sum) if self.nonlinearity == "relu" else torch.tanh(sum)

class _Recurrent:
  def __init__(self, input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0, bidirectional=False, proj_size=0, nonlinearity="tanh"):
    if proj_size > 0:
      raise ValueError("proj_size is not supported.")
    self.input_size = input_size
    self.hidden_size = hidden_size
    self.num_layers = num_layers
    self.bias = bias
    self.batch_first = batch_first
    self.dropout = dropout
    self.bidirectional = bidirectional
    self.nonlinearity = nonlinearity
    self.ways = 2 if bidirectional else 1
    sizes = [input_size if k < self.ways else self.ways * hidden_size for k in range(num_layers * self.ways)]
    rows = self._gates() * hidden_size
    for k, size in enumerate(sizes):
      word = self._word(k)
      setattr(self, "weight_ih" + word, nn.Parameter(torch.zeros(rows, size)))
      setattr(self, "weight_hh" + word, nn.Parameter(torch.zeros(rows, hidden_size)))
      setattr(self, "bias_ih" + word, nn.Parameter(torch.zeros(rows)) if bias else None)
      setattr(self, "bias_hh" + word, nn.Parameter(torch.zeros(rows)) if bias else None)

  # What PyTorch puts behind the names of weights: the layer, and the way where there are two.
  def _word(self, k):
    return f"_l{k // self.ways}" + ("_reverse" if k % self.ways == 1 else "")

  def _of_input(self, x, k):
    return linear(x, getattr(self, "weight_ih" + self._word(k)), getattr(self, "bias_ih" + self._word(k)))

  def _of_state(self, h, k):
    return linear(h, getattr(self, "weight_hh" + self._word(k)), getattr(self, "bias_hh" + self._word(k)))

  def _first(self, x, hx, k):
    return torch.zeros(x.shape[1], self.hidden_size) if hx is None else hx[k]

  def _walk(self, x, k, state):
    gates = self._of_input(x, k)
    steps = list(range(x.shape[0]))
    shown = []
    for t in steps[::-1] if k % self.ways == 1 else steps:
      state = self._step(gates[t], state, k)
      shown.append(self._shown(state))
    return torch.stack(shown[::-1] if k % self.ways == 1 else shown), state

  def _layers(self, input, firsts):
    x = input.transpose(0, 1) if self.batch_first else input
    lasts = []
    for layer in range(self.num_layers):
      both = []
      for way in range(self.ways):
        k = layer * self.ways + way
        y, last = self._walk(x, k, firsts(x, k))
        both.append(y)
        lasts.append(last)
      x = both[0] if self.ways == 1 else torch.cat(both, dim=-1)
    return (x.transpose(0, 1) if self.batch_first else x), lasts

class RNN(_Recurrent):
  def _gates(self):
    return 1

  def _shown(self, state):
    return state

  def _step(self, gates, h, k):
    sum = gates + self._of_state(h, k)
    return torch.relu(sum) if self.nonlinearity == "relu" else torch.tanh(sum)

  def forward(self, input, hx=None):
    if input.ndim == 2:
      at = 0 if self.batch_first else 1
      y, h = self.forward(input.unsqueeze(at), None if hx is None else hx.unsqueeze(1))
      return y.squeeze(at), h.squeeze(1)
    y, lasts = self._layers(input, lambda x, k: self._first(x, hx, k))
    return y, torch.stack(lasts)

class GRU(RNN):
  def _gates(self):
    return 3

  def _step(self, gates, h, k):
    r, z, n = gates.chunk(3, dim=-1)
    hr, hz, hn = self._of_state(h, k).chunk(3, dim=-1)
    z = torch.sigmoid(z + hz)
    return (1 - z) * torch.tanh(n + torch.sigmoid(r + hr) * hn) + z * h

class LSTM(_Recurrent):
  def _gates(self):
    return 4

  def _shown(self, state):
    return state[0]

  def _step(self, gates, state, k):
    h, c = state
    i, f, g, o = (gates + self._of_state(h, k)).chunk(4, dim=-1)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c), c

  def forward(self, input, hx=None):
    h0, c0 = (None, None) if hx is None else hx
    if input.ndim == 2:
      at = 0 if self.batch_first else 1
      y, (h, c) = self.forward(input.unsqueeze(at), None if hx is None else (h0.unsqueeze(1), c0.unsqueeze(1)))
      return y.squeeze(at), (h.squeeze(1), c.squeeze(1))
    y, lasts = self._layers(input, lambda x, k: (self._first(x, h0, k), self._first(x, c0, k)))
    return y, (torch.stack([h for h, c in lasts]), torch.stack([c for h, c in lasts]))
`;
