/** @file Distributions as PyTorch has them: what they draw, and how likely a value is. Written in the language itself. */

export const DISTRIBUTIONS = String.raw`
def _sizes(sample_shape, *given):
  whole = None
  for each in given:
    if not isinstance(each, (int, float)):
      whole = each if whole is None else whole + each
  return list(sample_shape) + ([] if whole is None else list(whole.shape))

def _logits(probs):
  return torch.log(torch.clamp(probs, 1.1920929e-07, 1 - 1.1920929e-07))

class Distribution:
  def sample(self, sample_shape=()):
    return self.rsample(sample_shape).detach()

  def sample_n(self, n):
    return self.sample((n,))

  def perplexity(self):
    return torch.exp(self.entropy())

class Normal(Distribution):
  def __init__(self, loc, scale, validate_args=None):
    self.loc, self.scale = loc, scale
    self.mean, self.stddev, self.mode = loc, scale, loc
    self.variance = scale * scale

  def rsample(self, sample_shape=()):
    return self.loc + torch.randn(_sizes(sample_shape, self.loc, self.scale)) * self.scale

  def log_prob(self, value):
    apart = (value - self.loc) / self.scale
    return -0.5 * apart * apart - torch.log(self.scale) - 0.5 * math.log(2 * math.pi)

  def cdf(self, value):
    return 0.5 * (1 + torch.erf((value - self.loc) / (self.scale * math.sqrt(2))))

  def icdf(self, value):
    return self.loc + self.scale * torch.erfinv(2 * value - 1) * math.sqrt(2)

  def entropy(self):
    return 0.5 + 0.5 * math.log(2 * math.pi) + torch.log(self.scale)

  def _kl(self, other):
    ratio = (self.scale / other.scale) ** 2
    apart = ((self.loc - other.loc) / other.scale) ** 2
    return 0.5 * (ratio + apart - 1 - torch.log(ratio))

class LogNormal(Distribution):
  def __init__(self, loc, scale, validate_args=None):
    self.loc, self.scale = loc, scale
    self.base_dist = Normal(loc, scale)
    self.mean = torch.exp(loc + 0.5 * scale * scale)

  def rsample(self, sample_shape=()):
    return torch.exp(self.base_dist.rsample(sample_shape))

  def log_prob(self, value):
    return self.base_dist.log_prob(torch.log(value)) - torch.log(value)

  def entropy(self):
    return self.base_dist.entropy() + self.loc

class Laplace(Distribution):
  def __init__(self, loc, scale, validate_args=None):
    self.loc, self.scale = loc, scale
    self.mean = loc
    self.variance = 2 * scale * scale

  def rsample(self, sample_shape=()):
    u = torch.rand(_sizes(sample_shape, self.loc, self.scale)) - 0.5
    return self.loc - self.scale * torch.sign(u) * torch.log1p(-2 * torch.abs(u))

  def log_prob(self, value):
    return -torch.log(2 * self.scale) - torch.abs(value - self.loc) / self.scale

  def entropy(self):
    return 1 + torch.log(2 * self.scale)

class Uniform(Distribution):
  def __init__(self, low, high, validate_args=None):
    self.low, self.high = low, high
    self.mean = (low + high) / 2

  def rsample(self, sample_shape=()):
    return self.low + torch.rand(_sizes(sample_shape, self.low, self.high)) * (self.high - self.low)

  def log_prob(self, value):
    inside = (value >= self.low) & (value < self.high)
    return torch.where(inside, 0.0, -math.inf) - torch.log(self.high - self.low)

  def entropy(self):
    return torch.log(self.high - self.low)

class Exponential(Distribution):
  def __init__(self, rate, validate_args=None):
    self.rate = rate
    self.mean = 1 / rate

  def rsample(self, sample_shape=()):
    return -torch.log1p(-torch.rand(_sizes(sample_shape, self.rate))) / self.rate

  def log_prob(self, value):
    return torch.log(self.rate) - self.rate * value

  def entropy(self):
    return 1 - torch.log(self.rate)

class Beta(Distribution):
  def __init__(self, concentration1, concentration0, validate_args=None):
    self.concentration1, self.concentration0 = concentration1, concentration0
    self.mean = concentration1 / (concentration1 + concentration0)

  def rsample(self, sample_shape=()):
    raise ValueError("A beta distribution is drawn by trial, a number of times that depends on data: pass the samples as an input.")

  def log_prob(self, value):
    a, b = self.concentration1, self.concentration0
    total = torch.lgamma(a) + torch.lgamma(b) - torch.lgamma(a + b)
    return (a - 1) * torch.log(value) + (b - 1) * torch.log1p(-value) - total

class Poisson(Distribution):
  def __init__(self, rate, validate_args=None):
    self.rate, self.mean, self.variance = rate, rate, rate

  def rsample(self, sample_shape=()):
    raise ValueError("A Poisson distribution is drawn by trial, a number of times that depends on data: pass the samples as an input.")

  def log_prob(self, value):
    return value * torch.log(self.rate) - self.rate - torch.lgamma(value + 1)

class Categorical(Distribution):
  def __init__(self, probs=None, logits=None, validate_args=None):
    if logits is None:
      self.probs = probs / probs.sum(-1, keepdim=True)
      self.logits = _logits(self.probs)
    else:
      self.logits = torch.log_softmax(logits, -1)
      self.probs = torch.softmax(logits, -1)
    self.mode = torch.argmax(self.probs, -1)

  def rsample(self, sample_shape=()):
    u = torch.rand(_sizes(sample_shape, self.logits))
    return torch.argmax(self.logits - torch.log(-torch.log(u)), -1)

  def log_prob(self, value):
    classes = torch.arange(self.logits.shape[-1])
    return torch.where(value.unsqueeze(-1) == classes, self.logits, 0.0).sum(-1)

  def entropy(self):
    return -(self.probs * self.logits).sum(-1)

  def _kl(self, other):
    return (self.probs * (self.logits - other.logits)).sum(-1)

class OneHotCategorical(Categorical):
  def rsample(self, sample_shape=()):
    return one_hot(super().rsample(sample_shape), self.logits.shape[-1]).float()

  def log_prob(self, value):
    return (self.logits * value).sum(-1)

class Bernoulli(Distribution):
  def __init__(self, probs=None, logits=None, validate_args=None):
    if logits is None:
      self.probs = probs
      self.logits = torch.logit(probs)
    else:
      self.probs = torch.sigmoid(logits)
      self.logits = logits
    self.mean = self.probs
    self.variance = self.probs * (1 - self.probs)

  def rsample(self, sample_shape=()):
    return (torch.rand(_sizes(sample_shape, self.probs)) < self.probs).float()

  def log_prob(self, value):
    return value * self.logits - F.softplus(self.logits)

  def entropy(self):
    return F.softplus(self.logits) - self.probs * self.logits

  def _kl(self, other):
    return self.probs * (self.logits - other.logits) - F.softplus(self.logits) + F.softplus(other.logits)

class Independent(Distribution):
  def __init__(self, base_distribution, reinterpreted_batch_ndims, validate_args=None):
    self.base_dist = base_distribution
    self.ndims = reinterpreted_batch_ndims
    self.mean = base_distribution.mean

  def _joined(self, each):
    return each.sum(list(range(-self.ndims, 0))) if self.ndims > 0 else each

  def rsample(self, sample_shape=()):
    return self.base_dist.rsample(sample_shape)

  def log_prob(self, value):
    return self._joined(self.base_dist.log_prob(value))

  def entropy(self):
    return self._joined(self.base_dist.entropy())

  def _kl(self, other):
    return self._joined(self.base_dist._kl(other.base_dist))

def kl_divergence(p, q):
  return p._kl(q)

def _window(n, periodic, parts):
  step = torch.arange(n).float() * (2 * math.pi / (n if periodic else n - 1)) if n > 1 else torch.zeros(n)
  return sum([a * torch.cos(step * i) for i, a in enumerate(parts)])

def hann_window(window_length, periodic=True, **options):
  return _window(window_length, periodic, [0.5, -0.5])

def hamming_window(window_length, periodic=True, alpha=0.54, beta=0.46, **options):
  return _window(window_length, periodic, [alpha, -beta])

def blackman_window(window_length, periodic=True, **options):
  return _window(window_length, periodic, [0.42, -0.5, 0.08])

def hanning(M):
  return _window(M, False, [0.5, -0.5])

def hamming(M):
  return _window(M, False, [0.54, -0.46])

def blackman(M):
  return _window(M, False, [0.42, -0.5, 0.08])

def bartlett(M):
  return 1 - torch.abs(torch.arange(M).float() * (2 / (M - 1)) - 1)
`;
