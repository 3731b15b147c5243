/** @file Products, distances and grids of coordinates, in the language itself. */

export const LINEAR_ALGEBRA = String.raw`
def add(input, other, alpha=1):
  return input + other * alpha

def sub(input, other, alpha=1):
  return input - other * alpha

def div(input, other, rounding_mode=None):
  if rounding_mode == "floor":
    return torch.floor_divide(input, other)
  if rounding_mode == "trunc":
    floor = torch.floor_divide(input, other)
    return floor + ((floor < 0) & (floor != input / other))
  return input / other

def equal(input, other):
  return torch.all(input == other)

def jax_equal(input, other):
  return input == other

def linalg_norm(input, ord=None, dim=None, keepdim=False):
  axes = [0, 1] if dim is None else [dim] if isinstance(dim, int) else list(dim)
  if ord is None or ord == "fro" or len(axes) == 1 or (dim is None and input.ndim != 2):
    return torch.norm(input, 2 if ord is None or ord == "fro" else ord, dim, keepdim)
  if ord == "nuc" or abs(ord) == 2:
    raise ValueError("This norm needs singular values, which no op here computes. Without ord, the norm is that of all elements.")
  along, across = axes if abs(ord) == 1 else [axes[1], axes[0]]
  sums = torch.sum(torch.abs(input), along, keepdim=True)
  found = torch.amax(sums, across, keepdim=True) if ord > 0 else torch.amin(sums, across, keepdim=True)
  return found if keepdim else torch.sum(found, axes)

def meshgrid(*tensors, indexing="ij", sparse=False):
  given = list(tensors[0]) if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else list(tensors)
  swapped = indexing == "xy" and len(given) > 1
  order = [given[1], given[0]] + given[2:] if swapped else given
  shape = [t.numel() for t in order]
  grids = [t.reshape([t.numel() if i == k else 1 for i in range(len(order))]) for k, t in enumerate(order)]
  full = grids if sparse else [g.expand(shape) for g in grids]
  return tuple([full[1], full[0]] + full[2:] if swapped else full)

def jax_meshgrid(*tensors, indexing="xy", sparse=False):
  return meshgrid(*tensors, indexing=indexing, sparse=sparse)

def cdist(x1, x2, p=2.0, compute_mode=None):
  apart = x1.unsqueeze(-2) - x2.unsqueeze(-3)
  if p == 2:
    return torch.sqrt((apart * apart).sum(-1))
  if p == 1:
    return torch.abs(apart).sum(-1)
  if p == math.inf:
    return torch.amax(torch.abs(apart), -1)
  if p == 0:
    return (apart != 0).float().sum(-1)
  return (torch.abs(apart) ** p).sum(-1) ** (1 / p)

def pairwise_distance(x1, x2, p=2.0, eps=1e-6, keepdim=False):
  apart = torch.abs(x1 - x2 + eps)
  if p == 2:
    return torch.sqrt((apart * apart).sum(-1, keepdim=keepdim))
  if p == 1:
    return apart.sum(-1, keepdim=keepdim)
  return (apart ** p).sum(-1, keepdim=keepdim) ** (1 / p)

def triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2.0, eps=1e-6, swap=False, reduction="mean"):
  near = pairwise_distance(anchor, positive, p, eps)
  far = pairwise_distance(anchor, negative, p, eps)
  if swap:
    far = torch.minimum(far, pairwise_distance(positive, negative, p, eps))
  loss = torch.relu(near - far + margin)
  if reduction == "none":
    return loss
  return loss.sum() if reduction == "sum" else loss.mean()

def cross(input, other, dim=-1):
  if input.shape[dim] != 3 or other.shape[dim] != 3:
    raise ValueError("A cross product is of vectors with three elements along dim.")
  a, b = torch.broadcast_tensors(input, other)
  return torch.roll(a, -1, dim) * torch.roll(b, -2, dim) - torch.roll(a, -2, dim) * torch.roll(b, -1, dim)

def broadcast_tensors(*tensors):
  given = list(tensors[0]) if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else list(tensors)
  rank = max([t.ndim for t in given])
  shapes = [[1] * (rank - t.ndim) + list(t.shape) for t in given]
  shape = [max([s[i] for s in shapes]) for i in range(rank)]
  return tuple([t.expand(shape) for t in given])

def kron(input, other):
  rank = max(input.ndim, other.ndim)
  a = [1] * (rank - input.ndim) + list(input.shape)
  b = [1] * (rank - other.ndim) + list(other.shape)
  left = input.reshape([s for n in a for s in (n, 1)])
  right = other.reshape([s for n in b for s in (1, n)])
  return (left * right).reshape([n * m for n, m in zip(a, b)])

def matrix_power(input, n):
  if n < 0:
    raise ValueError("A negative power of a matrix needs its inverse, which no graph of these ops has: solve by hand, or pass the inverse as an input.")
  if n == 0:
    return torch.eye(input.shape[-1]).expand(input.shape)
  if n == 1:
    return input
  half = _power(input, n // 2)
  square = half @ half
  return square if n % 2 == 0 else square @ input

def _power(input, n):
  result = input
  for i in range(n - 1):
    result = result @ input
  return result
`;
