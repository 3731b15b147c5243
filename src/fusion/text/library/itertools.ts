/** @file Python's `itertools`, on what is known while the program is read. Written in the language itself. */

export const ITERTOOLS = String.raw`
def itertools_product(*iterables, repeat=1):
  found = [[]]
  for items in [list(each) for each in iterables] * repeat:
    found = [so + [item] for so in found for item in items]
  return [tuple(each) for each in found]

def itertools_permutations(iterable, r=None):
  items = list(iterable)
  found = [[]]
  for _ in range(len(items) if r is None else r):
    found = [so + [i] for so in found for i in range(len(items)) if i not in so]
  return [tuple([items[i] for i in each]) for each in found]

def itertools_combinations(iterable, r):
  items = list(iterable)
  return [tuple([items[i] for i in each]) for each in _choices(len(items), r)]

def itertools_combinations_with_replacement(iterable, r):
  items = list(iterable)
  found = [[]]
  for _ in range(r):
    found = [so + [i] for so in found for i in range(len(items)) if len(so) == 0 or i >= so[-1]]
  return [tuple([items[i] for i in each]) for each in found]

def itertools_chain(*iterables):
  return [item for each in iterables for item in each]

def itertools_from_iterable(iterable):
  return [item for each in iterable for item in each]

def itertools_islice(iterable, *bounds):
  start, stop, step = bounds if len(bounds) == 3 else (bounds[0], bounds[1], 1) if len(bounds) == 2 else (0, bounds[0], 1)
  items = list(iterable) if stop is None else [item for _, item in zip(range(stop), iterable)]
  return items[start::step]

def itertools_accumulate(iterable, func=None, initial=None):
  found = [] if initial is None else [initial]
  for item in iterable:
    found.append(item if len(found) == 0 else found[-1] + item if func is None else func(found[-1], item))
  return found

def itertools_zip_longest(*iterables, fillvalue=None):
  lists = [list(each) for each in iterables]
  count = max([len(each) for each in lists])
  return [tuple([each[i] if i < len(each) else fillvalue for each in lists]) for i in range(count)]

def itertools_starmap(function, iterable):
  return [function(*each) for each in iterable]

def itertools_pairwise(iterable):
  items = list(iterable)
  return [(items[i], items[i + 1]) for i in range(len(items) - 1)]

def itertools_batched(iterable, n):
  items = list(iterable)
  return [tuple(items[i : i + n]) for i in range(0, len(items), n)]

def itertools_tee(iterable, n=2):
  items = list(iterable)
  return tuple([items for _ in range(n)])

def itertools_compress(data, selectors):
  return [item for item, picked in zip(data, selectors) if picked]

def itertools_filterfalse(predicate, iterable):
  return [item for item in iterable if not (item if predicate is None else predicate(item))]

def itertools_takewhile(predicate, iterable):
  found = []
  for item in iterable:
    if not predicate(item):
      break
    found.append(item)
  return found

def itertools_dropwhile(predicate, iterable):
  items = list(iterable)
  while len(items) > 0 and predicate(items[0]):
    items = items[1:]
  return items

def itertools_groupby(iterable, key=None):
  found = []
  for item in iterable:
    of = item if key is None else key(item)
    if len(found) > 0 and found[-1][0] == of:
      found = found[:-1] + [(of, found[-1][1] + [item])]
    else:
      found = found + [(of, [item])]
  return found

def itertools_count(start=0, step=1):
  while True:
    yield start
    start = start + step

def itertools_cycle(iterable):
  items = list(iterable)
  while True:
    yield from items

def itertools_repeat(object, times=None):
  if times is not None:
    yield from [object] * times
  while times is None:
    yield object
`;
