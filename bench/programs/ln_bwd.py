N, C = 8192, 1024
x: f32[N, C]
gamma: f32[C]
beta: f32[C]
dy: f32[N, C]
y, pull = vjp(lambda x, g, b: layer_norm(x, (C,), g, b), x, gamma, beta)
dx, dgamma, dbeta = pull(dy)
return dx, dgamma, dbeta
