/** @file What draws the numbers that weights begin with, as jax.nn.initializers, flax and haiku have it. Written in the language itself. */

export const INITIALIZER_DEFS = String.raw`
def _fans(shape, in_axis=-2, out_axis=-1):
  if len(shape) < 2:
    return 1 if len(shape) == 0 else shape[0], 1 if len(shape) == 0 else shape[0]
  inner = math.prod(shape) // (shape[in_axis] * shape[out_axis])
  return shape[in_axis] * inner, shape[out_axis] * inner

def _scaled(scale, mode, distribution, in_axis, out_axis, key, shape, dtype=None):
  fan_in, fan_out = _fans(shape, in_axis, out_axis)
  fan = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}[mode]
  if distribution == "uniform":
    return (torch.rand(shape) * 2 - 1) * (3 * scale / fan) ** 0.5
  return torch.randn(shape) * (scale / fan) ** 0.5

def _normal(stddev, key, shape, dtype=None):
  return torch.randn(shape) * stddev

def _uniform(scale, key, shape, dtype=None):
  return torch.rand(shape) * scale

def _constant(value, key, shape, dtype=None):
  return torch.full(shape, value)

def initializer_variance_scaling(scale, mode="fan_in", distribution="truncated_normal", in_axis=-2, out_axis=-1, **options):
  return partial(_scaled, scale, mode, distribution, in_axis, out_axis)

def initializer_glorot_normal(in_axis=-2, out_axis=-1, **options):
  return partial(_scaled, 1, "fan_avg", "normal", in_axis, out_axis)

def initializer_glorot_uniform(in_axis=-2, out_axis=-1, **options):
  return partial(_scaled, 1, "fan_avg", "uniform", in_axis, out_axis)

def initializer_lecun_normal(in_axis=-2, out_axis=-1, **options):
  return partial(_scaled, 1, "fan_in", "normal", in_axis, out_axis)

def initializer_lecun_uniform(in_axis=-2, out_axis=-1, **options):
  return partial(_scaled, 1, "fan_in", "uniform", in_axis, out_axis)

def initializer_he_normal(in_axis=-2, out_axis=-1, **options):
  return partial(_scaled, 2, "fan_in", "normal", in_axis, out_axis)

def initializer_he_uniform(in_axis=-2, out_axis=-1, **options):
  return partial(_scaled, 2, "fan_in", "uniform", in_axis, out_axis)

def initializer_orthogonal(scale=1.0, column_axis=-1, **options):
  return partial(_scaled, scale * scale, "fan_in", "normal", -2, -1)

def initializer_normal(stddev=0.01, **options):
  return partial(_normal, stddev)

def initializer_uniform(scale=0.01, **options):
  return partial(_uniform, scale)

def initializer_constant(value, **options):
  return partial(_constant, value)

def initializer_zeros_init():
  return partial(_constant, 0)

def initializer_ones_init():
  return partial(_constant, 1)

def initializer_zeros(key, shape, dtype=None):
  return torch.zeros(shape)

def initializer_ones(key, shape, dtype=None):
  return torch.ones(shape)
`;
