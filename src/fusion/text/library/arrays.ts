/** @file Arrays put together, taken apart, walked, and read between their elements: what NumPy and PyTorch have beside plain indexing. Written in the language itself. */

export const ARRAYS = String.raw`
def _trued(input):
  return input - input.mean(-1, keepdim=True)

def cov(input, rowvar=True, correction=1, ddof=None):
  rows = input if rowvar else input.T
  rows = rows.unsqueeze(0) if rows.ndim == 1 else rows
  free = rows.shape[-1] - (correction if ddof is None else ddof)
  centred = _trued(rows)
  return (centred @ centred.T / free).squeeze()

def jax_cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None):
  rows = m if rowvar or m.ndim == 1 else m.T
  if y is not None:
    other = y if rowvar or y.ndim == 1 else y.T
    rows = torch.cat([t.unsqueeze(0) if t.ndim == 1 else t for t in (rows, other)])
  return cov(rows, True, (0 if bias else 1) if ddof is None else ddof)

def jax_corrcoef(x, y=None, rowvar=True):
  c = jax_cov(x * 1.0, y if y is None else y * 1.0, rowvar)
  spread = torch.sqrt(c.diagonal()) if c.ndim > 0 else torch.sqrt(c)
  return c / spread.unsqueeze(1) / spread if c.ndim > 0 else c / c

def corrcoef(input, rowvar=True):
  rows = input if rowvar else input.T
  centred = _trued(rows)
  unit = centred / torch.sqrt((centred * centred).sum(-1, keepdim=True))
  return unit @ unit.T

def _steps(input, x, dx, dim):
  n = input.shape[dim]
  means = 0.5 * (input.narrow(dim, 1, n - 1) + input.narrow(dim, 0, n - 1))
  if x is None:
    return means * dx
  if x.ndim == 1:
    shape = [1] * input.ndim
    shape[dim] = n - 1
    return means * (x[1:] - x[:-1]).reshape(shape)
  return means * (x.narrow(dim, 1, n - 1) - x.narrow(dim, 0, n - 1))

def trapezoid(y, x=None, dx=1.0, dim=-1):
  return _steps(y, x, dx, dim).sum(dim)

def trapz(y, x=None, dx=1.0, dim=-1):
  return _steps(y, x, dx, dim).sum(dim)

def cumulative_trapezoid(y, x=None, dx=1.0, dim=-1):
  return torch.cumsum(_steps(y, x, dx, dim), dim)

def _slope(input, spacing, dim):
  n = input.shape[dim]
  first = input.narrow(dim, 1, 1) - input.narrow(dim, 0, 1)
  last = input.narrow(dim, n - 1, 1) - input.narrow(dim, n - 2, 1)
  between = 0.5 * (input.narrow(dim, 2, n - 2) - input.narrow(dim, 0, n - 2))
  return torch.cat([first, between, last], dim=dim) / spacing

def gradient(input, spacing=1.0, dim=None):
  if isinstance(dim, int):
    return (_slope(input, spacing, dim),)
  return tuple([_slope(input, spacing, axis) for axis in (range(input.ndim) if dim is None else dim)])

def jax_gradient(input, spacing=1.0, dim=None):
  if isinstance(dim, int):
    return _slope(input, spacing, dim)
  return _slope(input, spacing, 0) if input.ndim == 1 else gradient(input, spacing, dim)

def renorm(input, p, dim, maxnorm):
  others = [axis for axis in range(input.ndim) if axis != dim % input.ndim]
  norms = torch.sum(torch.abs(input) ** p, others, keepdim=True) ** (1 / p)
  return input * torch.where(norms > maxnorm, maxnorm / (norms + 1e-7), 1.0)

def block_diag(*arrays):
  arrays = [atleast_2d(a) for a in arrays]
  width = sum([a.shape[-1] for a in arrays])
  rows = []
  left = 0
  for a in arrays:
    rows.append(F.pad(a, (left, width - left - a.shape[-1])))
    left = left + a.shape[-1]
  return torch.cat(rows, dim=0)

def cartesian_prod(*tensors):
  grids = torch.meshgrid(*tensors, indexing="ij")
  return torch.stack([grid.flatten() for grid in grids], dim=-1)

def _choices(n, r):
  found = [[]]
  for _ in range(r):
    found = [chosen + [i] for chosen in found for i in range(n) if len(chosen) == 0 or i > chosen[-1]]
  return found

def combinations(input, r=2):
  return torch.stack([torch.stack([input[i] for i in chosen]) for chosen in _choices(input.shape[0], r)])

def vander(x, N=None, increasing=False):
  count = x.shape[0] if N is None else N
  powers = range(count) if increasing else reversed(range(count))
  return torch.stack([torch.ones_like(x) if power == 0 else x ** power for power in powers], dim=-1)

def atleast_1d(x):
  return x.reshape(1) if x.ndim == 0 else x

def atleast_2d(x):
  x = atleast_1d(x)
  return x.unsqueeze(0) if x.ndim == 1 else x

def logspace(start, end, steps=50, base=10.0):
  return base ** torch.linspace(start, end, steps)

def jax_logspace(start, stop, num=50, endpoint=True, base=10.0):
  return base ** np.linspace(start, stop, num, endpoint)

def geomspace(start, stop, num=50, endpoint=True):
  # From a negative start all are negative.
  sign = -1.0 if start < 0 else 1.0
  return sign * np.exp(np.linspace(math.log(sign * start), math.log(sign * stop), num, endpoint))

def frexp(input):
  sized = torch.where((input == 0) | ~torch.isfinite(input), 1.0, torch.abs(input))
  exponent = torch.floor(torch.log2(sized)) + 1
  half = torch.floor(exponent / 2)
  # The logarithm is rounded: a mantissa just outside of its range moves by one.
  mantissa = sized * 2.0 ** -half * 2.0 ** (half - exponent)
  high, low = mantissa >= 1, mantissa < 0.5
  mantissa = torch.where(high, mantissa / 2, torch.where(low, mantissa * 2, mantissa))
  exponent = torch.where(high, exponent + 1, torch.where(low, exponent - 1, exponent))
  zero, odd = input == 0, ~torch.isfinite(input)
  return return_types("mantissa exponent", torch.where(zero | odd, input, torch.sign(input) * mantissa), torch.where(zero | odd, 0, exponent).to(torch.int32))

def correlate(a, v, mode="valid"):
  return convolve(a, torch.flip(asarray(v), [0]), mode)

def copysign(input, other):
  size = input.abs() if input.is_floating_point() else input.abs().float()
  return torch.where(other < 0, -size, size)

def diff(input, n=1, dim=-1, prepend=None, append=None):
  def part(value):
    at = (value if isinstance(value, torch.Tensor) else torch.full([], value)).to(input.dtype)
    return at.expand([1 if a == dim % input.ndim else input.shape[a] for a in range(input.ndim)]) if at.ndim == 0 else at
  ends = [] if append is None else [part(append)]
  return torch.diff(torch.cat(([] if prepend is None else [part(prepend)]) + [input] + ends, dim=dim), n, dim)

def _parts(items):
  parts = [item if isinstance(item, torch.Tensor) else torch.full([1], item) for item in items]
  return [part.reshape(1) if part.ndim == 0 else part for part in parts]

def r_(items):
  return torch.cat(_parts(items), dim=0)

def c_(items):
  return torch.cat([part.unsqueeze(-1) if part.ndim == 1 else part for part in _parts(items)], dim=-1)

def msort(input):
  return torch.sort(input, dim=0)[0]

def multi_dot(tensors):
  product = tensors[0]
  for t in tensors[1:]:
    product = product @ t
  return product

def polyval(p, x):
  p = asarray(p)
  value = torch.zeros_like(x)
  for i in range(p.shape[0]):
    value = value * x + p[i]
  return value

def _corner(rows, columns, keeps):
  pairs = [(i, j) for i in range(rows) for j in range(columns) if keeps(j - i)]
  return torch.tensor([[i for i, _ in pairs], [j for _, j in pairs]])

def tril_indices(row, col=None, offset=0):
  return _corner(row, row if col is None else col, lambda at: at <= offset)

def triu_indices(row, col=None, offset=0):
  return _corner(row, row if col is None else col, lambda at: at >= offset)

def jax_tril_indices(n, k=0, m=None):
  found = tril_indices(n, m, k)
  return found[0], found[1]

def jax_triu_indices(n, k=0, m=None):
  found = triu_indices(n, m, k)
  return found[0], found[1]

def ptp(input, dim=None, keepdim=False):
  return torch.amax(input, dim, keepdim) - torch.amin(input, dim, keepdim)

def average(input, dim=None, weights=None, keepdim=False):
  if weights is None:
    return input.mean(dim, keepdim)
  if weights.ndim < input.ndim:
    shape = [1] * input.ndim
    shape[dim] = weights.shape[0]
    weights = weights.reshape(shape)
  each = weights.expand(input.shape)
  return (input * each).sum(dim, keepdim) / each.sum(dim, keepdim)

def interp(x, xp, fp, left=None, right=None):
  x, xp, fp = asarray(x), asarray(xp), asarray(fp)
  last = xp.shape[0] - 1
  at = torch.clamp((xp <= x.unsqueeze(-1)).int().sum(-1) - 1, 0, last - 1)
  low = xp[at]
  value = fp[at] + (x - low) / (xp[at + 1] - low) * (fp[at + 1] - fp[at])
  before = fp[0] if left is None else left
  after = fp[last] if right is None else right
  return torch.where(x < xp[0], before, torch.where(x > xp[last], after, value))

def _start(start, extent, size):
  if isinstance(start, int):
    return max(0, min(start + extent if start < 0 else start, extent - size))
  return torch.clamp(torch.where(start < 0, start + extent, start), 0, extent - size)

def dynamic_slice(operand, start_indices, slice_sizes):
  for dim, size in enumerate(slice_sizes):
    at = _start(start_indices[dim], operand.shape[dim], size)
    operand = operand.narrow(dim, at, size) if isinstance(at, int) else torch.index_select(operand, dim, torch.arange(size) + at)
  return operand

def dynamic_slice_in_dim(operand, start_index, slice_size, axis=0):
  dim = axis % operand.ndim
  starts = [start_index if i == dim else 0 for i in range(operand.ndim)]
  return dynamic_slice(operand, starts, [slice_size if i == dim else n for i, n in enumerate(operand.shape)])

def dynamic_index_in_dim(operand, index, axis=0, keepdims=True):
  row = dynamic_slice_in_dim(operand, index, 1, axis)
  return row if keepdims else row.squeeze(axis)

def dynamic_update_slice(operand, update, start_indices):
  here = None
  for dim, (extent, size) in enumerate(zip(operand.shape, update.shape)):
    shape = [extent if i == dim else 1 for i in range(operand.ndim)]
    within = torch.arange(extent) - _start(start_indices[dim], extent, size)
    inside = ((within >= 0) & (within < size)).reshape(shape)
    here = inside if here is None else here & inside
    update = torch.index_select(update, dim, torch.clamp(within, 0, size - 1))
  return torch.where(here, update, operand)

def dynamic_update_slice_in_dim(operand, update, start_index, axis):
  dim = axis % operand.ndim
  return dynamic_update_slice(operand, update, [start_index if i == dim else 0 for i in range(operand.ndim)])

def dynamic_update_index_in_dim(operand, update, index, axis):
  one = update.unsqueeze(axis) if update.ndim < operand.ndim else update
  return dynamic_update_slice_in_dim(operand, one, index, axis)

def _index_nearest(index, extent):
  return torch.clamp(torch.where(index < 0, index + extent, index), 0, extent - 1)

def _index_beyond(index, extent):
  at = torch.where(index < 0, index + extent, index)
  return torch.where((at < 0) | (at > extent), extent, at)

def _with_fill(input, axes, fill_value):
  usual = math.nan if torch.is_floating_point(input) else True if input.dtype == torch.bool else -2147483648
  sides = []
  for axis in reversed(range(input.ndim)):
    sides = sides + [0, 1 if axis in axes else 0]
  return F.pad(input, sides, value=usual if fill_value is None else fill_value)

def take(input, index, dim=None, mode=None, fill_value=None):
  if mode in ("clip", "wrap"):
    extent = input.numel() if dim is None else input.shape[dim]
    at = index if isinstance(index, torch.Tensor) else torch.tensor(index)
    index = torch.clamp(at, 0, extent - 1) if mode == "clip" else at % extent
  if mode == "fill":
    axis = 0 if dim is None else dim % input.ndim
    filled = _with_fill(input.flatten() if dim is None else input, [axis], fill_value)
    at = index if isinstance(index, torch.Tensor) else torch.tensor(index)
    return filled[tuple([slice(None)] * axis + [_index_beyond(at, filled.shape[axis] - 1)])]
  if dim is None:
    return input.flatten()[index]
  axis = dim % input.ndim
  return input[tuple([slice(None)] * axis + [index])]

def jax_take(input, index, dim=None, mode=None, fill_value=None, unique_indices=False, indices_are_sorted=False):
  extent = input.numel() if dim is None else input.shape[dim]
  # JAX answers NaN for what lies outside, unless it is told otherwise.
  outside = mode if mode is not None or is_within(index, -extent, extent) else "fill"
  return take(input, index, dim, outside, fill_value)

def numpy_take(a, indices, axis=None, out=None, mode=None):
  return take(a, indices, axis, None if mode == "raise" else mode)

def jnp_take_along_axis(arr, indices, axis=-1, mode=None, fill_value=None):
  extent = arr.numel() if axis is None else arr.shape[axis]
  rows, at, dim = (arr.flatten(), indices.flatten(), 0) if axis is None else (arr, indices, axis % arr.ndim)
  if mode == "clip":
    return torch.take_along_dim(rows, torch.clamp(at, 0, extent - 1), dim)
  if mode != "fill" and is_within(at, -extent, extent):
    return torch.take_along_dim(rows, at if is_within(at, 0, extent) else torch.where(at < 0, at + extent, at), dim)
  return torch.take_along_dim(_with_fill(rows, [dim], fill_value), _index_beyond(at, extent), dim)

def tensor_unfold(input, dimension, size, step):
  rows = torch.moveaxis(input, dimension, -1)
  windows = F.unfold(rows.reshape(-1, 1, rows.shape[-1]), size, stride=step).transpose(1, 2)
  count = windows.shape[1]
  return torch.moveaxis(windows.reshape(list(rows.shape[:-1]) + [count, size]), -2, dimension if dimension >= 0 else dimension - 1)

def _with_inner(array, value, config):
  shape = [max(lo, 0) + max(hi, 0) + n + max(n - 1, 0) * inner for n, (lo, hi, inner) in zip(array.shape, config)]
  where = [slice(max(lo, 0), max(lo, 0) + n + max(n - 1, 0) * inner, inner + 1) for n, (lo, hi, inner) in zip(array.shape, config)]
  cut = [slice(max(-lo, 0), n - max(-hi, 0)) for n, (lo, hi, inner) in zip(shape, config)]
  return torch.full(shape, value).to(array.dtype).at[tuple(where)].set(array)[tuple(cut)]

def rev(operand, dimensions):
  return torch.flip(operand, dimensions)

def flax_pad(array, pad_width, mode="constant", constant_values=0):
  if isinstance(mode, (list, tuple)):
    return _with_inner(array, pad_width, mode)
  pairs = [pad_width] if isinstance(pad_width, int) or isinstance(pad_width[0], int) else list(pad_width)
  sides = [[pair, pair] if isinstance(pair, int) else [pair[0], pair[-1]] for pair in pairs]
  if len(sides) == 1:
    sides = sides * array.ndim
  flat = [side for pair in reversed(sides) for side in pair]
  if mode == "constant":
    return F.pad(array, tuple(flat), value=constant_values)
  return F.pad(array, tuple(flat), mode="replicate" if mode == "edge" else mode)

def jax_select(condlist: list, choicelist: list, default=0):
  value = default
  for condition, choice in reversed(list(zip(condlist, choicelist))):
    value = torch.where(condition, choice, value)
  return value

def bitwise_left_shift(input, other):
  return input * 2 ** other

def bitwise_right_shift(input, other):
  return input // 2 ** other

def unravel_index(indices, shape):
  coordinates = []
  rest = indices
  for extent in reversed(list(shape)):
    coordinates.append(rest % extent)
    rest = rest // extent
  return tuple(reversed(coordinates))

def diag(input, diagonal=0, k=0):
  offset = diagonal + k
  if input.ndim != 1:
    return torch.diagonal(input, offset)
  square = torch.where(torch.eye(input.shape[0]) > 0, input, torch.zeros_like(input))
  return F.pad(square, (offset, 0, 0, offset)) if offset >= 0 else F.pad(square, (0, -offset, -offset, 0))

def tri(N, M=None, k=0):
  return torch.tril(torch.ones(N, N if M is None else M), k)

def append(arr, values, dim=None):
  added = values if isinstance(values, torch.Tensor) else torch.full([1], values)
  if dim is None:
    return torch.cat([arr.flatten(), added.flatten()])
  return torch.cat([arr, added], dim=dim)

def round(input, decimals=0):
  scale = 10 ** decimals
  return torch.round(input * scale) / scale

def convolve(a, v, mode="full"):
  a, v = asarray(a), asarray(v)
  n = v.shape[0]
  around = {"full": n - 1, "same": n // 2, "valid": 0}[mode]
  whole = F.conv1d(a.reshape(1, 1, -1), torch.flip(v, [0]).reshape(1, 1, -1), padding=around).flatten()
  return whole[:a.shape[0]] if mode == "same" else whole

def jax_sum(input, dim=None, where=True, initial=0, keepdim=False):
  return torch.where(where, input, 0).sum(dim, keepdim) + initial

def jax_mean(input, dim=None, where=True, keepdim=False):
  held = torch.where(where, torch.ones_like(input), 0)
  return torch.where(where, input, 0).sum(dim, keepdim) / held.sum(dim, keepdim)

def jax_max(input, dim=None, where=True, initial=-math.inf, keepdim=False):
  return torch.maximum(torch.amax(torch.where(where, input, -math.inf), dim, keepdim), initial)

def jax_min(input, dim=None, where=True, initial=math.inf, keepdim=False):
  return torch.minimum(torch.amin(torch.where(where, input, math.inf), dim, keepdim), initial)

def nanmax(input, dim=None, keepdim=False):
  return torch.amax(torch.where(torch.isnan(input), -math.inf, input), dim, keepdim)

def nanmin(input, dim=None, keepdim=False):
  return torch.amin(torch.where(torch.isnan(input), math.inf, input), dim, keepdim)

def logit(input, eps=None):
  inside = input if eps is None else torch.clamp(input, eps, 1 - eps)
  return torch.log(inside) - torch.log1p(-inside)

def softplus(input, beta=1, threshold=20):
  scaled = input * beta
  return torch.where(scaled > threshold, input, torch.log1p(torch.exp(torch.clamp(scaled, max=threshold))) / beta)

def clamp(input, min=None, max=None):
  low = input if min is None else torch.maximum(input, min)
  return low if max is None else torch.minimum(low, max)

def norm(input, p=2, dim=None, keepdim=False):
  if p != "fro":
    raise ValueError("The p of a norm is a number, or fro for that of all elements.")
  return torch.norm(input, 2, dim, keepdim)

def jax_rint(input):
  return torch.round(input)

def fliplr(input):
  return torch.flip(input, [1])

def flipud(input):
  return torch.flip(input, [0])

def column_stack(tensors):
  return torch.cat([t.unsqueeze(1) if t.ndim == 1 else t for t in tensors], dim=1)

def diag_embed(input):
  rows = input.unsqueeze(-1)
  return torch.where(torch.eye(input.shape[-1]) > 0, rows, torch.zeros_like(rows))

def index_copy(input, dim, index, source):
  axis = dim % input.ndim
  rows = torch.moveaxis(input, axis, 0)
  return torch.moveaxis(rows.at[index].set(torch.moveaxis(source, axis, 0)), 0, axis)

def index_fill(input, dim, index, value):
  axis = dim % input.ndim
  hit = torch.zeros(input.shape[axis], dtype=torch.bool).at[index].set(True)
  shape = [1] * input.ndim
  shape[axis] = input.shape[axis]
  return torch.where(hit.reshape(shape), value, input)

def tensor_uniform_(input, a=0, b=1):
  return torch.rand(input.shape) * (b - a) + a

def tensor_normal_(input, mean=0, std=1):
  return torch.randn(input.shape) * std + mean

def tensor_exponential_(input, lambd=1):
  return -torch.log1p(-torch.rand(input.shape)) / lambd

def tensor_fill_(input, value):
  return torch.full_like(input, 1) * value if isinstance(value, torch.Tensor) else torch.full_like(input, value)

def tensor_zero_(input):
  return torch.zeros_like(input)

def tensor_copy_(input, src, non_blocking=False):
  return src.to(input.dtype).expand(input.shape)

def fill_diagonal_(input, fill_value, wrap=False):
  return torch.where(torch.eye(input.shape[0], input.shape[1]) > 0, fill_value, input)

def index_put(input, indices, values, accumulate=False):
  out = input.clone()
  key = tuple(indices)
  if accumulate:
    return out.at[key].add(values)
  return out.at[key].set(values)

def _keys(input, dim, index):
  lanes = [[-1 if b == a else 1 for b in range(input.ndim)] for a in range(input.ndim)]
  grids = [torch.arange(index.shape[a]).reshape(lanes[a]).expand(index.shape) for a in range(input.ndim)]
  return tuple([index if a == dim % input.ndim else grids[a] for a in range(input.ndim)])

def _scatter_along(input, axis, index, src, reduce, include_self):
  neutral = {"sum": 0.0, "mean": 0.0, "prod": 1.0, "amax": -math.inf, "amin": math.inf}[reduce]
  way = {"sum": "add", "mean": "add", "prod": "mul", "amax": "max", "amin": "min"}[reduce]
  if include_self and reduce != "mean":
    return scatter_elements(input, index, src, axis=axis, reduction=way)
  hits = scatter_elements(torch.zeros(input.shape), index, torch.ones(index.shape), axis=axis, reduction="add")
  start = input if include_self else torch.where(hits > 0, neutral, input)
  total = scatter_elements(start, index, src, axis=axis, reduction=way)
  if reduce != "mean":
    return total
  many = hits + 1 if include_self else torch.clamp(hits, min=1)
  return (total / many if input.is_floating_point() else torch.floor(total / many)).to(input.dtype)

def scatter_reduce(input, dim, index, src, reduce, include_self=True):
  if reduce not in ("sum", "prod", "amax", "amin", "mean"):
    raise ValueError("scatter_reduce reduces by sum, prod, mean, amax or amin.")
  axis = dim % input.ndim
  src = src[tuple([slice(0, n) for n in index.shape])]
  whole = all([index.shape[a] == input.shape[a] or a == axis for a in range(input.ndim)])
  if whole:
    return _scatter_along(input, axis, index, src, reduce, include_self)
  key = index if input.ndim == 1 else _keys(input, dim, index)
  neutral = {"sum": 0.0, "mean": 0.0, "prod": 1.0, "amax": -math.inf, "amin": math.inf}[reduce]
  hits = None
  if not include_self or reduce == "mean":
    hits = torch.zeros(input.shape).at[key].add(1.0)
  start = input if include_self else torch.where(hits > 0, neutral, input)
  if reduce == "prod":
    return start.at[key].multiply(src)
  if reduce == "amax":
    return start.at[key].max(src)
  if reduce == "amin":
    return start.at[key].min(src)
  total = start.at[key].add(src)
  if reduce == "sum":
    return total
  return total / (hits + 1 if include_self else torch.clamp(hits, min=1))

def conv(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1, padding_mode="zeros"):
  rank = weight.ndim - 2
  if padding_mode != "zeros":
    around = [padding] * rank if isinstance(padding, int) else list(padding)
    first, last = around[:rank], around[-rank:]
    sides = [side for a in range(rank) for side in (first[rank - 1 - a], last[rank - 1 - a])]
    return F.conv2d(F.pad(input, sides, mode=padding_mode), weight, bias, stride, 0, dilation, groups)
  spread = [dilation] * rank if isinstance(dilation, int) else list(dilation)
  around = [d * (k - 1) if padding == "same" else 0 for d, k in zip(spread, weight.shape[2:])]
  if padding == "same" and any([s != 1 for s in ([stride] if isinstance(stride, int) else stride)]):
    raise ValueError("padding='same' goes with a stride of 1: give the padding in numbers.")
  sides = [a // 2 for a in around] + [a - a // 2 for a in around]
  return F.conv2d(input, weight, bias, stride, sides, dilation, groups)

def spmm(input, mat2):
  return input @ mat2

def fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
  taps = [kernel_size] * 2 if isinstance(kernel_size, int) else list(kernel_size)
  extents = [output_size] * 2 if isinstance(output_size, int) else list(output_size)
  batch = [1] if input.ndim == 2 else [input.shape[0]]
  image = torch.zeros(batch + [input.shape[-2] // (taps[0] * taps[1])] + extents, dtype=input.dtype)
  columns, pull = vjp(lambda x: F.unfold(x, kernel_size, dilation, padding, stride), image)
  out = pull(input.reshape(columns.shape))[0]
  return out[0] if input.ndim == 2 else out
`;
