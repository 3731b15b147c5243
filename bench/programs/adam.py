N = 4096
param: f32[N, N]
grad: f32[N, N]
m: f32[N, N]
v: f32[N, N] = uniform(0, 1)
m_next = 0.9 * m + 0.1 * grad
v_next = 0.999 * v + 0.001 * grad * grad
param_next = param - 0.001 * (m_next / 0.1) / (sqrt(v_next / 0.001) + 1e-8)
return param_next, m_next, v_next
