/** @file Complex numbers as pairs of tensors: rotations of positions as they are written with them, and short Fourier transforms as sums over cosines and sines. Written in the language itself. */

export const COMPLEX = String.raw`
def itemgetter(*keys):
  return (lambda item: item[keys[0]]) if len(keys) == 1 else (lambda item: tuple([item[key] for key in keys]))

def attrgetter(name):
  return lambda item: getattr(item, name)

class Complex:
  def __init__(self, re, im):
    self.real = re
    self.imag = im

  @property
  def shape(self):
    return self.real.shape

  @property
  def ndim(self):
    return self.real.ndim

  @property
  def device(self):
    return "device"

  @property
  def T(self):
    return Complex(self.real.T, self.imag.T)

  def _both(self, f):
    return Complex(f(self.real), f(self.imag))

  def size(self, *dim):
    return self.real.size(*dim)

  def dim(self):
    return self.real.ndim

  def is_complex(self):
    return True

  def to(self, *types, **options):
    return self

  def contiguous(self):
    return self

  def detach(self):
    return self

  def clone(self):
    return self

  def cpu(self):
    return self

  def view(self, *shape):
    return self._both(lambda part: part.reshape(*shape))

  def reshape(self, *shape):
    return self._both(lambda part: part.reshape(*shape))

  def unsqueeze(self, dim):
    return self._both(lambda part: part.unsqueeze(dim))

  def squeeze(self, *dim):
    return self._both(lambda part: part.squeeze(*dim))

  def transpose(self, dim0, dim1):
    return self._both(lambda part: part.transpose(dim0, dim1))

  def permute(self, *dims):
    return self._both(lambda part: part.permute(*dims))

  def expand(self, *sizes):
    return self._both(lambda part: part.expand(*sizes))

  def flatten(self, start_dim=0, end_dim=-1):
    return self._both(lambda part: part.flatten(start_dim, end_dim))

  def repeat(self, *sizes):
    return self._both(lambda part: part.repeat(*sizes))

  def sum(self, dim=None, keepdim=False):
    return self._both(lambda part: part.sum(dim, keepdim=keepdim))

  def mean(self, dim=None, keepdim=False):
    return self._both(lambda part: part.mean(dim, keepdim=keepdim))

  def conj(self):
    return Complex(self.real, -self.imag)

  def abs(self):
    return torch.sqrt(self.real * self.real + self.imag * self.imag)

  def angle(self):
    return torch.atan2(self.imag, self.real)

  def __getitem__(self, key):
    return Complex(self.real[key], self.imag[key])

  def __neg__(self):
    return Complex(-self.real, -self.imag)

  def __add__(self, other):
    return Complex(self.real + other.real, self.imag + other.imag) if isinstance(other, Complex) else Complex(self.real + other, self.imag)

  def __radd__(self, other):
    return self + other

  def __sub__(self, other):
    return self + -other

  def __rsub__(self, other):
    return -self + other

  def __mul__(self, other):
    if not isinstance(other, Complex):
      return Complex(self.real * other, self.imag * other)
    return Complex(self.real * other.real - self.imag * other.imag, self.real * other.imag + self.imag * other.real)

  def __rmul__(self, other):
    return self * other

  def __truediv__(self, other):
    if not isinstance(other, Complex):
      return Complex(self.real / other, self.imag / other)
    size = other.real * other.real + other.imag * other.imag
    return self * Complex(other.real / size, -other.imag / size)

def view_as_complex(input):
  if input.shape[-1] != 2:
    raise ValueError("view_as_complex takes pairs along the last axis.")
  return Complex(input[..., 0], input[..., 1])

def view_as_real(input):
  return torch.stack([input.real, input.imag], dim=-1)

def complex(real, imag):
  return Complex(real, imag)

def polar(abs, angle):
  return Complex(abs * torch.cos(angle), abs * torch.sin(angle))

def stft(input, n_fft, hop_length=None, win_length=None, window=None, center=True, pad_mode="reflect", normalized=False, onesided=True, return_complex=False):
  hop = n_fft // 4 if hop_length is None else hop_length
  long = n_fft if win_length is None else win_length
  shape = torch.ones(long) if window is None else window
  left = (n_fft - long) // 2
  shape = F.pad(shape, (left, n_fft - long - left))
  rows = input if input.ndim == 2 else input.unsqueeze(0)
  if center:
    rows = F.pad(rows.unsqueeze(1), (n_fft // 2, n_fft // 2), mode=pad_mode).squeeze(1)
  frames = rows.unfold(1, n_fft, hop) * shape
  bins = n_fft // 2 + 1 if onesided else n_fft
  # Multiples of a whole turn are dropped before the cosine, which is exact for small angles.
  turns = (torch.arange(n_fft).unsqueeze(1) * torch.arange(bins)) % n_fft
  angle = turns.float() * (2 * math.pi / n_fft)
  scale = n_fft ** -0.5 if normalized else 1.0
  re = (frames @ torch.cos(angle) * scale).transpose(1, 2)
  im = (frames @ -torch.sin(angle) * scale).transpose(1, 2)
  if input.ndim == 1:
    re, im = re.squeeze(0), im.squeeze(0)
  return Complex(re, im) if return_complex else torch.stack([re, im], dim=-1)
`;
