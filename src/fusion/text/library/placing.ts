/** @file Elements that are put where others stand or looked for among others, packed axes and strides, windows that give back where they found their maximum, and bags of rows, in the language itself. */

export const PLACING = String.raw`
def as_strided(input, size, stride, storage_offset=0):
  at = torch.arange(size[0]) * stride[0] + storage_offset
  for n, step in zip(size[1:], stride[1:]):
    at = at.unsqueeze(-1) + torch.arange(n) * step
  return input.flatten()[at]

def chain_matmul(*matrices):
  return torch.linalg.multi_dot(matrices)

def checkpoint_sequential(functions, segments, input, **options):
  for function in functions:
    input = function(input)
  return input

def pack(tensors, pattern):
  names = pattern.split()
  before = names.index("*")
  after = len(names) - before - 1
  packed = []
  shapes = []
  for x in tensors:
    last = x.ndim - after
    shapes.append(tuple(x.shape[before:last]))
    packed.append(x.reshape(*x.shape[:before], math.prod(x.shape[before:last]), *x.shape[last:]))
  return torch.cat(packed, dim=before), shapes

def unpack(tensor, packed_shapes, pattern):
  at = pattern.split().index("*")
  parts = []
  start = 0
  for shape in packed_shapes:
    n = math.prod(shape)
    part = tensor.narrow(at, start, n)
    parts.append(part.reshape(*tensor.shape[:at], *shape, *tensor.shape[at + 1:]))
    start = start + n
  return parts

def masked_scatter(input, mask, source):
  hit = mask.expand(input.shape).flatten()
  rows = torch.clamp(torch.cumsum(hit.int(), 0) - 1, 0, source.numel() - 1)
  return torch.where(hit, source.flatten()[rows], input.flatten()).reshape(input.shape)

def select_scatter(input, src, dim, index):
  lane = [-1 if a == dim % input.ndim else 1 for a in range(input.ndim)]
  hit = torch.arange(input.shape[dim]).reshape(lane) == index % input.shape[dim]
  return torch.where(hit, src.unsqueeze(dim), input)

def slice_scatter(input, src, dim=0, start=None, end=None, step=1):
  key = [slice(None, None) for a in range(dim % input.ndim)] + [slice(start, end, step)]
  return input.at[tuple(key)].set(src)

def diagonal_scatter(input, src, offset=0, dim1=0, dim2=1):
  whole = torch.diag_embed(src, offset, dim1, dim2)
  if list(whole.shape) != list(input.shape):
    raise ValueError("diagonal_scatter takes square matrices here: write x[range(n), range(n)] = y.")
  return torch.where(torch.diag_embed(torch.ones(src.shape), offset, dim1, dim2) > 0, whole, input)

def max_pool(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
  stride = kernel_size if stride is None else stride
  values = F.max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode)
  if not return_indices:
    return values
  if ceil_mode or input.ndim not in (3, 4):
    raise ValueError("return_indices is known for pictures of N×C×H×W and rows of N×C×L, without ceil_mode.")
  rank = input.ndim - 2
  kernel, step, around, spread = [[one] * rank if isinstance(one, int) else list(one) for one in (kernel_size, stride, padding, dilation)]
  sizes = list(input.shape[2:])
  sides = [side for p in around[::-1] for side in (p, p)]
  lowest = -math.inf if input.is_floating_point() else -2147483648
  out = list(values.shape[2:])
  firsts = [torch.arange(out[a]) * step[a] - around[a] for a in range(rank)]
  taps = [[]]
  for a in range(rank):
    taps = [tap + [k] for tap in taps for k in range(kernel[a])]
  found, at = None, None
  bordered = F.pad(input, sides, value=lowest)
  for tap in taps:
    key = [slice(None, None), slice(None, None)]
    position = torch.zeros([1] * rank).int()
    for a in range(rank):
      first = tap[a] * spread[a]
      key.append(slice(first, first + (out[a] - 1) * step[a] + 1, step[a]))
      lane = [-1 if b == a else 1 for b in range(rank)]
      position = position * sizes[a] + (firsts[a] + first).reshape(lane)
    here = bordered[tuple(key)]
    if found is None:
      found, at = here, position.expand(here.shape)
    else:
      at = torch.where(here > found, position, at)
      found = torch.maximum(here, found)
  return values, at

def _unpooled(input, indices, kernel_size, stride, padding, output_size):
  rank = input.ndim - 2
  stride = kernel_size if stride is None else stride
  kernel, step, around = [[one] * rank if isinstance(one, int) else list(one) for one in (kernel_size, stride, padding)]
  sizes = [(n - 1) * s - 2 * p + k for n, s, p, k in zip(input.shape[2:], step, around, kernel)]
  if output_size is not None:
    sizes = list(output_size)[-rank:]
  lead = list(input.shape[:2])
  flat = torch.zeros(lead + [math.prod(sizes)])
  return flat.scatter(2, indices.flatten(2), input.flatten(2)).reshape(lead + sizes)

def max_unpool1d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
  return _unpooled(input, indices, kernel_size, stride, padding, output_size)

def max_unpool2d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
  return _unpooled(input, indices, kernel_size, stride, padding, output_size)

def _bags(rows, counted, mode):
  if mode == "max":
    lowest = torch.where(counted, rows, -math.inf).amax(1)
    return torch.where(counted.any(1), lowest, 0.0)
  total = torch.where(counted, rows, 0.0).sum(1)
  return total if mode == "sum" else total / torch.clamp(counted.sum(1), min=1)

def embedding_bag(input, weight, offsets=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, mode="mean", sparse=False, per_sample_weights=None, include_last_offset=False, padding_idx=None):
  if per_sample_weights is not None and mode != "sum":
    raise ValueError("per_sample_weights goes with mode='sum'.")
  rows = weight[input]
  if per_sample_weights is not None:
    rows = rows * per_sample_weights.unsqueeze(-1)
  counted = torch.ones(input.shape) > 0 if padding_idx is None else input != padding_idx
  if input.ndim == 2:
    return _bags(rows, counted.unsqueeze(-1), mode)
  if offsets is None:
    raise ValueError("embedding_bag takes a row of bags, B×N, or a list of indices and the offsets of its bags.")
  starts = offsets[:-1] if include_last_offset else offsets
  bag = (torch.arange(input.shape[0]).unsqueeze(0) >= starts.unsqueeze(1)).int().sum(0) - 1
  own = (bag.unsqueeze(0) == torch.arange(starts.shape[0]).unsqueeze(1)) & counted.unsqueeze(0)
  return _bags(rows.unsqueeze(0), own.unsqueeze(-1), mode)

class EmbeddingBag:
  def __init__(self, num_embeddings, embedding_dim, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, mode="mean", sparse=False, include_last_offset=False, padding_idx=None):
    self.mode = mode
    self.include_last_offset = include_last_offset
    self.padding_idx = padding_idx
    self.weight = nn.Parameter(torch.randn(num_embeddings, embedding_dim))

  def forward(self, input, offsets=None, per_sample_weights=None):
    return embedding_bag(input, self.weight, offsets, mode=self.mode, per_sample_weights=per_sample_weights, include_last_offset=self.include_last_offset, padding_idx=self.padding_idx)

class MaxUnpool2d:
  def __init__(self, kernel_size, stride=None, padding=0):
    self.kernel_size = kernel_size
    self.stride = stride
    self.padding = padding

  def forward(self, input, indices, output_size=None):
    return _unpooled(input, indices, self.kernel_size, self.stride, self.padding, output_size)

class MaxUnpool1d(MaxUnpool2d):
  def forward(self, input, indices, output_size=None):
    return _unpooled(input, indices, self.kernel_size, self.stride, self.padding, output_size)

def put_along_axis(arr, indices, values, dim=-1):
  source = values if isinstance(values, torch.Tensor) else torch.full(indices.shape, values)
  return np.scatter_elements(arr, indices, source.expand(indices.shape), axis=dim)

def fill_diagonal(a, val, wrap=False):
  return torch.where(torch.eye(a.shape[0], a.shape[1]) > 0, val, a)

def diagflat(v, k=0):
  return torch.diag(v.flatten(), k)

def copyto(dst, src, where=True):
  source = src if isinstance(src, torch.Tensor) else torch.full(dst.shape, src)
  return torch.where(where, source.expand(dst.shape).to(dst.dtype), dst) if isinstance(where, torch.Tensor) else source.expand(dst.shape).to(dst.dtype)

def putmask(a, mask, values):
  return copyto(a, values, mask)

def isin(elements, test_elements, assume_unique=False, invert=False):
  among = test_elements if isinstance(test_elements, torch.Tensor) else torch.tensor(test_elements)
  found = (elements.unsqueeze(-1) == among.flatten()).any(-1)
  return ~found if invert else found

def in1d(ar1, ar2):
  return isin(ar1.flatten(), ar2)

def masked_select(input, mask):
  return input[mask]

def repeat_interleave(input, repeats: "tensor", dim=None, output_size=None, total_repeat_length=None):
  rows = input.flatten() if dim is None else input
  if not isinstance(repeats, torch.Tensor):
    repeats = torch.tensor(repeats)
  counts = repeats.expand(rows.shape[0 if dim is None else dim]).tolist()
  index = [i for i, n in enumerate(counts) for _ in range(n)]
  return torch.index_select(rows, 0 if dim is None else dim, torch.tensor(index))

def pad_sequence(sequences, batch_first=False, padding_value=0.0):
  longest = max([one.shape[0] for one in sequences])
  rows = [F.pad(one, [0, 0] * (one.ndim - 1) + [0, longest - one.shape[0]], value=padding_value) for one in sequences]
  return torch.stack(rows, dim=0 if batch_first else 1)

def dist(input, other, p=2):
  return torch.linalg.vector_norm(input - other, ord=p)

def mode(input, dim=-1, keepdim=False):
  rows = input.movedim(dim, -1)
  counts = (rows.unsqueeze(-1) == rows.unsqueeze(-2)).int().sum(-1)
  most = counts == counts.amax(-1, keepdim=True)
  values = torch.where(most, rows, math.inf if input.is_floating_point() else 2147483647).amin(-1, keepdim=True)
  n = rows.shape[-1]
  found = torch.where(rows == values, torch.arange(n), -1).amax(-1, keepdim=True)
  both = [values.movedim(-1, dim), found.movedim(-1, dim)] if keepdim else [values.squeeze(-1), found.squeeze(-1)]
  return return_types("values indices", *both)
`;

