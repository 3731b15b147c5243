/**
 * @file What takes matrices apart, for small ones: eliminations and reflections row by row, written out. Rows are exchanged by comparing
 * them, so that the largest pivot is taken as LAPACK takes it. Written in the language itself.
 */

export const SMALL_MATRICES = String.raw`
def _checked(input):
  if input.ndim < 2 or max(input.shape[-2:]) > 8:
    raise ValueError("Matrices of up to 8×8 are taken apart here, row by row; larger ones, or what is no matrix, are not. Compute it elsewhere and pass the result as an input, or solve by iterations such as x = x - r * (a @ x - b).")
  return input

def _square(input):
  if input.shape[-1] != input.shape[-2]:
    raise ValueError("This takes square matrices: the last two axes have the same size.")
  return _checked(input)

def _lead(rows, i, k):
  return rows[i][..., k:k + 1]

def _pivoted(rows, k, n, sign):
  for i in range(k + 1, n):
    swap = torch.abs(_lead(rows, i, k)) > torch.abs(_lead(rows, k, k))
    upper = torch.where(swap, rows[i], rows[k])
    lower = torch.where(swap, rows[k], rows[i])
    rows = [upper if j == k else lower if j == i else row for j, row in enumerate(rows)]
    sign = None if sign is None else torch.where(swap, -sign, sign)
  return rows, sign

def _eliminated(rows, n):
  for k in range(n):
    rows, _ = _pivoted(rows, k, n, None)
    pivot = rows[k] / _lead(rows, k, k)
    rows = [pivot if j == k else row - row[..., k:k + 1] * pivot for j, row in enumerate(rows)]
  return torch.stack(rows, -2)[..., n:]

def _augmented(a, b):
  sizes = [list(a.shape[:-2]), list(b.shape[:-2])]
  rank = max([len(s) for s in sizes])
  padded = [[1] * (rank - len(s)) + s for s in sizes]
  batch = [max(x, y) for x, y in zip(padded[0], padded[1])]
  both = torch.cat([a.expand(batch + list(a.shape[-2:])), b.expand(batch + list(b.shape[-2:]))], -1)
  return [both[..., i, :] for i in range(a.shape[-2])]

def inv(A):
  n = _square(A).shape[-1]
  return _eliminated(_augmented(A, torch.eye(n)), n)

def inverse(input):
  return inv(input)

def solve(A, B, left=True):
  n = _square(A).shape[-1]
  if not left:
    return solve(A.mT, B.mT).mT
  isVector = B.ndim == 1 or (B.ndim == A.ndim - 1 and list(B.shape) == list(A.shape[:-1]))
  found = _eliminated(_augmented(A, B.unsqueeze(-1) if isVector else B), n)
  return found.squeeze(-1) if isVector else found

def _info(A, found):
  return torch.where(torch.isfinite(found).flatten(A.ndim - 2).all(-1), 0, A.shape[-1]).to(torch.int32)

def inv_ex(A, check_errors=False):
  found = inv(A)
  return return_types("inverse info", found, _info(A, found))

def solve_ex(A, B, left=True, check_errors=False):
  found = solve(A, B, left)
  return return_types("result info", found, _info(A, found))

def _pivots(A):
  n = _square(A).shape[-1]
  rows = [A[..., i, :] for i in range(n)]
  sign = torch.ones_like(A[..., 0, :1])
  for k in range(n):
    rows, sign = _pivoted(rows, k, n, sign)
    pivot = rows[k]
    rows = [row - row[..., k:k + 1] / _lead(rows, k, k) * pivot if j > k else row for j, row in enumerate(rows)]
  return [_lead(rows, k, k).squeeze(-1) for k in range(n)], sign.squeeze(-1)

def det(A):
  n = _square(A).shape[-1]
  a = [[A[..., i, j] for j in range(n)] for i in range(n)] if n < 4 else []
  if n == 1:
    return a[0][0]
  if n == 2:
    return a[0][0] * a[1][1] - a[0][1] * a[1][0]
  if n == 3:
    minors = [a[1][(j + 1) % 3] * a[2][(j + 2) % 3] - a[1][(j + 2) % 3] * a[2][(j + 1) % 3] for j in range(3)]
    return a[0][0] * minors[0] + a[0][1] * minors[1] + a[0][2] * minors[2]
  pivots, found = _pivots(A)
  for pivot in pivots:
    found = found * pivot
  return found

def slogdet(A):
  pivots, sign = _pivots(A)
  size = 0.0
  for pivot in pivots:
    sign = sign * torch.sign(pivot)
    size = size + torch.log(torch.abs(pivot))
  return return_types("sign logabsdet", sign, size)

def logdet(input):
  sign, size = slogdet(input)
  return torch.where(sign > 0, size, torch.where(sign == 0, -math.inf, math.nan))

def cholesky(input, upper=False):
  n = _square(input).shape[-1]
  # It reads the lower half; a change of either half counts half of it.
  middle = (input + input.mT) / 2
  a = middle + (input - middle).detach()
  found = []
  for i in range(n):
    row = []
    for j in range(i + 1):
      s = a[..., i, j]
      for k in range(j):
        s = s - row[k] * (row[k] if i == j else found[j][k])
      row.append(torch.sqrt(s) if i == j else s / found[j][j])
    found.append(row)
  zero = torch.zeros_like(a[..., 0, 0])
  lower = torch.stack([torch.stack(row + [zero] * (n - len(row)), -1) for row in found], -2)
  return lower.mT if upper else lower

def cholesky_ex(input, upper=False, check_errors=False):
  found = cholesky(input, upper)
  # The first minor that is not positive leaves a root of what is below 0.
  isNone = torch.isnan(torch.diagonal(found, dim1=-2, dim2=-1))
  return return_types("L info", found, torch.where(isNone.any(-1), isNone.int().argmax(-1) + 1, 0).to(torch.int32))

def solve_triangular(A, B, upper=None, left=True, unitriangular=False, lower=None, trans=0):
  n = _square(A).shape[-1]
  isUpper = (not lower) if upper is None else upper
  if trans != 0:
    return solve_triangular(A.mT, B, upper=not isUpper, unitriangular=unitriangular)
  if not left:
    return solve_triangular(A.mT, B.mT, upper=not isUpper, unitriangular=unitriangular).mT
  isVector = B.ndim == 1
  b = B.unsqueeze(-1) if isVector else B
  found = []
  order = list(reversed(range(n))) if isUpper else list(range(n))
  for at, i in enumerate(order):
    s = b[..., i, :]
    for other, x in zip(order[:at], found):
      s = s - A[..., i, other:other + 1] * x
    found.append(s if unitriangular else s / A[..., i, i:i + 1])
  rows = list(reversed(found)) if isUpper else found
  result = torch.stack(rows, -2)
  return result.squeeze(-1) if isVector else result

def cholesky_solve(B, L, upper=False):
  lower = L.mT if upper else L
  return solve_triangular(lower.mT, solve_triangular(lower, B, upper=False), upper=True)

def cho_factor(a, lower=False, overwrite_a=False, check_finite=True):
  L = torch.linalg.cholesky(a)
  return (L if lower else L.mT), lower

def cho_solve(c_and_lower, b, overwrite_b=False, check_finite=True):
  c, lower = c_and_lower
  found = cholesky_solve(b.unsqueeze(-1) if b.ndim == 1 else b, c, not lower)
  return found.squeeze(-1) if b.ndim == 1 else found

def cholesky_inverse(L, upper=False):
  return cholesky_solve(torch.eye(L.shape[-1]), L, upper)

def qr(A, mode="reduced"):
  m, n = _checked(A).shape[-2:]
  r = A
  q = torch.eye(m).expand(list(A.shape[:-2]) + [m, m])
  at = torch.arange(m)
  for k in range(min(m - 1, n)):
    x = torch.where(at >= k, r[..., :, k], 0.0)
    first = x[..., k:k + 1]
    rest = (torch.where(at > k, x, 0.0) ** 2).sum(-1, keepdim=True)
    norm = torch.sqrt(first * first + rest)
    v = x + torch.where(at == k, torch.where(first >= 0, norm, -norm), 0.0)
    # A column that is zero below stays as it is.
    isDone = rest == 0
    scale = torch.where(isDone, 0.0, 2.0 / torch.where(isDone, 1.0, (v * v).sum(-1, keepdim=True)))
    r = r - v.unsqueeze(-1) * (scale * (v.unsqueeze(-1) * r).sum(-2)).unsqueeze(-2)
    q = q - (q * v.unsqueeze(-2)).sum(-1, keepdim=True) * (scale * v).unsqueeze(-2)
  k = m if mode == "complete" else min(m, n)
  return return_types("Q R", q[..., :k], r[..., :k, :].triu())

# Columns that are orthogonal and of length 1, and what makes A of them: each is freed of the ones before, twice.
def _orthogonal(A):
  n = A.shape[-1]
  if n > 8:
    raise ValueError("Systems of up to 8 unknowns are solved here, column by column; larger ones are not. Compute it elsewhere and pass the result as an input, or solve by iterations such as x = x - r * a.T @ (a @ x - b).")
  columns, found = [], []
  for k in range(n):
    v = A[..., k]
    row = [torch.zeros_like(v[..., 0]) for _ in range(n)]
    for again in range(2):
      for i, q in enumerate(columns):
        part = (q * v).sum(-1)
        row[i] = row[i] + part
        v = v - q * part.unsqueeze(-1)
    row[k] = torch.sqrt((v * v).sum(-1))
    columns.append(v / row[k].unsqueeze(-1))
    found.append(torch.stack(row, -1))
  return torch.stack(columns, -1), torch.stack(found, -1)

def _least_squares(A, b):
  q, r = _orthogonal(A)
  return solve_triangular(r, q.mT @ b, upper=True)

def lstsq(A, B, rcond=None, driver=None):
  b = B.unsqueeze(-1) if B.ndim == 1 else B
  if A.shape[-2] < A.shape[-1]:
    # The shortest of all solutions.
    q, r = _orthogonal(A.mT)
    found = q @ solve_triangular(r.mT, b, upper=False)
  else:
    found = _least_squares(A, b)
  rest = ((A @ found - b) ** 2).sum(-2)
  solution = found.squeeze(-1) if B.ndim == 1 else found
  return return_types("solution residuals rank singular_values", solution, rest, min(A.shape[-2:]), None)

def pinv(A, rcond=None, hermitian=False):
  if A.shape[-2] < A.shape[-1]:
    return pinv(A.mT).mT
  return _least_squares(A, torch.eye(A.shape[-2]))

def _polynomial(x, y, deg):
  A = torch.stack([x ** (deg - k) if k < deg else torch.ones_like(x) for k in range(deg + 1)], -1)
  scale = torch.sqrt((A * A).sum(0))
  return _least_squares(A / scale, y.unsqueeze(-1)).squeeze(-1) / scale

def pinverse(input):
  return pinv(input)

def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
  return _polynomial(asarray(x) * 1.0, asarray(y) * 1.0, deg)
`;
