/** @file Counts, order statistics, moments, and samples from distributions, in the language itself. */

export const STATISTICS = String.raw`
def _picked(input, rows, dim):
  return rows.sum() * (input.numel() // input.shape[0] if dim is None else 1)

def selected_sum(input, rows, dim=None):
  return torch.where(rows, input, 0).sum(dim)

def selected_mean(input, rows, dim=None):
  return torch.where(rows, input, 0).sum(dim) / _picked(input, rows, dim)

def selected_max(input, rows, dim=None):
  return torch.amax(torch.where(rows, input, -math.inf if input.is_floating_point() else -2147483648), dim)

def selected_min(input, rows, dim=None):
  return torch.amin(torch.where(rows, input, math.inf if input.is_floating_point() else 2147483647), dim)

def selected_prod(input, rows, dim=None):
  return torch.where(rows, input, 1).prod(dim)

def selected_any(input, rows, dim=None):
  return (rows & (input != 0)).any(dim)

def selected_all(input, rows, dim=None):
  return (~rows | (input != 0)).all(dim)

def selected_var(input, rows, dim=None, correction=1, unbiased=True, ddof=None):
  apart = torch.where(rows, input - selected_mean(input, rows, dim), 0)
  free = ddof if ddof is not None else correction if unbiased else 0
  return (apart * apart).sum(dim) / (_picked(input, rows, dim) - free)

def selected_std(input, rows, dim=None, correction=1, unbiased=True, ddof=None):
  return torch.sqrt(selected_var(input, rows, dim, correction, unbiased, ddof))

def selected_norm(input, rows, dim=None):
  return torch.norm(torch.where(rows, input, 0), 2, dim)

def selected_numel(input, rows, dim=None):
  return _picked(input, rows, None)

def selected_len(input, rows, dim=None):
  return rows.sum()

def selected_count_nonzero(input, rows, dim=None):
  return (rows & (input != 0)).sum(dim)

def randperm(n, **options):
  return torch.argsort(torch.rand(n))

def _permuted(x):
  return torch.argsort(torch.rand(x)) if isinstance(x, int) else x[torch.argsort(torch.rand(x.shape[0]))]

def permutation(x):
  return _permuted(x)

def jax_permutation(key, x=None, axis=0, independent=False):
  return _permuted(key if x is None else x)

def _choice(a, shape, replace):
  n = a if isinstance(a, int) else a.shape[0]
  size = shape if isinstance(shape, int) else math.prod(shape)
  indices = torch.randint(0, n, (size,)) if replace else torch.argsort(torch.rand(n))[:size]
  taken = indices if isinstance(a, int) else a[indices]
  return taken if isinstance(shape, int) else taken.reshape(list(shape) + list(taken.shape[1:]))

def choice(a, size=(), replace=True, p=None):
  return _choice(a, size, replace)

def jax_choice(key, a=None, shape=(), replace=True, p=None, axis=0, size=None):
  # NumPy's has no key.
  if isinstance(key, int) or isinstance(key, torch.Tensor):
    return _choice(key, size if size is not None else a if a is not None else (), replace)
  return _choice(a, shape, replace)

def _along(input, dim):
  return (input.flatten(), 0) if dim is None else (input, dim)

def var_mean(input, dim=None, unbiased=True, keepdim=False, correction=None):
  c = (1 if unbiased else 0) if correction is None else correction
  return torch.var(input, dim, correction=c, keepdim=keepdim), torch.mean(input, dim, keepdim=keepdim)

def std_mean(input, dim=None, unbiased=True, keepdim=False, correction=None):
  c = (1 if unbiased else 0) if correction is None else correction
  return torch.std(input, dim, correction=c, keepdim=keepdim), torch.mean(input, dim, keepdim=keepdim)

def aminmax(input, dim=None, keepdim=False):
  return return_types("min max", torch.amin(input, dim, keepdim=keepdim), torch.amax(input, dim, keepdim=keepdim))

def sort(input, dim=-1, descending=False, stable=True, kind=None, order=None):
  return return_types("values indices", torch.sort(input, dim=dim, descending=descending), torch.argsort(input, dim=dim, descending=descending))

def jax_sort(input, dim=-1, descending=False, stable=True, kind=None, order=None):
  return torch.sort(input, dim=dim, descending=descending)

def argsort(input, dim=-1, descending=False, stable=True, kind=None, order=None):
  return torch.argsort(input, dim=dim, descending=descending)

def lexsort(keys, dim=-1):
  order = None
  for key in keys:
    next = torch.argsort(key if order is None else torch.gather(key, dim, order), dim=dim, stable=True)
    order = next if order is None else torch.gather(order, dim, next)
  return order

def kthvalue(input, k, dim=-1, keepdim=False):
  if k < 1 or k > input.shape[dim]:
    raise ValueError("kthvalue counts from 1 to the size of the axis.")
  values = torch.sort(input, dim=dim).narrow(dim, k - 1, 1)
  places = torch.argsort(input, dim=dim).narrow(dim, k - 1, 1)
  return return_types("values indices", *((values, places) if keepdim else (values.squeeze(dim), places.squeeze(dim))))

def median(input, dim=None, keepdim=False):
  if dim is None:
    return kthvalue(input.flatten(), (input.numel() + 1) // 2, 0)[0]
  return kthvalue(input, (input.shape[dim] + 1) // 2, dim, keepdim)

def jax_median(input, dim=None, keepdim=False):
  return _quantile(input, 0.5, dim, keepdim, "linear")

def _quantile(input, q, dim, keepdim, interpolation):
  flat, at = _along(input, dim)
  n = flat.shape[at]
  ordered = torch.sort(flat, dim=at)
  position = q * (n - 1)
  low = int(position)
  high = low if low == position else low + 1
  part = position - low
  if interpolation == "lower":
    part = 0
  elif interpolation == "higher":
    part = 1 if high > low else 0
  elif interpolation == "nearest":
    part = round(position) - low
  elif interpolation == "midpoint":
    part = 0.5 if high > low else 0
  value = ordered.narrow(at, low, 1)
  if part == 1:
    value = ordered.narrow(at, high, 1)
  elif part > 0:
    value = value * (1 - part) + ordered.narrow(at, high, 1) * part
  return _kept(value, input, dim, keepdim, at)

def _kept(value, input, dim, keepdim, at):
  if dim is None:
    return value.reshape([1 for s in input.shape] if keepdim else [])
  return value if keepdim else value.squeeze(at)

def quantile(input, q, dim=None, keepdim=False, interpolation="linear", method=None):
  way = interpolation if method is None else method
  if isinstance(q, (list, tuple)):
    return torch.stack([_quantile(input, one, dim, keepdim, way) for one in q])
  if isinstance(q, torch.Tensor) and q.ndim > 0:
    return torch.stack([_at_quantile(input, q[i], dim, keepdim, way) for i in range(q.shape[0])])
  return _at_quantile(input, q, dim, keepdim, way) if isinstance(q, torch.Tensor) else _quantile(input, q, dim, keepdim, way)

def _at_quantile(input, q, dim, keepdim, way):
  flat, at = _along(input, dim)
  position = q * (flat.shape[at] - 1)
  return _between(torch.sort(flat, dim=at), position, at, way, input, dim, keepdim)

def _between(ordered, position, at, way, input, dim, keepdim):
  low = torch.floor(position)
  part = position - low
  if way == "nearest":
    low, part = torch.round(position), torch.zeros_like(position)
  elif way == "lower":
    part = torch.zeros_like(position)
  elif way == "higher":
    low, part = torch.ceil(position), torch.zeros_like(position)
  elif way == "midpoint":
    part = torch.where(part > 0, 0.5, 0.0)
  n = ordered.shape[at]
  shape = [1 if a == at else s for a, s in enumerate(ordered.shape)]
  first = torch.gather(ordered, at, torch.clamp(low, 0, n - 1).int().expand(shape))
  second = torch.gather(ordered, at, torch.clamp(low + 1, 0, n - 1).int().expand(shape))
  value = torch.where(part > 0, first * (1 - part) + second * part, first)
  return _kept(value, input, dim, keepdim, at)

def nanquantile(input, q, dim=None, keepdim=False, interpolation="linear", method=None):
  way = interpolation if method is None else method
  if isinstance(q, (list, tuple)):
    return torch.stack([nanquantile(input, one, dim, keepdim, way) for one in q])
  if isinstance(q, torch.Tensor) and q.ndim > 0:
    return torch.stack([nanquantile(input, q[i], dim, keepdim, way) for i in range(q.shape[0])])
  flat, at = _along(input, dim)
  count = (~torch.isnan(flat)).int().sum(at, keepdim=True)
  found = _between(torch.sort(flat, dim=at), q * (count - 1).float(), at, way, input, dim, keepdim)
  none = (count == 0).reshape(found.shape)
  return torch.where(none, math.nan, found)

def nanmedian(input, dim=None, keepdim=False):
  flat, at = _along(input, dim)
  count = (~torch.isnan(flat)).int().sum(at, keepdim=True)
  place = torch.clamp((count - 1) // 2, min=0)
  values, places = torch.sort(flat, dim=at), torch.argsort(flat, dim=at)
  value, index = torch.gather(values, at, place), torch.gather(places, at, place)
  if dim is None:
    return value.reshape([])
  return return_types("values indices", *((value, index) if keepdim else (value.squeeze(at), index.squeeze(at))))

def jax_nanmedian(input, dim=None, keepdim=False):
  return nanquantile(input, 0.5, dim, keepdim)

def jax_nanpercentile(input, q, dim=None, keepdim=False, method="linear"):
  return nanquantile(input, [one / 100 for one in q] if isinstance(q, (list, tuple)) else q / 100, dim, keepdim, method)

def jax_percentile(input, q, dim=None, keepdim=False, method="linear"):
  share = [one / 100 for one in q] if isinstance(q, (list, tuple)) else q / 100
  return quantile(input, share, dim, keepdim, method)

def percentile(input, q, dim=None, keepdim=False, method="linear"):
  return jax_percentile(input, q, dim, keepdim, method)

def bincount(input, weights=None, minlength=0, length=None):
  count = minlength if length is None else length
  if count < 1:
    raise ValueError("The number of bins depends on data: give minlength=, the number of bins.")
  each = torch.ones_like(input) if weights is None else weights
  return torch.zeros([count], dtype=each.dtype).scatter_add(0, input, each)

def histc(input, bins=100, min=0, max=0):
  flat = input.flatten()
  given = min != max
  low = min if given else torch.amin(flat)
  high = max if given else torch.amax(flat)
  inside = (flat >= low) & (flat <= high)
  place = torch.clamp(torch.floor((flat - low) / (high - low) * bins), 0, bins - 1).int()
  return torch.zeros([bins], dtype=input.dtype).scatter_add(0, place, inside.to(input.dtype))

def searchsorted(sorted_sequence, values, right=False, side="left"):
  after = right or side == "right"
  if not isinstance(values, torch.Tensor):
    return (sorted_sequence <= values if after else sorted_sequence < values).int().sum(-1)
  if sorted_sequence.ndim == 1:
    return lower_bound(sorted_sequence, values, right=after)
  # A row of its own for each row of values: the largest step that leaves only smaller keys behind, then half of it, and so on.
  n = sorted_sequence.shape[-1]
  at = torch.zeros(values.shape, dtype=torch.int32)
  step = 1
  while 2 * step <= n:
    step = 2 * step
  while step > 0:
    ahead = at + step
    key = torch.gather(sorted_sequence, -1, torch.clamp(ahead, max=n) - 1)
    before = key <= values if after else key < values
    at = torch.where(before & (ahead <= n), ahead, at)
    step = step // 2
  return at

def bucketize(input, boundaries, right=False):
  return searchsorted(boundaries, input, right=right)

def digitize(input, bins, right=False):
  return searchsorted(asarray(bins), input, right=not right)

def _segments(num_segments):
  if num_segments is None:
    raise ValueError("The number of segments depends on data: give num_segments=.")
  return num_segments

# Segments below 0 are dropped, as those beyond the last are.
def _segment_of(ids, count):
  return ids if is_within(ids, 0, math.inf) else torch.where(ids < 0, count, ids)

def segment_sum(data, segment_ids, num_segments=None, indices_are_sorted=False):
  shape = [_segments(num_segments)] + list(data.shape[1:])
  return torch.zeros(shape, dtype=data.dtype).at[_segment_of(segment_ids, shape[0])].add(data, mode="drop")

def segment_max(data, segment_ids, num_segments=None, indices_are_sorted=False):
  shape = [_segments(num_segments)] + list(data.shape[1:])
  return torch.full(shape, -math.inf).at[_segment_of(segment_ids, shape[0])].max(data, mode="drop")

def segment_min(data, segment_ids, num_segments=None, indices_are_sorted=False):
  shape = [_segments(num_segments)] + list(data.shape[1:])
  return torch.full(shape, math.inf).at[_segment_of(segment_ids, shape[0])].min(data, mode="drop")

def bernoulli(input, p=None):
  share = input if p is None else torch.full_like(input, p)
  return (rand_like(share) < share).to(input.dtype)

def jax_bernoulli(key, p=0.5, shape=()):
  return rand(shape) < p

def _gumbel(input):
  return -torch.log(-torch.log(rand_like(input)))

def gumbel_softmax(logits, tau=1.0, hard=False, eps=1e-10, dim=-1):
  soft = torch.softmax((logits + _gumbel(logits)) / tau, dim=dim)
  if not hard:
    return soft
  best = soft == torch.amax(soft, dim, keepdim=True)
  return best.to(logits.dtype) - stop_gradient(soft) + soft

def multinomial(input, num_samples, replacement=False):
  # The largest of log p plus Gumbel noise is a sample, and the k largest are k samples without replacement.
  logits = torch.log(input)
  if replacement:
    shape = list(input.shape[:-1]) + [num_samples, input.shape[-1]]
    each = logits.unsqueeze(-2).expand(shape)
    return torch.argmax(each + _gumbel(each), -1)
  return torch.topk(logits + _gumbel(logits), num_samples, dim=-1)[1]

def categorical(key, logits, dim=-1, shape=None):
  return torch.argmax(logits + _gumbel(logits), dim)
`;

