/** @file Blocks of well-known models, whole: the programs that people come with. */
import type { Example } from "../example";

export const models: readonly Example[] = [
  {
    id: "mlp",
    chapter: "models",
    title: "MLP",
    sentence: "Each linear layer carries its bias and ReLU, so one kernel per layer is left.",
    text: `# Two hidden layers and the class scores
N = 1024
x: f32[N, 784]
w1: f32[512, 784] = param()
b1: f32[512] = param()
w2: f32[512, 512] = param()
b2: f32[512] = param()
w3: f32[10, 512] = param()
b3: f32[10] = param()

h1 = relu(linear(x, w1, b1))
h2 = relu(linear(h1, w2, b2))
logits = linear(h2, w3, b3)
`,
    granularity: "op",
    sizes: { name: "N", S: 128, M: 1024, L: 8192 },
    variants: [
      {
        id: "gradients",
        title: "with gradients",
        sentence: "The loss and the gradients of all weights: the ReLU and its mask end up inside the matmuls.",
        text: `# The loss of a small classifier and its gradients
N = 1024
x: f32[N, 784]
label: i32[N]
w1: f32[784, 512] = param()
b1: f32[512] = param()
w2: f32[512, 10] = param()
b2: f32[10] = param()

def loss_of(w1, b1, w2, b2):
    h = relu(x @ w1 + b1)
    return cross_entropy(h @ w2 + b2, label)

loss, (dw1, db1, dw2, db2) = value_and_grad(loss_of, argnums=(0, 1, 2, 3))(w1, b1, w2, b2)
`,
      },
    ],
  },
  {
    id: "resnet-block",
    chapter: "models",
    title: "ResNet block",
    sentence: "Both BatchNorms fold into the weights. The shortcut and the ReLU join the second convolution.",
    text: `# Two convolutions and a shortcut, at inference
N = 8
x: f32[N, 32, 32, 32]
w1: f32[32, 32, 3, 3] = param()
w2: f32[32, 32, 3, 3] = param()
gamma1: f32[32] = param()
beta1: f32[32] = param()
mean1: f32[32] = param()
var1: f32[32] = param(uniform(0.5, 1.5))
gamma2: f32[32] = param()
beta2: f32[32] = param()
mean2: f32[32] = param()
var2: f32[32] = param(uniform(0.5, 1.5))

h = relu(batch_norm(conv2d(x, w1, padding=1), mean1, var1, gamma1, beta1))
r = batch_norm(conv2d(h, w2, padding=1), mean2, var2, gamma2, beta2)
y = relu(r + x)
`,
    granularity: "op",
    sizes: { name: "N", S: 1, M: 8, L: 32 },
  },
  {
    id: "gpt-block",
    chapter: "models",
    title: "GPT block",
    sentence:
      "LayerNorm, attention and MLP of a decoder: the N×N scores never reach memory, and each shortcut is added in the kernel of a linear layer.",
    text: `# A GPT-2 block: attention, then an MLP, each behind a LayerNorm and a shortcut
N = 512
C, H = 256, 4
x: f32[N, C]
g1: f32[C] = param()
b1: f32[C] = param()
w_qkv: f32[3 * C, C] = param()
w_out: f32[C, C] = param()
g2: f32[C] = param()
b2: f32[C] = param()
w_up: f32[4 * C, C] = param()
w_down: f32[C, 4 * C] = param()

def heads(t):
    return t.view(N, H, C // H).transpose(0, 1)

q, k, v = linear(layer_norm(x, g1, b1), w_qkv).split(C, dim=-1)
a = scaled_dot_product_attention(heads(q), heads(k), heads(v), is_causal=True)
x1 = x + linear(a.transpose(0, 1).reshape(N, C), w_out)
h = gelu(linear(layer_norm(x1, g2, b2), w_up))
y = x1 + linear(h, w_down)
`,
    granularity: "op",
    sizes: { name: "N", S: 128, M: 512, L: 1024 },
  },
  {
    id: "llama-block",
    chapter: "models",
    title: "Llama block",
    sentence: "Grouped keys are read in place, and the two halves of SwiGLU share one pass over their input.",
    text: `# A Llama block: RMSNorm, rotary positions, shared keys and values, SwiGLU
N = 512
C, H, G, D = 256, 8, 2, 32
x: f32[N, C]
cos: f32[N, D]
sin: f32[N, D]
g1: f32[C] = param()
w_q: f32[H * D, C] = param()
w_k: f32[G * D, C] = param()
w_v: f32[G * D, C] = param()
w_o: f32[C, H * D] = param()
g2: f32[C] = param()
w_gate: f32[688, C] = param()
w_up: f32[688, C] = param()
w_down: f32[C, 688] = param()

def heads(t, n):
    return t.view(N, n, D).transpose(0, 1)

def rotate(t):
    a, b = t.chunk(2, dim=-1)
    return t * cos + torch.cat((-b, a), dim=-1) * sin

h = rms_norm(x, (C,), g1)
q = rotate(heads(linear(h, w_q), H))
k = rotate(heads(linear(h, w_k), G))
v = heads(linear(h, w_v), G)
a = scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
x1 = x + linear(a.transpose(0, 1).reshape(N, H * D), w_o)
m = rms_norm(x1, (C,), g2)
y = x1 + linear(silu(linear(m, w_gate)) * linear(m, w_up), w_down)
`,
    granularity: "op",
    sizes: { name: "N", S: 128, M: 512, L: 1024 },
  },
  {
    id: "vit-block",
    chapter: "models",
    title: "Vision transformer block",
    sentence: "Cutting the image into patches is a convolution, and adding the positions is part of it.",
    text: `# A vision transformer's first steps: patches of 4 by 4 become tokens, then one block
N = 32
C, H, T = 128, 4, 64
image: f32[N, 3, 32, 32]
w_patch: f32[C, 3, 4, 4] = param()
position: f32[T, C] = param()
g1: f32[C] = param()
b1: f32[C] = param()
w_qkv: f32[3 * C, C] = param()
w_out: f32[C, C] = param()
g2: f32[C] = param()
b2: f32[C] = param()
w_up: f32[4 * C, C] = param()
w_down: f32[C, 4 * C] = param()

def heads(t):
    return t.view(N, T, H, C // H).transpose(1, 2)

x = conv2d(image, w_patch, stride=4).flatten(2).transpose(1, 2) + position
q, k, v = linear(layer_norm(x, g1, b1), w_qkv).split(C, dim=-1)
a = scaled_dot_product_attention(heads(q), heads(k), heads(v))
x1 = x + linear(a.transpose(1, 2).reshape(N, T, C), w_out)
y = x1 + linear(gelu(linear(layer_norm(x1, g2, b2), w_up)), w_down)
`,
    granularity: "op",
    sizes: { name: "N", S: 4, M: 32, L: 128 },
  },
  {
    id: "unet-block",
    chapter: "models",
    title: "U-Net block",
    sentence: "SiLU and the time step's bias join the convolutions; the statistics of GroupNorm come before them.",
    text: `# A U-Net block of a diffusion model: two convolutions, the time step added between
N = 8
x: f32[N, 64, 16, 16]
t: f32[N, 256]
g1: f32[64] = param()
b1: f32[64] = param()
w1: f32[64, 64, 3, 3] = param()
w_t: f32[64, 256] = param()
b_t: f32[64] = param()
g2: f32[64] = param()
b2: f32[64] = param()
w2: f32[64, 64, 3, 3] = param()

h = conv2d(silu(group_norm(x, 8, g1, b1)), w1, padding=1)
h = h + linear(silu(t), w_t, b_t)[:, :, None, None]
h = conv2d(silu(group_norm(h, 8, g2, b2)), w2, padding=1)
y = x + h
`,
    granularity: "op",
    sizes: { name: "N", S: 1, M: 8, L: 32 },
  },
];
