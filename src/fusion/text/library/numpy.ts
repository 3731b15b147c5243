/** @file What NumPy has beside PyTorch: elements put in and left out, indices of flat arrays, sums without NaN, functions of numbers over arrays. Written in the language itself. */

export const NUMPY = String.raw`
def ediff1d(ary, to_end=None, to_begin=None):
  return torch.diff(ary.flatten())

# What stands before and behind the k-th element is in order, too.
def partition(a, kth, dim=-1):
  return torch.sort(a.flatten(), dim=0)[0] if dim is None else torch.sort(a, dim=dim)[0]

def argpartition(a, kth, dim=-1):
  return torch.argsort(a.flatten(), 0) if dim is None else torch.argsort(a, dim)

def array_equal(a1, a2, equal_nan=False):
  a, b = asarray(a1), asarray(a2)
  if list(a.shape) != list(b.shape):
    return torch.tensor(False)
  same = a == b
  return (same | (torch.isnan(a) & torch.isnan(b))).all() if equal_nan else same.all()

def array_equiv(a1, a2):
  return (asarray(a1) == asarray(a2)).all()

def indices(dimensions):
  return torch.stack(torch.meshgrid(*[torch.arange(n) for n in dimensions], indexing="ij"))

def fmax(x1, x2):
  return torch.where(torch.isnan(x1), x2, torch.where(torch.isnan(x1 * 0 + x2), x1, torch.maximum(x1, x1 * 0 + x2)))

def fmin(x1, x2):
  return -fmax(-x1, -x2)

def ravel_multi_index(multi_index, dims):
  at = 0
  for i, n in zip(multi_index, dims):
    at = at * n + i
  return at

def nancumsum(a, dim=None):
  known = torch.where(torch.isnan(a), 0.0, a)
  return torch.cumsum(known.flatten(), 0) if dim is None else torch.cumsum(known, dim)

def nancumprod(a, dim=None):
  known = torch.where(torch.isnan(a), 1.0, a)
  return torch.cumprod(known.flatten(), 0) if dim is None else torch.cumprod(known, dim)

def nanvar(a, dim=None, ddof=0, keepdim=False):
  known = ~torch.isnan(a)
  count = known.float().sum(dim, keepdim=True)
  mean = torch.where(known, a, 0.0).sum(dim, keepdim=True) / count
  found = (torch.where(known, a - mean, 0.0) ** 2).sum(dim, keepdim=True) / (count - ddof)
  return found if keepdim else found.reshape([]) if dim is None else found.squeeze(dim)

def nanstd(a, dim=None, ddof=0, keepdim=False):
  return torch.sqrt(nanvar(a, dim, ddof, keepdim))

def _array(value):
  return torch.full([], value) if isinstance(value, (int, float)) else asarray(value)

def insert(arr, obj, values, dim=None):
  flat, at = (arr.flatten(), 0) if dim is None else (arr, dim % arr.ndim)
  n = flat.shape[at]
  if not isinstance(obj, int):
    raise ValueError("insert puts values at one index that stands in the text: for several, join the parts with np.concatenate.")
  i = obj + n if obj < 0 else obj
  given = _array(values).to(flat.dtype)
  sizes = [1 if k == at else s for k, s in enumerate(flat.shape)]
  if given.ndim == 0:
    new = given.expand(sizes)
  elif flat.ndim == 1:
    new = given
  else:
    new = given if given.ndim == flat.ndim else given.unsqueeze(at).expand(sizes)
  return torch.cat([flat.narrow(at, 0, i), new, flat.narrow(at, i, n - i)], at)

def delete(arr, obj, dim=None):
  flat, at = (arr.flatten(), 0) if dim is None else (arr, dim % arr.ndim)
  n = flat.shape[at]
  gone = [obj] if isinstance(obj, int) else list(obj)
  left = [i for i in range(n) if i not in gone and i - n not in gone]
  return torch.index_select(flat, at, torch.tensor(left))

def numpy_resize(a, new_shape):
  sizes = [new_shape] if isinstance(new_shape, int) else list(new_shape)
  flat, count = a.flatten(), math.prod(sizes)
  return flat.repeat(-(-count // flat.shape[0]))[:count].reshape(sizes)

def vectorize(pyfunc, otypes=None, doc=None, excluded=None, cache=False, signature=None):
  if signature is not None:
    raise ValueError("vectorize is known without a signature: write vmap for each axis that it leaves out.")
  def over(*args):
    all = torch.broadcast_tensors(*[torch.full([1], arg) if isinstance(arg, (int, float)) else asarray(arg) for arg in args])
    return torch.vmap(pyfunc)(*[each.reshape(-1) for each in all]).reshape(all[0].shape)
  return over

def hsplit(input, indices_or_sections):
  return torch.tensor_split(input, indices_or_sections, dim=0 if input.ndim == 1 else 1)

def vsplit(input, indices_or_sections):
  return torch.tensor_split(input, indices_or_sections, dim=0)

def dsplit(input, indices_or_sections):
  return torch.tensor_split(input, indices_or_sections, dim=2)

def matrix_norm(A, ord="fro", dim=(-2, -1), keepdim=False):
  if ord not in ("fro", 1, -1, math.inf, -math.inf):
    raise ValueError("matrix_norm is known with 'fro', 1, -1, inf and -inf: the others need singular values.")
  rows, columns = [axis % A.ndim for axis in dim]
  if ord == "fro":
    found = torch.sqrt((A * A).sum((rows, columns), keepdim=True))
  else:
    first, second = (rows, columns) if abs(ord) == 1 else (columns, rows)
    sums = torch.abs(A).sum(first, keepdim=True)
    found = torch.amax(sums, second, keepdim=True) if ord > 0 else torch.amin(sums, second, keepdim=True)
  return found if keepdim else found.reshape([n for i, n in enumerate(A.shape) if i != rows and i != columns])

def triplet_margin_with_distance_loss(anchor, positive, negative, distance_function=None, margin=1.0, swap=False, reduction="mean"):
  apart = (lambda a, b: pairwise_distance(a, b)) if distance_function is None else distance_function
  near, far = apart(anchor, positive), apart(anchor, negative)
  if swap:
    far = torch.minimum(far, apart(positive, negative))
  return _reduced(torch.relu(near - far + margin), reduction)
`;
