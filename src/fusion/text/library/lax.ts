/** @file Functions of JAX's lax and numpy that PyTorch has no name for: contractions, convolutions and windows by their axes. Written in the language itself. */

export const LAX = String.raw`
def _product(sizes):
  all = 1
  for size in sizes:
    all = all * size
  return all

def dot_general(lhs, rhs, dimension_numbers, precision=None, preferred_element_type=None, out_type=None):
  (left, right), (lb, rb) = dimension_numbers
  lfree = [i for i in range(lhs.ndim) if i not in left and i not in lb]
  rfree = [i for i in range(rhs.ndim) if i not in right and i not in rb]
  batch = [lhs.shape[i] for i in lb]
  depth = _product([lhs.shape[i] for i in left])
  rows, columns = [lhs.shape[i] for i in lfree], [rhs.shape[i] for i in rfree]
  a = lhs.permute(list(lb) + lfree + list(left)).reshape(batch + [_product(rows), depth])
  b = rhs.permute(list(rb) + list(right) + rfree).reshape(batch + [depth, _product(columns)])
  return (a @ b).reshape(batch + rows + columns)

def _axis_of(spec, word):
  return [i for i, each in enumerate(spec) if each == word][0]

# The least padding that keeps every step of a window inside, the odd element behind.
def _window_pads(sizes, windows, steps):
  pads = []
  for size, window, step in zip(sizes, windows, steps):
    more = max((-(-size // step) - 1) * step + window - size, 0)
    pads.append((more // 2, more - more // 2))
  return pads

def conv_general_dilated(lhs, rhs, window_strides, padding, lhs_dilation=None, rhs_dilation=None, dimension_numbers=None, feature_group_count=1, batch_group_count=1, precision=None, preferred_element_type=None):
  space = lhs.ndim - 2
  if batch_group_count != 1:
    raise ValueError("conv_general_dilated is known without batch_group_count.")
  words = ["W", "HW", "DHW"][space - 1]
  specs = ("NC" + words, "OI" + words, "NC" + words) if dimension_numbers is None else dimension_numbers
  a, k, o = specs
  inner = [c for c in a if c != "N" and c != "C"]
  x = lhs.permute([_axis_of(a, c) for c in ["N", "C"] + inner])
  if lhs_dilation is not None and max(lhs_dilation) > 1:
    x = _with_inner(x, 0.0, [(0, 0, 0), (0, 0, 0)] + [(0, 0, d - 1) for d in lhs_dilation])
  w = rhs.permute([_axis_of(k, c) for c in ["O", "I"] + inner])
  dilation = [1] * space if rhs_dilation is None else list(rhs_dilation)
  windows = [(size - 1) * by + 1 for size, by in zip(w.shape[2:], dilation)]
  pads = padding
  if isinstance(padding, str):
    pads = _window_pads(x.shape[2:], windows, window_strides) if padding.upper() == "SAME" else [(0, 0)] * space
  x = F.pad(x, [side for pair in reversed(pads) for side in pair])
  convolve = [F.conv1d, F.conv2d, F.conv3d][space - 1]
  y = convolve(x, w, None, list(window_strides), 0, dilation, feature_group_count)
  order = ["N", "C"] + inner
  return y.permute([_axis_of(order, c) for c in o])

def _transposed_pads(windows, steps, padding):
  pads = []
  for k, s in zip(windows, steps):
    reach = k + s - 2 + (max(k - s, 0) if padding.upper() == "VALID" else 0)
    first = k - 1 if padding.upper() == "VALID" or s > k - 1 else -(-reach // 2)
    pads.append((first, reach - first))
  return pads

def flax_conv_transpose(lhs, rhs, strides, padding, rhs_dilation=None, dimension_numbers=None, transpose_kernel=False, precision=None, preferred_element_type=None):
  words = ["H", "HW", "DHW"][lhs.ndim - 3]
  a, k, o = ("N" + words + "C", words + "IO", "N" + words + "C") if dimension_numbers is None else dimension_numbers
  inner = [c for c in a if c != "N" and c != "C"]
  spread = [1] * len(inner) if rhs_dilation is None else list(rhs_dilation)
  windows = [(rhs.shape[_axis_of(k, c)] - 1) * d + 1 for c, d in zip(inner, spread)]
  pads = _transposed_pads(windows, strides, padding) if isinstance(padding, str) else padding
  if transpose_kernel:
    rhs = torch.flip(rhs, [_axis_of(k, c) for c in inner]).transpose(_axis_of(k, "I"), _axis_of(k, "O"))
  return conv_general_dilated(lhs, rhs, [1] * len(inner), pads, list(strides), spread, (a, k, o))

def conv_with_general_padding(lhs, rhs, window_strides, padding, lhs_dilation=None, rhs_dilation=None, precision=None):
  return conv_general_dilated(lhs, rhs, window_strides, padding, lhs_dilation, rhs_dilation)

def slice_in_dim(operand, start_index, limit_index, stride=1, axis=0):
  return operand[tuple([slice(None)] * (axis % operand.ndim) + [slice(start_index, limit_index, stride)])]

def reduce_window(operand, init_value, computation, window_dimensions, window_strides, padding, base_dilation=None, window_dilation=None):
  if base_dilation is not None or window_dilation is not None:
    raise ValueError("reduce_window is known without dilations.")
  pads = padding
  if isinstance(padding, str):
    none = [(0, 0)] * operand.ndim
    pads = _window_pads(operand.shape, window_dimensions, window_strides) if padding.upper() == "SAME" else none
  x = F.pad(operand, [side for pair in reversed(pads) for side in pair], value=init_value)
  counts = [(size - window) // step + 1 for size, window, step in zip(x.shape, window_dimensions, window_strides)]
  found = None
  offsets = [[]]
  for window in window_dimensions:
    offsets = [so + [i] for so in offsets for i in range(window)]
  for offset in offsets:
    part = x[tuple([slice(i, i + (n - 1) * step + 1, step) for i, n, step in zip(offset, counts, window_strides)])]
    found = part if found is None else computation(found, part)
  return found

def dot_product_attention(query, key, value, bias=None, mask=None, scale=None, is_causal=False, broadcast_dropout=True, dropout_rng=None, dropout_rate=0.0, deterministic=True, dtype=None, precision=None, implementation=None):
  single = query.ndim == 3
  q, k, v = [(t.unsqueeze(0) if single else t).transpose(-2, -3) for t in (query, key, value)]
  groups = q.shape[-3] // k.shape[-3]
  if groups > 1:
    k, v = [t.repeat_interleave(groups, dim=-3) for t in (k, v)]
  scores = q @ k.transpose(-2, -1) * (1 / math.sqrt(q.shape[-1]) if scale is None else scale)
  if bias is not None:
    scores = scores + bias
  if mask is not None:
    scores = torch.where(mask, scores, -math.inf)
  if is_causal:
    scores = scores + torch.full((scores.shape[-2], scores.shape[-1]), -math.inf).triu(1)
  y = (torch.softmax(scores, -1) @ v).transpose(-2, -3)
  return y.squeeze(0) if single else y

def sort_key_val(keys, values, dimension=-1, is_stable=True):
  order = torch.argsort(keys, dimension, stable=True)
  return torch.take_along_dim(keys, order, dimension), torch.take_along_dim(values, order, dimension)

def ix_(*args):
  lists = [a if isinstance(a, Tensor) else torch.tensor(a) for a in args]
  return tuple([a.reshape([-1 if i == at else 1 for i in range(len(lists))]) for at, a in enumerate(lists)])

def piecewise(input, condlist, funclist):
  usual = funclist[len(condlist)] if len(funclist) > len(condlist) else 0.0
  found = usual(input) if callable(usual) else usual
  for holds, of in zip(condlist, funclist):
    found = torch.where(holds, of(input) if callable(of) else of, found)
  return found

def apply_along_axis(func1d, axis, arr):
  last = arr.movedim(axis, -1)
  rows = torch.vmap(func1d)(last.reshape(-1, last.shape[-1]))
  if rows.ndim == 1:
    return rows.reshape(last.shape[:-1])
  return rows.reshape(list(last.shape[:-1]) + [rows.shape[-1]]).movedim(-1, axis)

def unwrap(p, discont=None, axis=-1, period=6.283185307179586):
  step = torch.diff(p, dim=axis)
  half = period / 2
  near = (step + half) % period - half
  near = torch.where((near == -half) & (step > 0), half, near)
  moved = torch.where(torch.abs(step) < (half if discont is None else discont), 0.0, near - step)
  first = [slice(None)] * (axis % p.ndim) + [slice(0, 1)]
  return p + torch.cat([torch.zeros_like(p[tuple(first)]), torch.cumsum(moved, axis)], axis)

def sized_flatnonzero(a, size, fill_value=0):
  flat = (a != 0).reshape(-1)
  first = torch.argsort(torch.logical_not(flat).int(), stable=True)[:size]
  found = first if size <= flat.shape[0] else torch.cat([first, torch.zeros(size - flat.shape[0], dtype=torch.int32)])
  return torch.where(torch.arange(size) < flat.sum(), found, fill_value)

def sized_nonzero(a, size, fill_value=0):
  at = sized_flatnonzero(a, size, 0)
  known = torch.arange(size) < (a != 0).sum()
  found = []
  inner = a.numel()
  for i, extent in enumerate(a.shape):
    inner = inner // extent
    fill = fill_value[i] if isinstance(fill_value, (tuple, list)) else fill_value
    found.append(torch.where(known, at // inner % extent, fill))
  return tuple(found)

def sized_where(condition, size, fill_value=0):
  return sized_nonzero(condition, size, fill_value)

def sized_argwhere(a, size, fill_value=0):
  return torch.stack(list(sized_nonzero(a, size, fill_value)), -1)

def sized_unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, size=None, fill_value=None):
  flat = ar.reshape(-1)
  order = torch.argsort(flat, stable=True)
  s = flat[order]
  isFirst = torch.cat([torch.ones(1, dtype=torch.bool), s[1:] != s[:-1]]) if s.shape[0] > 1 else torch.ones(1, dtype=torch.bool)
  known = torch.arange(size) < isFirst.sum()
  at = sized_flatnonzero(isFirst, size, 0)
  group = torch.cumsum(isFirst.int(), 0) - 1
  found = [torch.where(known, s[at], s[0] if fill_value is None else fill_value)]
  if return_index:
    found.append(order[at])
  if return_inverse:
    found.append(torch.zeros(flat.shape[0], dtype=torch.int32).scatter(0, order, group).reshape(ar.shape))
  if return_counts:
    found.append((group.unsqueeze(0) == torch.arange(size).unsqueeze(1)).int().sum(1))
  return tuple(found) if len(found) > 1 else found[0]

# The number of the bin of each value along edges, the last bin with its end; whether it lies in one.
def _binned(values, bins, range):
  flat = values.reshape(-1)
  if not isinstance(bins, int):
    edges = asarray(bins).float()
    count = edges.shape[0] - 1
    at = torch.clamp(searchsorted(edges, flat, right=True) - 1, 0, count - 1)
    return at, (flat >= edges[0]) & (flat <= edges[count]), edges
  low, high = (flat.min(), flat.max()) if range is None else range
  edges = low + (high - low) * torch.arange(bins + 1) / bins
  at = torch.clamp(torch.floor((flat - low) / (high - low) * bins), 0, bins - 1).int()
  return at, (flat >= low) & (flat <= high), edges

def _counted_in(columns, bins, range, weights, density):
  rank = len(columns)
  each = [bins] * rank if isinstance(bins, int) or (isinstance(bins, torch.Tensor) and rank > 1) else list(bins)
  ends = [None] * rank if range is None else list(range)
  found = [_binned(values, b, r) for values, b, r in zip(columns, each, ends)]
  counts = [edges.shape[0] - 1 for _, _, edges in found]
  flat, inside = found[0][0], found[0][1]
  for (at, within, _), count in zip(found[1:], counts[1:]):
    flat = flat * count + at
    inside = inside & within
  own = inside.float() if weights is None else inside * weights.reshape(-1)
  totals = torch.zeros(_product(counts)).scatter_add(0, flat, own).reshape(counts)
  if density:
    totals = totals / totals.sum()
    for axis, (_, _, edges) in enumerate(found):
      totals = totals / (edges[1:] - edges[:-1]).reshape([-1 if i == axis else 1 for i, _ in enumerate(counts)])
  return totals, [edges for _, _, edges in found]

def histogram(input, bins=10, range=None, weights=None, density=None, weight=None):
  counts, edges = _counted_in([input], [bins], None if range is None else [range], weight if weights is None else weights, density)
  return return_types("hist bin_edges", counts, edges[0])

def numpy_histogram(a, bins=10, range=None, density=None, weights=None):
  counts, edges = histogram(a, bins, range, weights, density)
  return (counts if density or weights is not None else counts.int()), edges

def histogram_bin_edges(a, bins=10, range=None, weights=None):
  return _binned(a, bins, range)[2]

def histogram2d(x, y, bins=10, range=None, density=None, weights=None):
  counts, edges = _counted_in([x, y], bins, range, weights, density)
  return counts, edges[0], edges[1]

def _columns(sample):
  rows = sample.reshape(-1, sample.shape[-1])
  return [rows[:, i] for i, _ in enumerate([0] * rows.shape[1])]

def numpy_histogramdd(sample, bins=10, range=None, density=None, weights=None):
  columns = _columns(sample) if isinstance(sample, torch.Tensor) else list(sample)
  return _counted_in(columns, bins, range, weights, density)

def histogramdd(input, bins, range=None, weight=None, density=False):
  ends = None if range is None else list(zip(range[0::2], range[1::2]))
  counts, edges = _counted_in(_columns(input), bins, ends, weight, density)
  return return_types("hist bin_edges", counts, edges)
`;