/** Losses that are a formula of elements and a reduction. */
export const LOSSES = String.raw`
def _reduced(loss, reduction):
  if reduction == "none":
    return loss
  return loss.sum() if reduction == "sum" else loss.mean()

def gaussian_nll_loss(input, target, var, full=False, eps=1e-6, reduction="mean"):
  spread = torch.clamp(var, min=eps)
  loss = 0.5 * (torch.log(spread) + (input - target) ** 2 / spread)
  if full:
    loss = loss + 0.5 * math.log(2 * math.pi)
  return _reduced(loss, reduction)

def poisson_nll_loss(input, target, log_input=True, full=False, eps=1e-8, reduction="mean"):
  if log_input:
    loss = torch.exp(input) - target * input
  else:
    loss = input - target * torch.log(input + eps)
  if full:
    stirling = target * torch.log(target) - target + 0.5 * torch.log(2 * math.pi * target)
    loss = loss + torch.where(target > 1, stirling, 0.0)
  return _reduced(loss, reduction)

def cosine_embedding_loss(input1, input2, target, margin=0.0, reduction="mean"):
  near = F.cosine_similarity(input1, input2, dim=-1)
  return _reduced(torch.where(target > 0, 1 - near, torch.relu(near - margin)), reduction)

def margin_ranking_loss(input1, input2, target, margin=0.0, reduction="mean"):
  return _reduced(torch.relu(-target * (input1 - input2) + margin), reduction)

def hinge_embedding_loss(input, target, margin=1.0, reduction="mean"):
  return _reduced(torch.where(target > 0, input, torch.relu(margin - input)), reduction)

def soft_margin_loss(input, target, reduction="mean"):
  return _reduced(torch.log1p(torch.exp(-target * input)), reduction)

def multi_margin_loss(input, target, p=1, margin=1.0, reduction="mean"):
  own = torch.gather(input, -1, target.unsqueeze(-1))
  others = 1 - F.one_hot(target, input.shape[-1])
  return _reduced((torch.relu(margin - own + input) ** p * others).sum(-1) / input.shape[-1], reduction)

def multilabel_soft_margin_loss(input, target, reduction="mean"):
  loss = -(target * F.logsigmoid(input) + (1 - target) * F.logsigmoid(-input))
  return _reduced(loss.mean(-1), reduction)

def bilinear(input1, input2, weight, bias=None):
  y = torch.einsum("...i,oij,...j->...o", input1, weight, input2)
  return y if bias is None else y + bias

def channel_shuffle(input, groups):
  B, C = input.shape[0], input.shape[1]
  rest = list(input.shape[2:])
  return input.reshape([B, groups, C // groups] + rest).transpose(1, 2).reshape([B, C] + rest)

def embedding(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False):
  rows = F.embedding(input, weight)
  if padding_idx is None or not is_grad_enabled():
    return rows
  # What stands for nothing is never learned.
  at = padding_idx + weight.shape[0] if padding_idx < 0 else padding_idx
  return torch.where((input == at).unsqueeze(-1), rows.detach(), rows)

def _dropped(input, p, training, axes):
  return input * F.dropout(torch.ones(list(input.shape[:axes]) + [1] * (input.ndim - axes)), p=p, training=training)

def _running_statistics(input, running_mean, running_var, momentum):
  axes = [0] + list(range(2, input.ndim))
  x = input.detach()
  mean = running_mean * (1 - momentum) + x.mean(axes) * momentum
  return mean, running_var * (1 - momentum) + x.var(axes) * momentum

def dropout1d(input, p=0.5, training=True, inplace=False):
  return _dropped(input, p, training, input.ndim - 1)

def dropout2d(input, p=0.5, training=True, inplace=False):
  return _dropped(input, p, training, 2)

def dropout3d(input, p=0.5, training=True, inplace=False):
  return _dropped(input, p, training, input.ndim - 3)

def alpha_dropout(input, p=0.5, training=False, inplace=False):
  if not training:
    return input
  alpha = -1.7580993408473766
  a = ((1 - p) * (1 + p * alpha ** 2)) ** -0.5
  stays = F.dropout(torch.ones(input.shape), p=p, training=True) > 0
  return a * torch.where(stays, input, alpha) - a * alpha * p
`;
