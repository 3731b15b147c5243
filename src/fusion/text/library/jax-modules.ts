/** @file What flax and haiku have of their own: contractions over named axes, norms of groups, nets, functions with their weights apart. Written in the language itself. */

export const JAX_MODULES = String.raw`
def make_causal_mask(x, extra_batch_dims=0, dtype=None):
  n = x.shape[-1]
  rows = torch.arange(n)
  return (rows.unsqueeze(1) >= rows).reshape(*[1] * (x.ndim - 1), 1, n, n).expand(*x.shape[:-1], 1, n, n)

def dense(input, kernel, bias=None):
  y = input @ kernel
  return y if bias is None else y + bias

class DenseGeneral:
  def __init__(self, features, axis=-1, use_bias=True, kernel_init=None, bias_init=None, **options):
    self.features = tuple(features) if isinstance(features, (tuple, list)) else (features,)
    self.axis = tuple(axis) if isinstance(axis, (tuple, list)) else (axis,)
    self.use_bias = use_bias
    self.kernel_init = nn.initializers.lecun_normal() if kernel_init is None else kernel_init
    self.bias_init = jnp.zeros if bias_init is None else bias_init

  def forward(self, inputs):
    axes = [axis % inputs.ndim for axis in self.axis]
    rest = [axis for axis in range(inputs.ndim) if axis not in axes]
    taken = tuple([inputs.shape[axis] for axis in axes])
    outer = tuple([inputs.shape[axis] for axis in rest])
    kernel, bias = self.weights(taken)
    x = inputs.permute(*rest, *axes).reshape(*outer, math.prod(taken))
    y = (x @ kernel.reshape(math.prod(taken), math.prod(self.features))).reshape(*outer, *self.features)
    return y if bias is None else y + bias

  def weights(self, taken):
    kernel = hk.get_parameter("kernel", shape=taken + self.features, init=self.kernel_init)
    return kernel, hk.get_parameter("bias", shape=self.features, init=self.bias_init) if self.use_bias else None

class flax_GroupNorm:
  def __init__(self, num_groups=32, group_size=None, epsilon=1e-6, use_bias=True, use_scale=True, bias_init=None, scale_init=None, **options):
    self.num_groups = num_groups
    self.group_size = group_size
    self.epsilon = epsilon
    self.use_bias = use_bias
    self.use_scale = use_scale
    self.bias_init = jnp.zeros if bias_init is None else bias_init
    self.scale_init = jnp.ones if scale_init is None else scale_init

  def forward(self, x):
    width = x.shape[-1]
    groups = self.num_groups if self.group_size is None else width // self.group_size
    parts = x.reshape(x.shape[0], math.prod(x.shape[1:-1]), groups, width // groups)
    centred = parts - parts.mean((1, 3), keepdim=True)
    spread = (centred * centred).mean((1, 3), keepdim=True)
    y = (centred * torch.rsqrt(spread + self.epsilon)).reshape(x.shape)
    scale, bias = self.weights(width)
    y = y if scale is None else y * scale
    return y if bias is None else y + bias

  def weights(self, width):
    scale = self.param("scale", self.scale_init, (width,)) if self.use_scale else None
    return scale, self.param("bias", self.bias_init, (width,)) if self.use_bias else None

class flax_BatchNorm:
  def __init__(self, use_running_average=None, axis=-1, momentum=0.99, epsilon=1e-5, dtype=None, param_dtype=None, use_bias=True, use_scale=True, bias_init=None, scale_init=None, axis_name=None, **options):
    self.use_running_average = use_running_average
    self.axis = axis
    self.momentum = momentum
    self.epsilon = epsilon
    self.use_bias = use_bias
    self.use_scale = use_scale
    self.bias_init = jnp.zeros if bias_init is None else bias_init
    self.scale_init = jnp.ones if scale_init is None else scale_init

  def forward(self, x, use_running_average=None):
    asked = self.use_running_average if use_running_average is None else use_running_average
    if asked is None:
      raise ValueError("BatchNorm needs use_running_average: False while it trains, True for what it has learned.")
    at = self.axis % x.ndim
    shape = [n if i == at else 1 for i, n in enumerate(x.shape)]
    rest = [i for i in range(x.ndim) if i != at]
    width = (x.shape[at],)
    running_mean = self.variable("batch_stats", "mean", jnp.zeros, width)
    running_var = self.variable("batch_stats", "var", jnp.ones, width)
    if asked:
      mean = running_mean.value.reshape(shape)
      var = running_var.value.reshape(shape)
    else:
      mean = x.mean(rest, keepdim=True)
      var = ((x - mean) * (x - mean)).mean(rest, keepdim=True)
      if not self.is_initializing():
        running_mean.value = self.momentum * running_mean.value + (1 - self.momentum) * mean.reshape(width)
        running_var.value = self.momentum * running_var.value + (1 - self.momentum) * var.reshape(width)
    y = (x - mean) * torch.rsqrt(var + self.epsilon)
    if self.use_scale:
      y = y * self.param("scale", self.scale_init, width).reshape(shape)
    return y + self.param("bias", self.bias_init, width).reshape(shape) if self.use_bias else y

class nnx_BatchNorm:
  def __init__(self, num_features, use_running_average=False, axis=-1, momentum=0.99, epsilon=1e-5, use_bias=True, use_scale=True, rngs=None, **options):
    self.use_running_average = use_running_average
    self.axis = axis
    self.momentum = momentum
    self.epsilon = epsilon
    self.mean = nnx.BatchStat(torch.zeros(num_features), requires_grad=False)
    self.var = nnx.BatchStat(torch.ones(num_features), requires_grad=False)
    self.scale = nn.Parameter(torch.ones(num_features)) if use_scale else None
    self.bias = nn.Parameter(torch.zeros(num_features)) if use_bias else None

  def forward(self, x, use_running_average=None):
    asked = use_running_average
    if asked is None:
      asked = self.use_running_average or not self.training
    at = self.axis % x.ndim
    shape = [n if i == at else 1 for i, n in enumerate(x.shape)]
    rest = [i for i in range(x.ndim) if i != at]
    mean, var = self.mean.reshape(shape), self.var.reshape(shape)
    if not asked:
      mean = x.mean(rest, keepdim=True)
      var = ((x - mean) * (x - mean)).mean(rest, keepdim=True)
      self.mean.value = self.momentum * self.mean.value + (1 - self.momentum) * mean.reshape(-1)
      self.var.value = self.momentum * self.var.value + (1 - self.momentum) * var.reshape(-1)
    y = (x - mean) * torch.rsqrt(var + self.epsilon)
    y = y if self.scale is None else y * self.scale.reshape(shape)
    return y if self.bias is None else y + self.bias.reshape(shape)

class nnx_GroupNorm(flax_GroupNorm):
  def __init__(self, num_features, num_groups=32, group_size=None, epsilon=1e-6, use_bias=True, use_scale=True, rngs=None, **options):
    super().__init__(num_groups, group_size, epsilon, use_bias, use_scale)
    self.scale = nn.Parameter(torch.ones(num_features)) if use_scale else None
    self.bias = nn.Parameter(torch.zeros(num_features)) if use_bias else None

  def weights(self, width):
    return self.scale, self.bias

class nnx_LinearGeneral(DenseGeneral):
  def __init__(self, in_features, out_features, axis=-1, use_bias=True, rngs=None, **options):
    super().__init__(out_features, axis, use_bias)
    taken = tuple(in_features) if isinstance(in_features, (tuple, list)) else (in_features,)
    self.kernel = nn.Parameter(torch.zeros(*taken, *self.features))
    self.bias = nn.Parameter(torch.zeros(*self.features)) if use_bias else None

  def weights(self, taken):
    return self.kernel, self.bias

class nnx_MultiHeadAttention:
  def __init__(self, num_heads, in_features, qkv_features=None, out_features=None, use_bias=True, decode=None, rngs=None, **options):
    features = qkv_features or in_features
    sizes = (num_heads, features // num_heads)
    self.num_heads = num_heads
    self.query = nnx_LinearGeneral(in_features, sizes, use_bias=use_bias)
    self.key = nnx_LinearGeneral(in_features, sizes, use_bias=use_bias)
    self.value = nnx_LinearGeneral(in_features, sizes, use_bias=use_bias)
    self.out = nnx_LinearGeneral(sizes, out_features or in_features, axis=(-2, -1), use_bias=use_bias)

  def forward(self, inputs_q, inputs_k=None, inputs_v=None, mask=None, **options):
    inputs_k = inputs_q if inputs_k is None else inputs_k
    inputs_v = inputs_k if inputs_v is None else inputs_v
    q, k, v = [of(t).transpose(-2, -3) for of, t in ((self.query, inputs_q), (self.key, inputs_k), (self.value, inputs_v))]
    return self.out(scaled_dot_product_attention(q, k, v, attn_mask=mask).transpose(-2, -3))

def _attend(query, weight):
  return query @ weight.T

class flax_GRUCell:
  def __init__(self, features, gate_fn=None, activation_fn=None, kernel_init=None, recurrent_kernel_init=None, bias_init=None, dtype=None, param_dtype=None, carry_init=None, name=None):
    self.features = features
    self.gate = jax.nn.sigmoid if gate_fn is None else gate_fn
    self.activation = jnp.tanh if activation_fn is None else activation_fn

  def initialize_carry(self, rng, input_shape):
    return torch.zeros(list(input_shape[:-1]) + [self.features])

  def forward(self, carry, inputs):
    h = carry
    r = self.gate(nn.Dense(self.features, name="ir")(inputs) + nn.Dense(self.features, use_bias=False, name="hr")(h))
    z = self.gate(nn.Dense(self.features, name="iz")(inputs) + nn.Dense(self.features, use_bias=False, name="hz")(h))
    n = self.activation(nn.Dense(self.features, name="in")(inputs) + r * nn.Dense(self.features, name="hn")(h))
    new = (1.0 - z) * n + z * h
    return new, new

class flax_LSTMCell:
  def __init__(self, features, gate_fn=None, activation_fn=None, kernel_init=None, recurrent_kernel_init=None, bias_init=None, dtype=None, param_dtype=None, carry_init=None, name=None):
    self.features = features
    self.gate = jax.nn.sigmoid if gate_fn is None else gate_fn
    self.activation = jnp.tanh if activation_fn is None else activation_fn

  def initialize_carry(self, rng, input_shape):
    shape = list(input_shape[:-1]) + [self.features]
    return torch.zeros(shape), torch.zeros(shape)

  def both(self, word, inputs, h):
    return nn.Dense(self.features, use_bias=False, name="i" + word)(inputs) + nn.Dense(self.features, name="h" + word)(h)

  def forward(self, carry, inputs):
    c, h = carry
    i = self.gate(self.both("i", inputs, h))
    f = self.gate(self.both("f", inputs, h))
    g = self.activation(self.both("g", inputs, h))
    o = self.gate(self.both("o", inputs, h))
    c = f * c + i * g
    h = o * self.activation(c)
    return (c, h), h

class flax_OptimizedLSTMCell(flax_LSTMCell):
  pass

class flax_RNN:
  def __init__(self, cell, time_major=False, return_carry=False, reverse=False, keep_order=False, unroll=1, name=None, **options):
    self.cell = cell
    self.time_major = time_major
    self.return_carry = return_carry
    self.reverse = reverse
    self.keep_order = keep_order

  def forward(self, inputs, initial_carry=None, **options):
    along = 0 if self.time_major else inputs.ndim - 2
    steps = inputs.unbind(along)
    carry = self.cell.initialize_carry(None, steps[0].shape) if initial_carry is None else initial_carry
    outs = []
    for x in (reversed(steps) if self.reverse else steps):
      carry, y = self.cell(carry, x)
      outs.append(y)
    found = torch.stack(list(reversed(outs)) if self.reverse and self.keep_order else outs, along)
    return (carry, found) if self.return_carry else found

class _Variable:
  def __init__(self, get, put):
    self.get = get
    self.put = put

  @property
  def value(self):
    return self.get()

  @value.setter
  def value(self, value):
    self.put(value)

def _variable(module, collection, name):
  return _Variable(lambda: module.get_variable(collection, name), lambda value: module.put_variable(collection, name, value))

class haiku_ExponentialMovingAverage:
  def __init__(self, decay, zero_debias=True, warmup_length=0, name=None):
    self.decay = decay
    self.zero_debias = zero_debias

  def forward(self, value, update_stats=True):
    counter = hk.get_state("counter", (), init=jnp.zeros) + 1
    hidden = hk.get_state("hidden", value.shape, init=jnp.zeros) * self.decay + value * (1 - self.decay)
    average = hidden / (1 - self.decay ** counter) if self.zero_debias else hidden
    self.shape = value.shape
    if update_stats:
      hk.set_state("counter", counter)
      hk.set_state("hidden", hidden)
      hk.set_state("average", average)
    return average

  def known(self, shape):
    return hk.get_state("average", shape, init=jnp.zeros)

  @property
  def average(self):
    return hk.get_state("average")

class haiku_BatchNorm:
  def __init__(self, create_scale, create_offset, decay_rate, eps=1e-5, scale_init=None, offset_init=None, axis=None, cross_replica_axis=None, cross_replica_axis_index_groups=None, data_format="channels_last", name=None):
    self.create_scale = create_scale
    self.create_offset = create_offset
    self.eps = eps
    self.scale_init = jnp.ones if scale_init is None else scale_init
    self.offset_init = jnp.zeros if offset_init is None else offset_init
    self.channels = 1 if data_format in ("channels_first", "NC...", "NCHW") else -1
    self.axis = axis
    self.mean_ema = haiku_ExponentialMovingAverage(decay_rate)
    self.var_ema = haiku_ExponentialMovingAverage(decay_rate)

  def forward(self, inputs, is_training, test_local_stats=False, scale=None, offset=None):
    at = self.channels % inputs.ndim
    rest = [i for i in range(inputs.ndim) if i != at] if self.axis is None else list(self.axis)
    shape = [1 if i in rest else n for i, n in enumerate(inputs.shape)]
    if is_training or test_local_stats:
      mean = inputs.mean(rest, keepdim=True)
      var = (inputs * inputs).mean(rest, keepdim=True) - mean * mean
    else:
      mean = self.mean_ema.known(shape)
      var = self.var_ema.known(shape)
    if is_training:
      self.mean_ema(mean)
      self.var_ema(var)
    width = [1 if i != at else n for i, n in enumerate(inputs.shape)]
    w = hk.get_parameter("scale", shape=width, init=self.scale_init) if self.create_scale else 1.0 if scale is None else scale
    b = hk.get_parameter("offset", shape=width, init=self.offset_init) if self.create_offset else 0.0 if offset is None else offset
    return (inputs - mean) * (w * torch.rsqrt(var + self.eps)) + b

class haiku_MLP:
  def __init__(self, output_sizes, w_init=None, b_init=None, with_bias=True, activation=jax.nn.relu, activate_final=False, name=None):
    self.activation = activation
    self.activate_final = activate_final
    self.layers = [hk.Linear(n, with_bias=with_bias, name=f"linear_{i}") for i, n in enumerate(output_sizes)]

  def forward(self, x):
    for i, layer in enumerate(self.layers):
      x = layer(x)
      if i < len(self.layers) - 1 or self.activate_final:
        x = self.activation(x)
    return x

class haiku_LayerNorm:
  def __init__(self, axis, create_scale, create_offset, eps=1e-5, scale_init=None, offset_init=None, use_fast_variance=False, name=None, param_axis=None):
    self.axis = axis
    self.create_scale = create_scale
    self.create_offset = create_offset
    self.eps = eps
    self.scale_init = jnp.ones if scale_init is None else scale_init
    self.offset_init = jnp.zeros if offset_init is None else offset_init

  def forward(self, inputs):
    centred = inputs - inputs.mean(self.axis, keepdim=True)
    y = centred * torch.rsqrt((centred * centred).mean(self.axis, keepdim=True) + self.eps)
    if self.create_scale:
      y = y * hk.get_parameter("scale", shape=(inputs.shape[-1],), init=self.scale_init)
    return y + hk.get_parameter("offset", shape=(inputs.shape[-1],), init=self.offset_init) if self.create_offset else y

def next_rng_key():
  return jax.random.PRNGKey(0)

class _Function:
  def __init__(self, f):
    self.f = f

  def __call__(self, *args, **options):
    return self.f(*args, **options)

class _Transformed:
  def __init__(self, f):
    self.function = _Function(f)

  def init(self, rng, *args, **options):
    return self.function.init(rng, *args, **options)

  def apply(self, params, rng, *args, **options):
    return self.function.apply(params, *args, **options)

class _TransformedWithState:
  def __init__(self, f):
    self.function = _Function(f)

  def init(self, rng, *args, **options):
    found = self.function.init(rng, *args, **options)
    return found["params"], (found["state"] if "state" in found else {})

  def apply(self, params, state, rng, *args, **options):
    result, after = self.function.apply({"params": params, "state": state}, *args, mutable=["state"], **options)
    return result, after["state"]

def transform_with_state(f):
  return _TransformedWithState(f)

def transform(f, apply_rng=True):
  return _Transformed(f)

def without_apply_rng(f):
  return f.function
`;