/** The loss of sequences without an alignment, by its recursion over time. */
export const ALIGNMENT = String.raw`
def _lengths(lengths, n):
  return torch.tensor(list(lengths)) if isinstance(lengths, (list, tuple)) else torch.as_tensor(lengths).expand(n)

def ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction="mean", zero_infinity=False):
  if log_probs.ndim == 2:
    return ctc_loss(log_probs.unsqueeze(1), targets.reshape(1, -1), input_lengths, target_lengths, blank, reduction, zero_infinity)
  T, N, C = log_probs.shape
  steps, sizes = _lengths(input_lengths, N), _lengths(target_lengths, N)
  if targets.ndim == 1:
    starts = torch.cumsum(sizes, 0) - sizes
    rows = starts.unsqueeze(1) + torch.arange(targets.shape[0]).unsqueeze(0)
    targets = targets[torch.clamp(rows, max=targets.shape[0] - 1)]
  S = targets.shape[1]
  never = -1e30
  at = torch.arange(2 * S + 1)
  labels = torch.where(at % 2 == 1, targets[:, torch.clamp(at // 2, max=S - 1)], blank)
  before = F.pad(labels[:, :-2], (2, 0), value=-1)
  mayskip = (at % 2 == 1) & (at >= 2) & (labels != before)
  said = torch.gather(log_probs, 2, labels.unsqueeze(0).expand(T, N, 2 * S + 1))
  alpha = torch.where(at < 2, said[0], never)
  for t in range(1, T):
    one = F.pad(alpha[:, :-1], (1, 0), value=never)
    two = torch.where(mayskip, F.pad(alpha[:, :-2], (2, 0), value=never), never)
    now = torch.logsumexp(torch.stack([alpha, one, two]), 0) + said[t]
    alpha = torch.where((t < steps).unsqueeze(1), now, alpha)
  ends = (2 * sizes).unsqueeze(1)
  last = torch.gather(alpha, 1, ends)
  label = torch.where(ends > 0, torch.gather(alpha, 1, torch.clamp(ends - 1, min=0)), never)
  loss = -torch.logaddexp(last, label).squeeze(1)
  loss = torch.where(loss > 1e29, 0.0 if zero_infinity else math.inf, loss)
  if reduction == "none":
    return loss
  return loss.sum() if reduction == "sum" else (loss / torch.clamp(sizes, min=1)).mean()

class CTCLoss:
  def __init__(self, blank=0, reduction="mean", zero_infinity=False):
    self.blank = blank
    self.reduction = reduction
    self.zero_infinity = zero_infinity

  def forward(self, log_probs, targets, input_lengths, target_lengths):
    return ctc_loss(log_probs, targets, input_lengths, target_lengths, self.blank, self.reduction, self.zero_infinity)
`;
