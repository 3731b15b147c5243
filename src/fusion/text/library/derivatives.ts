/** @file What is given functions: Jacobians and Hessians from pullbacks and pushforwards in a batch, branches, scans. Written in the language itself. */

export const DERIVATIVES = String.raw`
class FunctionCtx:
  def __init__(self):
    self.saved_tensors = ()
    self.saved_variables = ()

  def save_for_backward(self, *tensors):
    self.saved_tensors = tensors
    self.saved_variables = tensors

  def save_for_forward(self, *tensors):
    self.forward_tensors = tensors

  def mark_dirty(self, *tensors):
    self.dirty_tensors = tensors

  def mark_non_differentiable(self, *tensors):
    self.non_differentiable = tensors

  def set_materialize_grads(self, value):
    self.materialize_grads = value
def jax_map(f, xs, batch_size=None):
  return jax.vmap(f)(xs)

def _basis(like):
  return torch.eye(like.numel()).reshape([like.numel()] + list(like.shape))

def _with(args, at, value):
  return [value if i == at else arg for i, arg in enumerate(args)]

def jacrev(func, argnums=0):
  return lambda *args: _jacrev(func, argnums, args)

def _jacrev(func, argnums, args):
  out, pull = jax.vjp(lambda x: func(*_with(args, argnums, x)), args[argnums])
  if not isinstance(out, torch.Tensor):
    raise ValueError("A Jacobian is taken of a function that answers one tensor.")
  rows = jax.vmap(pull)(_basis(out))[0]
  return rows.reshape(list(out.shape) + list(args[argnums].shape))

def jacfwd(func, argnums=0):
  return lambda *args: _jacfwd(func, argnums, args)

def _jacfwd(func, argnums, args):
  x = args[argnums]
  columns = jax.vmap(lambda dx: jax.jvp(lambda z: func(*_with(args, argnums, z)), (x,), (dx,))[1])(_basis(x))
  shape = list(columns.shape[1:])
  order = list(range(1, columns.ndim)) + [0]
  return columns.permute(order).reshape(shape + list(x.shape))

def _hessian(func, argnums):
  return jacfwd(lambda *args: _jacrev(func, argnums, args), argnums)

def hessian(func, argnums=0, create_graph=False, strict=False, vectorize=False):
  if isinstance(argnums, torch.Tensor):
    return functional_hessian(func, argnums)
  return _hessian(func, argnums)

def jacobian(func, inputs, create_graph=False, strict=False, vectorize=False, strategy="reverse-mode"):
  return functional_jacobian(func, inputs)

def _listed(inputs):
  return tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)

def _as_given(inputs, answers):
  return tuple(answers) if isinstance(inputs, (tuple, list)) else answers[0]

def _jacobians(func, inputs, out, pick):
  if isinstance(out, (tuple, list)):
    return tuple([_jacobians(func, inputs, one, pick + [i]) for i, one in enumerate(out)])
  given = _listed(inputs)
  def one(*args):
    answer = func(*args)
    for i in pick:
      answer = answer[i]
    return answer
  return _as_given(inputs, [_jacrev(one, i, given) for i in range(len(given))])

def functional_jacobian(func, inputs, create_graph=False, strict=False, vectorize=False, strategy="reverse-mode"):
  return _jacobians(func, inputs, func(*_listed(inputs)), [])

def functional_hessian(func, inputs, create_graph=False, strict=False, vectorize=False, outer_jacobian_strategy="reverse-mode"):
  given = _listed(inputs)
  n = len(given)
  rows = [_as_given(inputs, [_jacfwd(lambda *args: _jacrev(func, i, args), j, given) for j in range(n)]) for i in range(n)]
  return _as_given(inputs, rows)

def functional_vjp(func, inputs, v=None, create_graph=False, strict=False):
  out, pull = jax.vjp(func, *_listed(inputs))
  if v is None and not (isinstance(out, torch.Tensor) and out.numel() == 1):
    raise ValueError("The vector v is left out only where the function answers one number: give one of the shape of its result.")
  return out, _as_given(inputs, pull(torch.ones_like(out) if v is None else v))

def functional_jvp(func, inputs, v=None, create_graph=False, strict=False):
  given = _listed(inputs)
  if v is None and not (len(given) == 1 and given[0].numel() == 1):
    raise ValueError("The vector v is left out only where the function takes one number: give one of the shape of its inputs.")
  return jax.jvp(func, given, (torch.ones_like(given[0]),) if v is None else _listed(v))

def functional_hvp(func, inputs, v=None, create_graph=False, strict=False):
  given = _listed(inputs)
  if v is None and not (len(given) == 1 and given[0].numel() == 1):
    raise ValueError("The vector v is left out only where the function takes one number: give one of the shape of its inputs.")
  slopes = jax.grad(func, argnums=tuple(range(len(given))))
  out = func(*given)
  return out, _as_given(inputs, jax.jvp(lambda *args: slopes(*args), given, (torch.ones_like(given[0]),) if v is None else _listed(v))[1])

def functional_vhp(func, inputs, v=None, create_graph=False, strict=False):
  return functional_hvp(func, inputs, v)

def jax_jacobian(func, argnums=0):
  return jacrev(func, argnums)

def linearize(func, *primals):
  out = func(*primals)
  return out, lambda *tangents: jax.jvp(func, primals, tangents)[1]

def cond(pred, true_fun, false_fun, *operands):
  given = operands[0] if len(operands) == 1 and isinstance(operands[0], (list, tuple)) else operands
  if not isinstance(pred, torch.Tensor):
    return true_fun(*given) if pred else false_fun(*given)
  return jax.tree.map(lambda a, b: torch.where(pred, a, b), true_fun(*given), false_fun(*given))

def switch(index, branches, *operands):
  if not isinstance(index, torch.Tensor):
    return branches[max(0, min(index, len(branches) - 1))](*operands)
  at = torch.clamp(index, 0, len(branches) - 1)
  found = branches[0](*operands)
  for i in range(1, len(branches)):
    found = jax.tree.map(lambda a, b: torch.where(at == i, a, b), branches[i](*operands), found)
  return found

def associative_scan(fn, elems, reverse=False, axis=0):
  if reverse:
    elems = jax.tree.map(lambda x: torch.flip(x, [axis]), elems)
  n = jax.tree.leaves(elems)[0].shape[axis]
  step = 1
  while step < n:
    before = jax.tree.map(lambda x: x.narrow(axis, 0, n - step), elems)
    after = jax.tree.map(lambda x: x.narrow(axis, step, n - step), elems)
    joined = fn(before, after)
    elems = jax.tree.map(lambda x, y: torch.cat([x.narrow(axis, 0, step), y], dim=axis), elems, joined)
    step = 2 * step
  return jax.tree.map(lambda x: torch.flip(x, [axis]), elems) if reverse else elems
`;
