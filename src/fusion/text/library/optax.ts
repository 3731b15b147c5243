/**
 * @file Optimizers as optax defines them: `init` answers a tree of what is carried along, `update` takes gradients and answers what is
 * added to the parameters, and the next tree. Written in the language itself.
 */

export const OPTAX = String.raw`
def apply_updates(params, updates):
  return jax.tree.map(lambda p, u: p + u, params, updates)

def global_norm(updates):
  return torch.sqrt(sum([(g * g).sum() for g in jax.tree.leaves(updates)]))

class _Chain:
  def __init__(self, parts):
    self.parts = parts

  def init(self, params):
    return [part.init(params) for part in self.parts]

  def update(self, updates, state, params=None, **extra):
    carried = []
    for part, own in zip(self.parts, state):
      updates, now = part.update(updates, own, params)
      carried = carried + [now]
    return updates, carried

class _Plain:
  def init(self, params):
    return ()

class _Moments:
  def __init__(self, b1, b2, eps, eps_root, nesterov=False):
    self.b1 = b1
    self.b2 = b2
    self.eps = eps
    self.eps_root = eps_root
    self.nesterov = nesterov

  def init(self, params):
    return {"count": torch.zeros(()), "mu": jax.tree.map(torch.zeros_like, params), "nu": jax.tree.map(torch.zeros_like, params)}

  def update(self, updates, state, params=None):
    b1, b2 = self.b1, self.b2
    t = state["count"] + 1
    mu = jax.tree.map(lambda m, g: b1 * m + (1 - b1) * g, state["mu"], updates)
    nu = jax.tree.map(lambda v, g: b2 * v + (1 - b2) * g * g, state["nu"], updates)
    if self.nesterov:
      ahead = jax.tree.map(lambda m, g: b1 * m / (1 - b1 ** (t + 1)) + (1 - b1) * g / (1 - b1 ** t), mu, updates)
    else:
      ahead = jax.tree.map(lambda m: m / (1 - b1 ** t), mu)
    updates = jax.tree.map(lambda m, v: m / (torch.sqrt(v / (1 - b2 ** t) + self.eps_root) + self.eps), ahead, nu)
    return updates, {"count": t, "mu": mu, "nu": nu}

class _Trace:
  def __init__(self, decay, nesterov):
    self.decay = decay
    self.nesterov = nesterov

  def init(self, params):
    return {"trace": jax.tree.map(torch.zeros_like, params)}

  def update(self, updates, state, params=None):
    trace = jax.tree.map(lambda m, g: g + self.decay * m, state["trace"], updates)
    if self.nesterov:
      return jax.tree.map(lambda m, g: g + self.decay * m, trace, updates), {"trace": trace}
    return trace, {"trace": trace}

class _Squares:
  def __init__(self, decay, eps, initial_scale):
    self.decay = decay
    self.eps = eps
    self.initial_scale = initial_scale

  def init(self, params):
    return {"nu": jax.tree.map(lambda p: torch.full_like(p, self.initial_scale), params)}

  def update(self, updates, state, params=None):
    nu = jax.tree.map(lambda v, g: self.decay * v + (1 - self.decay) * g * g, state["nu"], updates)
    return jax.tree.map(lambda v, g: g / torch.sqrt(v + self.eps), nu, updates), {"nu": nu}

class _Decay(_Plain):
  def __init__(self, weight_decay, mask=None):
    self.weight_decay = weight_decay
    self.mask = mask

  def update(self, updates, state, params=None):
    if self.mask is not None:
      decays = self.mask(params) if callable(self.mask) else self.mask
      return jax.tree.map(lambda g, p, m: g + self.weight_decay * p if m else g, updates, params, decays), state
    return jax.tree.map(lambda g, p: g + self.weight_decay * p, updates, params), state

class _Rate:
  def __init__(self, rate):
    self.rate = rate

  def init(self, params):
    return {"count": torch.zeros(())} if callable(self.rate) else ()

  def update(self, updates, state, params=None):
    rate = self.rate(state["count"]) if callable(self.rate) else self.rate
    now = {"count": state["count"] + 1} if callable(self.rate) else ()
    return jax.tree.map(lambda g: -rate * g, updates), now

class _NormLimit(_Plain):
  def __init__(self, max_norm):
    self.max_norm = max_norm

  def update(self, updates, state, params=None):
    scale = self.max_norm / torch.maximum(global_norm(updates), self.max_norm)
    return jax.tree.map(lambda g: g * scale, updates), state

class _Lion:
  def __init__(self, b1, b2):
    self.b1 = b1
    self.b2 = b2

  def init(self, params):
    return {"mu": jax.tree.map(torch.zeros_like, params)}

  def update(self, updates, state, params=None):
    signs = jax.tree.map(lambda m, g: torch.sign(self.b1 * m + (1 - self.b1) * g), state["mu"], updates)
    return signs, {"mu": jax.tree.map(lambda m, g: self.b2 * m + (1 - self.b2) * g, state["mu"], updates)}

def lion(learning_rate, b1=0.9, b2=0.99, mu_dtype=None, weight_decay=1e-3, mask=None):
  return _Chain([_Lion(b1, b2), _Decay(weight_decay, mask), _Rate(learning_rate)])

def scale_by_schedule(step_size_fn):
  return _Rate(lambda count: -step_size_fn(count))

def chain(*parts):
  return _Chain(parts)

def clip_by_global_norm(max_norm):
  return _NormLimit(max_norm)

def add_decayed_weights(weight_decay=0.0, mask=None):
  return _Decay(weight_decay, mask)

def scale_by_adam(b1=0.9, b2=0.999, eps=1e-8, eps_root=0.0, mu_dtype=None, nesterov=False):
  return _Moments(b1, b2, eps, eps_root, nesterov)

def scale_by_learning_rate(learning_rate, flip_sign=True):
  return _Rate(learning_rate)

def adam(learning_rate, b1=0.9, b2=0.999, eps=1e-8, eps_root=0.0, mu_dtype=None, nesterov=False):
  return _Chain([_Moments(b1, b2, eps, eps_root, nesterov), _Rate(learning_rate)])

def adamw(learning_rate, b1=0.9, b2=0.999, eps=1e-8, eps_root=0.0, mu_dtype=None, weight_decay=1e-4, mask=None, nesterov=False):
  return _Chain([_Moments(b1, b2, eps, eps_root, nesterov), _Decay(weight_decay, mask), _Rate(learning_rate)])

def sgd(learning_rate, momentum=None, nesterov=False, accumulator_dtype=None):
  return _Chain(([] if momentum is None else [_Trace(momentum, nesterov)]) + [_Rate(learning_rate)])

def rmsprop(learning_rate, decay=0.9, eps=1e-8, initial_scale=0.0, centered=False, momentum=None, nesterov=False):
  if centered:
    raise ValueError("rmsprop is not supported with centered=True")
  traced = [] if momentum is None else [_Trace(momentum, nesterov)]
  return _Chain([_Squares(decay, eps, initial_scale), _Rate(learning_rate)] + traced)

def constant_schedule(value):
  return lambda count: value

def linear_schedule(init_value, end_value, transition_steps, transition_begin=0):
  return lambda count: init_value + (end_value - init_value) * torch.clamp((count - transition_begin) / transition_steps, 0.0, 1.0)

def exponential_decay(init_value, transition_steps, decay_rate, transition_begin=0, staircase=False, end_value=None):
  if end_value is not None:
    free = exponential_decay(init_value, transition_steps, decay_rate, transition_begin, staircase)
    return lambda count: torch.clamp(free(count), min=end_value) if decay_rate < 1 else torch.clamp(free(count), max=end_value)
  if staircase:
    # Half a step more: a quotient that is just below a whole number on some device is not rounded down to the one before.
    return lambda count: init_value * decay_rate ** torch.floor((torch.clamp(count - transition_begin, min=0.0) + 0.5) / transition_steps)
  return lambda count: init_value * decay_rate ** (torch.clamp(count - transition_begin, min=0.0) / transition_steps)

def cosine_decay_schedule(init_value, decay_steps, alpha=0.0, exponent=1.0):
  return lambda count: init_value * ((1 - alpha) * (0.5 * (1 + torch.cos(math.pi * torch.clamp(count, max=decay_steps) / decay_steps))) ** exponent + alpha)

def polynomial_schedule(init_value, end_value, power, transition_steps, transition_begin=0):
  left = lambda count: 1 - torch.clamp(count - transition_begin, 0.0, transition_steps) / transition_steps
  return lambda count: (init_value - end_value) * left(count) ** power + end_value

def join_schedules(schedules, boundaries):
  return lambda count: _joined_rate(schedules, boundaries, count)

def _joined_rate(schedules, boundaries, count):
  rate = schedules[0](count)
  for boundary, schedule in zip(boundaries, schedules[1:]):
    rate = torch.where(count < boundary, rate, schedule(count - boundary))
  return rate

def warmup_cosine_decay_schedule(init_value, peak_value, warmup_steps, decay_steps, end_value=0.0, exponent=1.0):
  falls = cosine_decay_schedule(peak_value, decay_steps - warmup_steps, end_value / peak_value, exponent)
  return join_schedules([linear_schedule(init_value, peak_value, warmup_steps), falls], [warmup_steps])

def warmup_constant_schedule(init_value, peak_value, warmup_steps):
  return linear_schedule(init_value, peak_value, warmup_steps)

class TrainState:
  def __init__(self, apply_fn, params, tx, opt_state, step):
    self.apply_fn = apply_fn
    self.params = params
    self.tx = tx
    self.opt_state = opt_state
    self.step = step

  @classmethod
  def create(cls, apply_fn=None, params=None, tx=None, **others):
    return TrainState(apply_fn, params, tx, tx.init(params), torch.zeros(()))

  def apply_gradients(self, grads, **others):
    updates, opt_state = self.tx.update(grads, self.opt_state, self.params)
    return TrainState(self.apply_fn, apply_updates(self.params, updates), self.tx, opt_state, self.step + 1)
`;
