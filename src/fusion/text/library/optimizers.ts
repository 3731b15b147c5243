/**
 * @file Optimizers as PyTorch defines them, for one parameter: `_slots` names what is carried along for it, `_update` answers its next
 * value and theirs; `_counts` says whether it asks which step this is. Schedules of their rates: `_rate` of a rate and of how often
 * the schedule has stepped. What clips gradients is given them and answers them. Written in the language itself.
 */

export const OPTIMIZERS = String.raw`
class Optimizer:
  def __init__(self, params, defaults):
    given = list(params)
    groups = given if len(given) > 0 and isinstance(given[0], dict) else [{"params": given}]
    self.defaults = defaults
    self.state = defaultdict(dict)
    self.param_groups = [{**defaults, **group, "params": list(group["params"])} for group in groups]

  def _counts(self):
    return True

  def _next(self, t):
    return t + 1

  def _decayed(self, p, g):
    g = -g if self.maximize else g
    return g if self.weight_decay == 0 else g + self.weight_decay * p

class SGD(Optimizer):
  def __init__(self, params, lr=0.001, momentum=0, dampening=0, weight_decay=0, nesterov=False, maximize=False, foreach=None, differentiable=False, fused=None):
    self.params = params
    self.lr = lr
    self.momentum = momentum
    self.dampening = dampening
    self.weight_decay = weight_decay
    self.nesterov = nesterov
    self.maximize = maximize

  def _counts(self):
    return self.dampening != 0

  def _slots(self):
    return ["momentum_buffer"] if isinstance(self.momentum, torch.Tensor) or self.momentum != 0 else []

  def _update(self, p, g, t, buf=None):
    g = self._decayed(p, g)
    if buf is None:
      return (p - self.lr * g,)
    if self.dampening == 0:
      buf = self.momentum * buf + g
    else:
      buf = where(t == 1, g, self.momentum * buf + (1 - self.dampening) * g)
    return p - self.lr * (g + self.momentum * buf if self.nesterov else buf), buf

class Adam(Optimizer):
  def __init__(self, params, lr=0.001, betas=(0.9, 0.999), eps=1e-08, weight_decay=0, amsgrad=False, foreach=None, maximize=False, capturable=False, differentiable=False, fused=None, decoupled_weight_decay=False):
    self.params = params
    self.lr = lr
    self.betas = betas
    self.eps = eps
    self.weight_decay = weight_decay
    self.amsgrad = amsgrad
    self.maximize = maximize
    self.decoupled_weight_decay = decoupled_weight_decay

  def _slots(self):
    return ["exp_avg", "exp_avg_sq", "max_exp_avg_sq"] if self.amsgrad else ["exp_avg", "exp_avg_sq"]

  def _update(self, p, g, t, m, v, most=None):
    b1, b2 = self.betas
    if self.decoupled_weight_decay:
      g = -g if self.maximize else g
      p = p if self.weight_decay == 0 else p * (1 - self.lr * self.weight_decay)
    else:
      g = self._decayed(p, g)
    m = b1 * m + (1 - b1) * g
    v = b2 * v + (1 - b2) * g * g
    if self.amsgrad:
      most = torch.maximum(most, v)
    size = torch.sqrt(v if most is None else most) / torch.sqrt(1 - b2 ** t) + self.eps
    p = p - self.lr / (1 - b1 ** t) * m / size
    return (p, m, v) if most is None else (p, m, v, most)

class AdamW(Adam):
  def __init__(self, params, lr=0.001, betas=(0.9, 0.999), eps=1e-08, weight_decay=0.01, amsgrad=False, maximize=False, foreach=None, capturable=False, differentiable=False, fused=None):
    super().__init__(params, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, amsgrad=amsgrad, maximize=maximize, decoupled_weight_decay=True)

class RMSprop(Optimizer):
  def __init__(self, params, lr=0.01, alpha=0.99, eps=1e-08, weight_decay=0, momentum=0, centered=False, capturable=False, foreach=None, maximize=False, differentiable=False):
    self.params = params
    self.lr = lr
    self.alpha = alpha
    self.eps = eps
    self.weight_decay = weight_decay
    self.momentum = momentum
    self.centered = centered
    self.maximize = maximize

  def _slots(self):
    return ["square_avg"] + (["grad_avg"] if self.centered else []) + (["momentum_buffer"] if self.momentum != 0 else [])

  def _update(self, p, g, t, v, *others):
    g = self._decayed(p, g)
    v = self.alpha * v + (1 - self.alpha) * g * g
    carried = [v]
    variance = v
    if self.centered:
      mean = self.alpha * others[0] + (1 - self.alpha) * g
      variance = v - mean * mean
      carried = carried + [mean]
    step = g / (torch.sqrt(variance) + self.eps)
    if self.momentum != 0:
      step = self.momentum * others[-1] + step
      carried = carried + [step]
    return [p - self.lr * step] + carried

class Adagrad(Optimizer):
  def __init__(self, params, lr=0.01, lr_decay=0, weight_decay=0, initial_accumulator_value=0, eps=1e-10, foreach=None, maximize=False, differentiable=False, fused=None):
    self.params = params
    self.lr = lr
    self.lr_decay = lr_decay
    self.weight_decay = weight_decay
    self.initial_accumulator_value = initial_accumulator_value
    self.eps = eps
    self.maximize = maximize

  def _slots(self):
    return ["sum"]

  def _update(self, p, g, t, total):
    g = self._decayed(p, g)
    total = total + g * g
    rate = self.lr if self.lr_decay == 0 else self.lr / (1 + (t - 1) * self.lr_decay)
    return p - rate * g / (torch.sqrt(total + self.initial_accumulator_value) + self.eps), total

def clip_grad_value_(parameters, clip_value, foreach=None):
  return [g.clamp(-clip_value, clip_value) for g in parameters]

def clip_grad_norm_(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None):
  total = 0.0
  for g in parameters:
    total = total + (torch.abs(g) ** norm_type if norm_type != 2.0 else g * g).sum()
  norm = torch.sqrt(total) if norm_type == 2.0 else total ** (1.0 / norm_type)
  scale = torch.clamp(max_norm / (norm + 1e-6), max=1.0)
  return [g * scale for g in parameters] + [norm]

class GradScaler:
  def __init__(self, *args, **kwargs):
    self.scaled = 1.0

  def scale(self, outputs):
    return outputs

  def unscale_(self, optimizer):
    self.scaled = 1.0

  def update(self, new_scale=None):
    self.scaled = 1.0

  def get_scale(self):
    return 1.0

class LRScheduler:
  def _begin(self, optimizer):
    self.optimizer = optimizer
    optimizer.schedulers = getattr(optimizer, "schedulers", []) + [self]

  def _next(self, t):
    return t + 1

class StepLR(LRScheduler):
  def __init__(self, optimizer, step_size, gamma=0.1, last_epoch=-1, verbose=False):
    self.step_size = step_size
    self.gamma = gamma
    self._begin(optimizer)

  def _rate(self, lr, t):
    # Half a step more: a quotient that is just below a whole number on some device is not rounded down to the one before.
    return lr * self.gamma ** torch.floor((t + 0.5) / self.step_size)

class MultiStepLR(LRScheduler):
  def __init__(self, optimizer, milestones, gamma=0.1, last_epoch=-1, verbose=False):
    self.milestones = milestones
    self.gamma = gamma
    self._begin(optimizer)

  def _rate(self, lr, t):
    for milestone in self.milestones:
      lr = torch.where(t >= milestone, lr * self.gamma, lr)
    return lr

class ExponentialLR(LRScheduler):
  def __init__(self, optimizer, gamma, last_epoch=-1, verbose=False):
    self.gamma = gamma
    self._begin(optimizer)

  def _rate(self, lr, t):
    return lr * self.gamma ** t

class LinearLR(LRScheduler):
  def __init__(self, optimizer, start_factor=1.0 / 3, end_factor=1.0, total_iters=5, last_epoch=-1, verbose=False):
    self.start_factor = start_factor
    self.end_factor = end_factor
    self.total_iters = total_iters
    self._begin(optimizer)

  def _rate(self, lr, t):
    part = torch.clamp(t, max=self.total_iters) / self.total_iters
    return lr * (self.start_factor + (self.end_factor - self.start_factor) * part)

class CosineAnnealingLR(LRScheduler):
  def __init__(self, optimizer, T_max, eta_min=0.0, last_epoch=-1, verbose=False):
    self.T_max = T_max
    self.eta_min = eta_min
    self._begin(optimizer)

  def _rate(self, lr, t):
    return self.eta_min + (lr - self.eta_min) * (1 + torch.cos(math.pi * t / self.T_max)) / 2

class ConstantLR(LRScheduler):
  def __init__(self, optimizer, factor=1.0 / 3, total_iters=5, last_epoch=-1, verbose=False):
    self.factor = factor
    self.total_iters = total_iters
    self._begin(optimizer)

  def _rate(self, lr, t):
    return torch.where(t < self.total_iters, lr * self.factor, lr)

class PolynomialLR(LRScheduler):
  def __init__(self, optimizer, total_iters=5, power=1.0, last_epoch=-1, verbose=False):
    self.total_iters = total_iters
    self.power = power
    self._begin(optimizer)

  def _rate(self, lr, t):
    return lr * (1 - torch.clamp(t, max=self.total_iters) / self.total_iters) ** self.power

class CosineAnnealingWarmRestarts(LRScheduler):
  def __init__(self, optimizer, T_0, T_mult=1, eta_min=0.0, last_epoch=-1, verbose=False):
    self.T_0 = T_0
    self.T_mult = T_mult
    self.eta_min = eta_min
    self._begin(optimizer)

  def _rate(self, lr, t):
    if self.T_mult == 1:
      part = (t % self.T_0) / self.T_0
    else:
      # A little more: a logarithm that is just below a whole number is not rounded down to the one before.
      cycle = torch.floor(torch.log(t / self.T_0 * (self.T_mult - 1) + 1.00001) / math.log(self.T_mult))
      length = self.T_0 * self.T_mult ** cycle
      part = (t - (length - self.T_0) / (self.T_mult - 1)) / length
    return self.eta_min + (lr - self.eta_min) * (1 + torch.cos(math.pi * part)) / 2

class OneCycleLR(LRScheduler):
  def __init__(self, optimizer, max_lr, total_steps=None, epochs=None, steps_per_epoch=None, pct_start=0.3, anneal_strategy="cos", cycle_momentum=True, base_momentum=0.85, max_momentum=0.95, div_factor=25.0, final_div_factor=10000.0, three_phase=False, last_epoch=-1, verbose=False):
    if three_phase:
      raise ValueError("OneCycleLR of three phases is not read here: leave three_phase out.")
    self.total = epochs * steps_per_epoch if total_steps is None else total_steps
    self.max_lr = max_lr
    self.top = pct_start * self.total - 1
    self.linear = anneal_strategy == "linear"
    self.momenta = (max_momentum, base_momentum) if cycle_momentum else None
    self.first = max_lr / div_factor
    self.last = self.first / final_div_factor
    self._begin(optimizer)

  def _between(self, a, b, part):
    return a + (b - a) * part if self.linear else b + (a - b) / 2 * (torch.cos(math.pi * part) + 1)

  def _cycle(self, first, top, last, t):
    rises = self._between(first, top, t / self.top)
    return torch.where(t <= self.top, rises, self._between(top, last, (t - self.top) / (self.total - 1 - self.top)))

  def _rate(self, lr, t):
    return self._cycle(self.first, self.max_lr, self.last, t)

  def _momentum(self, t):
    return None if self.momenta is None else self._cycle(self.momenta[0], self.momenta[1], self.momenta[0], t)

class SequentialLR(LRScheduler):
  def __init__(self, optimizer, schedulers, milestones, last_epoch=-1, verbose=False):
    self.parts = schedulers
    self.milestones = milestones
    self.optimizer = optimizer
    optimizer.schedulers = [self]

  def _rate(self, lr, t):
    rate = self.parts[0]._rate(lr, t)
    for milestone, part in zip(self.milestones, self.parts[1:]):
      rate = torch.where(t >= milestone, part._rate(lr, t - milestone), rate)
    return rate

def get_constant_schedule_with_warmup(optimizer, num_warmup_steps, last_epoch=-1):
  return LambdaLR(optimizer, lambda t: torch.clamp(t / max(1, num_warmup_steps), max=1.0))

def get_linear_schedule_with_warmup(optimizer, num_warmup_steps, num_training_steps, last_epoch=-1):
  rest = max(1, num_training_steps - num_warmup_steps)
  return LambdaLR(optimizer, lambda t: torch.where(t < num_warmup_steps, t / max(1, num_warmup_steps), torch.clamp((num_training_steps - t) / rest, min=0.0)))

def get_cosine_schedule_with_warmup(optimizer, num_warmup_steps, num_training_steps, num_cycles=0.5, last_epoch=-1):
  rest = max(1, num_training_steps - num_warmup_steps)
  falls = lambda t: torch.clamp(0.5 * (1 + torch.cos(math.pi * num_cycles * 2 * (t - num_warmup_steps) / rest)), min=0.0)
  return LambdaLR(optimizer, lambda t: torch.where(t < num_warmup_steps, t / max(1, num_warmup_steps), falls(t)))

class LambdaLR(LRScheduler):
  def __init__(self, optimizer, lr_lambda, last_epoch=-1, verbose=False):
    self.lr_lambda = lr_lambda
    self._begin(optimizer)

  def _rate(self, lr, t):
    return lr * self.lr_lambda(t)
`;
