/** @file Pictures and volumes read between their elements, at points that are data. Written in the language itself. */

export const SAMPLING = String.raw`
def _pixel(at, size, align_corners):
  return (at + 1) / 2 * (size - 1) if align_corners else ((at + 1) * size - 1) / 2

def _reflected(at, size, align_corners):
  span = size - 1 if align_corners else size
  if span == 0:
    return torch.zeros(at.shape)
  low = 0 if align_corners else -0.5
  away = torch.abs(at - low)
  within = away - 2 * span * torch.floor(away / (2 * span))
  return (span - torch.abs(within - span) + low).clamp(0, size - 1)

def _tap(rows, sizes, at):
  flat = at[0].clamp(0, sizes[0] - 1).int()
  for x, size in zip(at[1:], sizes[1:]):
    flat = flat * size + x.clamp(0, size - 1).int()
  n, c = rows.shape[:2]
  shape = list(flat.shape[1:])
  count = flat[0].numel()
  values = rows.gather(2, flat.reshape(n, 1, count).expand(n, c, count)).reshape([n, c] + shape)
  inside = [(x >= 0) & (x < size) for x, size in reversed(list(zip(at, sizes)))]
  return torch.where(functools.reduce(torch.logical_and, inside).unsqueeze(1), values, 0.0)

def _blended(rows, sizes, low, part, at):
  axis = len(at)
  if axis == len(sizes):
    return _tap(rows, sizes, at)
  near = _blended(rows, sizes, low, part, at + [low[axis]])
  far = _blended(rows, sizes, low, part, at + [low[axis] + 1])
  return near * (1 - part[axis]) + far * part[axis]

def _on_picture(at, size, padding_mode, align_corners):
  if padding_mode == "border":
    return at.clamp(0, size - 1)
  return _reflected(at, size, align_corners) if padding_mode == "reflection" else at

def _cubic_sampled(rows, sizes, at, padding_mode, align_corners):
  low = [torch.floor(x) for x in at]
  parts = [_cubic_weights(x - floor) for x, floor in zip(at, low)]
  y, x = [[_on_picture(floor + i, size, padding_mode, align_corners) for i in (-1, 0, 1, 2)] for floor, size in zip(low, sizes)]
  return sum([_tap(rows, sizes, [y[i], x[j]]) * (parts[0][i] * parts[1][j]).unsqueeze(1) for i in range(4) for j in range(4)])

def grid_sample(input, grid, mode="bilinear", padding_mode="zeros", align_corners=False):
  sizes = list(input.shape[2:])
  rank = len(sizes)
  if rank not in (2, 3) or grid.ndim != rank + 2 or grid.shape[-1] != rank:
    raise ValueError("grid_sample reads pictures, N×C×H×W, at points of N×H×W×2, and volumes, N×C×D×H×W, at points of N×D×H×W×3.")
  if mode == "bicubic" and rank == 3:
    raise ValueError("grid_sample reads volumes with bilinear or nearest: take one of these.")
  rows = input.flatten(2)
  at = [_pixel(grid[..., rank - 1 - axis], size, align_corners) for axis, size in enumerate(sizes)]
  if mode == "bicubic":
    return _cubic_sampled(rows, sizes, at, padding_mode, align_corners)
  if padding_mode == "border":
    at = [x.clamp(0, size - 1) for x, size in zip(at, sizes)]
  if padding_mode == "reflection":
    at = [_reflected(x, size, align_corners) for x, size in zip(at, sizes)]
  if mode == "nearest":
    return _tap(rows, sizes, [torch.round(x) for x in at])
  low = [torch.floor(x) for x in at]
  return _blended(rows, sizes, low, [(x - floor).unsqueeze(1) for x, floor in zip(at, low)], [])

def _places(size, align_corners):
  step = torch.arange(size).float()
  return step * 2 / (size - 1) - 1 if align_corners and size > 1 else (step * 2 + 1) / size - 1

def affine_grid(theta, size, align_corners=False):
  sizes = list(size[2:])
  rank = len(sizes)
  along = [_places(n, align_corners).reshape([n if k == axis else 1 for k in range(rank)] + [1]).expand(sizes + [1]) for axis, n in enumerate(sizes)]
  base = torch.cat(list(reversed(along)) + [torch.ones(sizes + [1])], dim=-1).reshape(1, -1, rank + 1)
  return (base @ theta.transpose(1, 2)).reshape([size[0]] + sizes + [rank])
`;
