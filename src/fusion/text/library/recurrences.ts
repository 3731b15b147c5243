/** @file Recurrences whose steps combine in any grouping. Written in the language itself. */

export const RECURRENCES = String.raw`
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
