/** @file Convolutions and windows with channels last, as flax has them, and the boxes of detectors. Written in the language itself. */

export const VISION = String.raw`
def _same_pads(sizes, windows, steps, spread):
  pads = [(0, 0)]
  for n, k, s, d in zip(sizes, windows, steps, spread):
    total = max((-(-n // s) - 1) * s + (k - 1) * d + 1 - n, 0)
    pads.append((total // 2, total - total // 2))
  return pads + [(0, 0)]

def _per_side(value, rank):
  return tuple(value) if isinstance(value, (tuple, list)) else (value,) * rank

def _channels_first(x):
  return x.permute(0, x.ndim - 1, *range(1, x.ndim - 1))

def _channels_last(x):
  return x.permute(0, *range(2, x.ndim), 1)

def _with_border(x, padding, windows, steps, spread):
  rank = x.ndim - 2
  if padding == "VALID":
    return x
  if padding == "SAME":
    return jnp.pad(x, _same_pads(x.shape[1:-1], windows, steps, spread))
  if padding == "CIRCULAR":
    return jnp.pad(x, _same_pads(x.shape[1:-1], windows, (1,) * rank, spread), mode="wrap")
  sides = [p if isinstance(p, (tuple, list)) else (p, p) for p in _per_side(padding, rank)]
  return jnp.pad(x, [(0, 0)] + sides + [(0, 0)])

class Conv:
  def __init__(self, features, kernel_size, strides=1, padding="SAME", input_dilation=1, kernel_dilation=1, feature_group_count=1, use_bias=True, kernel_init=None, bias_init=None, **options):
    self.features = features
    self.kernel_size = kernel_size
    self.strides = strides
    self.padding = padding
    self.kernel_dilation = kernel_dilation
    self.groups = feature_group_count
    self.use_bias = use_bias
    self.kernel_init = nn.initializers.lecun_normal() if kernel_init is None else kernel_init
    self.bias_init = jnp.zeros if bias_init is None else bias_init

  def forward(self, inputs):
    windows = _per_side(self.kernel_size, 1)
    rank = len(windows)
    x = inputs if inputs.ndim == rank + 2 else inputs[None]
    steps = _per_side(1 if self.strides is None else self.strides, rank)
    spread = _per_side(self.kernel_dilation, rank)
    kernel, bias = self.weights(windows + (x.shape[-1] // self.groups, self.features))
    x = _channels_first(_with_border(x, self.padding, windows, steps, spread))
    y = conv2d(x, kernel.permute(rank + 1, rank, *range(rank)), bias, stride=steps, dilation=spread, groups=self.groups)
    return _channels_last(y) if inputs.ndim == rank + 2 else _channels_last(y)[0]

  def weights(self, shape):
    kernel = hk.get_parameter("kernel", shape=shape, init=self.kernel_init)
    return kernel, hk.get_parameter("bias", shape=(self.features,), init=self.bias_init) if self.use_bias else None

class ConvTranspose(Conv):
  def __init__(self, features, kernel_size, strides=None, padding="SAME", kernel_dilation=None, use_bias=True, transpose_kernel=False, **options):
    super().__init__(features, kernel_size, strides, padding, kernel_dilation=kernel_dilation, use_bias=use_bias)
    self.transpose_kernel = transpose_kernel

  def forward(self, inputs):
    windows = _per_side(self.kernel_size, 1)
    rank = len(windows)
    x = inputs if inputs.ndim == rank + 2 else inputs[None]
    steps = _per_side(1 if self.strides is None else self.strides, rank)
    spread = _per_side(1 if self.kernel_dilation is None else self.kernel_dilation, rank)
    sizes = (self.features, x.shape[-1]) if self.transpose_kernel else (x.shape[-1], self.features)
    kernel, bias = self.weights(windows + sizes)
    y = lax.conv_transpose(x, kernel, steps, self.padding, spread, transpose_kernel=self.transpose_kernel)
    y = y if bias is None else y + bias
    return y if inputs.ndim == rank + 2 else y[0]

class nnx_Conv(Conv):
  def __init__(self, in_features, out_features, kernel_size, strides=1, rngs=None, **options):
    sides = tuple(kernel_size) if isinstance(kernel_size, (tuple, list)) else (kernel_size,)
    super().__init__(out_features, sides, strides, **options)
    self.kernel = nn.Parameter(torch.zeros(*sides, in_features // self.groups, out_features))
    self.bias = nn.Parameter(torch.zeros(out_features)) if self.use_bias else None

  def weights(self, shape):
    return self.kernel, self.bias

class haiku_Conv2D(Conv):
  def __init__(self, output_channels, kernel_shape, stride=1, rate=1, padding="SAME", with_bias=True, w_init=None, b_init=None, data_format="NHWC", mask=None, feature_group_count=1, name=None):
    sides = tuple(kernel_shape) if isinstance(kernel_shape, (tuple, list)) else (kernel_shape, kernel_shape)
    super().__init__(output_channels, sides, strides=stride, padding=padding, kernel_dilation=rate, feature_group_count=feature_group_count, use_bias=with_bias, kernel_init=w_init, bias_init=b_init)

def flax_avg_pool(inputs, window_shape, strides=None, padding="VALID", count_include_pad=True):
  rank = len(window_shape)
  steps = _per_side(1 if strides is None else strides, rank)
  x = _channels_first(_with_border(inputs, padding, window_shape, steps, (1,) * rank))
  return _channels_last(avg_pool2d(x, window_shape, steps))

def flax_max_pool(inputs, window_shape, strides=None, padding="VALID"):
  rank = len(window_shape)
  steps = _per_side(1 if strides is None else strides, rank)
  if padding == "VALID":
    return _channels_last(max_pool2d(_channels_first(inputs), window_shape, steps))
  pads = _same_pads(inputs.shape[1:-1], window_shape, steps, (1,) * rank) if padding == "SAME" else [(0, 0)] + list(padding) + [(0, 0)]
  return _channels_last(max_pool2d(_channels_first(jnp.pad(inputs, pads, constant_values=-jnp.inf)), window_shape, steps))

def box_area(boxes):
  return (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])

def box_iou(boxes1, boxes2):
  first = torch.maximum(boxes1[:, None, :2], boxes2[:, :2])
  last = torch.minimum(boxes1[:, None, 2:], boxes2[:, 2:])
  size = (last - first).clamp(min=0)
  inter = size[..., 0] * size[..., 1]
  return inter / (box_area(boxes1)[:, None] + box_area(boxes2) - inter)

def _taps(input, axis, at, weights):
  lane = [-1 if a == axis else 1 for a in range(input.ndim)]
  last = input.shape[axis] - 1
  parts = [torch.index_select(input, axis, torch.clamp(at + i, 0, last).int()) * w.reshape(lane) for i, w in weights]
  return sum(parts)

def _cubic_weights(t):
  near = lambda d: (1.25 * d - 2.25) * d * d + 1
  far = lambda d: ((-0.75 * d + 3.75) * d - 6) * d + 3
  return [far(t + 1), near(t), near(1 - t), far(2 - t)]

def _resized(input, axis, size, by, mode, corners):
  count = torch.arange(size).float()
  if mode == "nearest":
    return torch.index_select(input, axis, torch.clamp(torch.floor(count * by), 0, input.shape[axis] - 1).int())
  at = count * by if corners else (count + 0.5) * by - 0.5
  if mode != "bicubic":
    at = torch.clamp(at, min=0)
    first = torch.floor(at)
    return _taps(input, axis, first, [(0, 1 - at + first), (1, at - first)])
  first = torch.floor(at)
  return _taps(input, axis, first, list(zip((-1, 0, 1, 2), _cubic_weights(at - first))))

# That of jax.image: sizes of all axes, and the middles of elements at the middles of what they cover.
def resize(image, shape, method="linear", antialias=True, precision=None):
  way = {"nearest": "nearest", "linear": "bilinear", "bilinear": "bilinear", "trilinear": "bilinear", "triangle": "bilinear"}.get(method)
  if way is None:
    raise ValueError("jax.image.resize is known with nearest and linear.")
  for axis, (size, wanted) in enumerate(zip(image.shape, shape)):
    if wanted < size and way == "bilinear" and antialias:
      raise ValueError("jax.image.resize makes pictures larger; smaller ones are known with nearest or antialias=False.")
    if wanted != size and way == "nearest":
      at = torch.floor((torch.arange(wanted).float() + 0.5) * (size / wanted)).int()
      image = torch.index_select(image, axis, torch.clamp(at, 0, size - 1))
    elif wanted != size:
      image = _resized(image, axis, wanted, size / wanted, way, False)
  return image

def interpolate(input, size=None, scale_factor=None, mode: "bicubic" = "nearest", align_corners=False, recompute_scale_factor=None, antialias=False):
  if antialias:
    raise ValueError("interpolate is known without antialias=True.")
  if mode not in ("nearest", "linear", "bilinear", "trilinear", "bicubic", "area"):
    raise ValueError("interpolate has the modes nearest, linear, bilinear, trilinear, bicubic and area.")
  extents = input.shape[2:]
  given = size if scale_factor is None else scale_factor
  each = [given] * len(extents) if isinstance(given, (int, float)) else list(given)
  sizes = each if scale_factor is None else [int(n * s) for n, s in zip(extents, each)]
  if mode == "area":
    return F.interpolate(input, sizes, None, mode)
  for i, n in enumerate(extents):
    corners = align_corners and mode != "nearest"
    by = n / sizes[i] if scale_factor is None or recompute_scale_factor else 1 / each[i]
    if corners:
      by = (n - 1) / (sizes[i] - 1) if sizes[i] > 1 else 0.0
    if sizes[i] != n:
      input = _resized(input, i + 2, sizes[i], by, mode, corners)
  return input
`;
