N, C = 4096, 1024
x: f32[N, C]
up: f32[C, 4 * C] = param()
up_bias: f32[4 * C] = param()
down: f32[4 * C, C] = param()
down_bias: f32[C] = param()
target: f32[N, C]

def error(up, up_bias, down, down_bias):
    hidden = F.gelu(x @ up + up_bias, approximate="tanh")
    return ((hidden @ down + down_bias - target) ** 2).mean()

loss, (dup, dup_bias, ddown, ddown_bias) = value_and_grad(error, argnums=(0, 1, 2, 3))(up, up_bias, down, down_bias)
return loss, dup, dup_bias, ddown, ddown_bias
