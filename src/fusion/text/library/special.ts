/** @file Special functions by the usual series, in the language itself. */

export const SPECIAL = String.raw`
def log(x, base):
  return torch.log(x) / torch.log(base)

def signbit(input):
  return input < 0

def ldexp(input, other):
  return input * torch.exp2(other.float())

def gcd(input, other):
  a, b = torch.abs(input), torch.abs(other)
  # Fibonacci numbers take longest: 46 steps for whole numbers of 32 bits.
  for _ in range(46):
    rest = torch.where(b == 0, a, a % torch.where(b == 0, 1, b))
    a, b = torch.where(b == 0, a, b), torch.where(b == 0, 0, rest)
  return a

def lcm(input, other):
  shared = gcd(input, other)
  return torch.abs(input // torch.where(shared == 0, 1, shared) * other)

def _quantized(input, scale, zero_point, quant_min, quant_max):
  return (torch.clamp(torch.round(input / scale) + zero_point, quant_min, quant_max) - zero_point) * scale

def fake_quantize_per_tensor_affine(input, scale, zero_point, quant_min, quant_max):
  return _quantized(input, scale, zero_point, quant_min, quant_max)

def fake_quantize_per_channel_affine(input, scale, zero_point, axis, quant_min, quant_max):
  lane = [-1 if a == axis % input.ndim else 1 for a in range(input.ndim)]
  return _quantized(input, scale.reshape(lane), zero_point.reshape(lane), quant_min, quant_max)

def _lanczos(x):
  # Lanczos with g = 7 and nine terms: 1e-15 in 64 bits, f32's own accuracy in 32.
  z = x - 1
  s = 0.99999999999980993 + 676.5203681218851 / (z + 1) - 1259.1392167224028 / (z + 2) + 771.32342877765313 / (z + 3)
  s = s - 176.61502916214059 / (z + 4) + 12.507343278686905 / (z + 5) - 0.13857109526572012 / (z + 6)
  s = s + 9.9843695780195716e-6 / (z + 7) + 1.5056327351493116e-7 / (z + 8)
  t = z + 7.5
  return 0.91893853320467274 + (z + 0.5) * torch.log(t) - t + torch.log(s)

def lgamma(input):
  small = input < 0.5
  mirrored = torch.where(small, 1 - input, input)
  value = _lanczos(mirrored)
  return torch.where(small, math.log(math.pi) - torch.log(torch.abs(torch.sin(math.pi * input))) - value, value)

def gammaln(input):
  return lgamma(input)

def digamma(input):
  small = input < 0.5
  x = torch.where(small, 1 - input, input)
  shift = 1 / x + 1 / (x + 1) + 1 / (x + 2) + 1 / (x + 3) + 1 / (x + 4) + 1 / (x + 5)
  y = x + 6
  r = 1 / (y * y)
  series = torch.log(y) - 0.5 / y - r * (1 / 12 - r * (1 / 120 - r * (1 / 252 - r * (1 / 240 - r / 132))))
  value = series - shift
  return torch.where(small, value - math.pi / torch.tan(math.pi * input), value)

def erfinv(input):
  # Giles, "Approximating the erfinv function" (2010): two polynomials, good to f32.
  w = -torch.log((1 - input) * (1 + input))
  near = w - 2.5
  far = torch.sqrt(w) - 3
  p = 2.81022636e-08
  for c in [3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087, -0.00125372503, -0.00417768164, 0.246640727, 1.50140941]:
    p = p * near + c
  q = -0.000200214257
  for c in [0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773, -0.0076224613, 0.00943887047, 1.00167406, 2.83297682]:
    q = q * far + c
  value = torch.where(w < 5, p, q) * input
  return torch.where(torch.abs(input) == 1, input * math.inf, value)
`;
