/** @file The programs of the page, each as its library's users would write it: ours as text, jax-js, TensorFlow.js, ONNX. */
import type { Array as JaxArray, lax, nn, numpy } from "@jax-js/jax";
import type * as Tf from "@tensorflow/tfjs-core";
import type { OnnxModel, Value } from "./onnx-model";

/** What a version in jax-js is written with. */
export interface Jax {
  readonly np: typeof numpy;
  readonly nn: typeof nn;
  readonly lax: typeof lax;
}

export interface PageProgram {
  readonly name: string;
  readonly text: string;
  /** Inputs come in the order of the text. */
  jax(jax: Jax, ...inputs: JaxArray[]): JaxArray[];
  tf(tf: typeof Tf, ...inputs: Tf.Tensor[]): Tf.Tensor[];
  /** Names of the results, in the order of the text. */
  onnx(model: OnnxModel, ...inputs: Value[]): Value[];
}

const geluTf = (tf: typeof Tf, x: Tf.Tensor): Tf.Tensor => {
  const cubed = tf.mul(tf.mul(tf.square(x), x), 0.044715);
  const inner = tf.mul(tf.add(x, cubed), Math.sqrt(2 / Math.PI));
  return tf.mul(tf.mul(x, 0.5), tf.add(tf.tanh(inner), 1));
};

const rowwise = (rows: number, columns: number): PageProgram[] => [
  {
    name: "gelu(x + b) + r",
    text: `x: f32[${rows}, ${columns}]\nb: f32[${columns}]\nr: f32[${rows}, ${columns}]\ny = gelu(x + b, approximate="tanh") + r\n`,
    jax: ({ nn }, x, b, r) => [nn.gelu(x!.add(b!), { approximate: true }).add(r!)],
    tf: (tf, x, b, r) => [tf.add(geluTf(tf, tf.add(x!, b!)), r!)],
    onnx: (m, x, b, r) => [m.op("Add", [m.op("Gelu", [m.op("Add", [x!, b!])], { approximate: "tanh" }), r!])],
  },
  {
    name: "softmax of rows",
    text: `x: f32[${rows}, ${columns}]\ny = softmax(x, dim=-1)\n`,
    jax: ({ nn }, x) => [nn.softmax(x!, -1)],
    tf: (tf, x) => [tf.softmax(x!, -1)],
    onnx: (m, x) => [m.op("Softmax", [x!], { axis: -1 })],
  },
  {
    name: "layer_norm, gelu",
    text: `x: f32[${rows}, ${columns}]\nw: f32[${columns}]\nb: f32[${columns}]\ny = gelu(layer_norm(x, w, b), approximate="tanh")\n`,
    jax({ np, nn }, x, w, b) {
      const away = x!.ref.sub(np.mean(x!, -1, { keepdims: true }));
      const variance = np.mean(np.square(away.ref), -1, { keepdims: true });
      const normal = away.mul(np.reciprocal(np.sqrt(variance.add(1e-5))));
      return [nn.gelu(normal.mul(w!).add(b!), { approximate: true })];
    },
    tf(tf, x, w, b) {
      const away = tf.sub(x!, tf.mean(x!, -1, true));
      const normal = tf.mul(away, tf.rsqrt(tf.add(tf.mean(tf.square(away), -1, true), 1e-5)));
      return [geluTf(tf, tf.add(tf.mul(normal, w!), b!))];
    },
    onnx: (m, x, w, b) => [
      m.op("Gelu", [m.op("LayerNormalization", [x!, w!, b!], { axis: -1, epsilon: 1e-5 })], { approximate: "tanh" }),
    ],
  },
  {
    name: "add, rms_norm",
    text: `x: f32[${rows}, ${columns}]\nr: f32[${rows}, ${columns}]\nw: f32[${columns}]\nt = x + r\ny = t * rsqrt((t * t).mean(dim=-1, keepdim=True) + 1e-6) * w\nreturn t, y\n`,
    jax({ np }, x, r, w) {
      const t = x!.add(r!);
      const scale = np.reciprocal(np.sqrt(np.mean(np.square(t.ref), -1, { keepdims: true }).add(1e-6)));
      return [t.ref, t.mul(scale).mul(w!)];
    },
    tf(tf, x, r, w) {
      const t = tf.add(x!, r!);
      return [t, tf.mul(tf.mul(t, tf.rsqrt(tf.add(tf.mean(tf.square(t), -1, true), 1e-6))), w!)];
    },
    onnx(m, x, r, w) {
      const t = m.op("Add", [x!, r!]);
      return [t, m.op("SimplifiedLayerNormalization", [t, w!], { axis: -1, epsilon: 1e-6 })];
    },
  },
  {
    name: "columns to mean 0, variance 1",
    text: `x: f32[${4 * rows}, ${columns / 4}]\nmean = x.mean(dim=0)\nvar = ((x - mean) ** 2).mean(dim=0)\ny = (x - mean) / sqrt(var + 1e-5)\n`,
    jax({ np }, x) {
      const away = x!.ref.sub(np.mean(x!, 0, { keepdims: true }));
      const variance = np.mean(np.square(away.ref), 0, { keepdims: true });
      return [away.div(np.sqrt(variance.add(1e-5)))];
    },
    tf(tf, x) {
      const away = tf.sub(x!, tf.mean(x!, 0, true));
      return [tf.div(away, tf.sqrt(tf.add(tf.mean(tf.square(away), 0, true), 1e-5)))];
    },
    onnx(m, x) {
      const axes = m.whole([0]);
      const away = m.op("Sub", [x!, m.op("ReduceMean", [x!, axes], { keepdims: 1 })]);
      const variance = m.op("ReduceMean", [m.op("Mul", [away, away]), axes], { keepdims: 1 });
      return [m.op("Div", [away, m.op("Sqrt", [m.op("Add", [variance, m.number(1e-5)])])])];
    },
  },
];

const adam = (rows: number, columns: number): PageProgram => ({
  name: "Adam step",
  text: `${["p", "g", "m"].map((name) => `${name}: f32[${rows}, ${columns}]\n`).join("")}v: f32[${rows}, ${columns}] = uniform(0, 1)
m_next = 0.9 * m + 0.1 * g
v_next = 0.999 * v + 0.001 * g * g
p_next = p - 0.001 * (m_next / 0.1) / (sqrt(v_next / 0.001) + 1e-8)
return p_next, m_next, v_next
`,
  jax({ np }, p, g, m, v) {
    const first = m!.mul(0.9).add(g!.ref.mul(0.1));
    const second = v!.mul(0.999).add(np.square(g!).mul(0.001));
    const step = first.ref
      .div(0.1)
      .mul(0.001)
      .div(np.sqrt(second.ref.div(0.001)).add(1e-8));
    return [p!.sub(step), first, second];
  },
  tf(tf, p, g, m, v) {
    const first = tf.add(tf.mul(m!, 0.9), tf.mul(g!, 0.1));
    const second = tf.add(tf.mul(v!, 0.999), tf.mul(tf.square(g!), 0.001));
    const step = tf.div(tf.mul(tf.div(first, 0.1), 0.001), tf.add(tf.sqrt(tf.div(second, 0.001)), 1e-8));
    return [tf.sub(p!, step), first, second];
  },
  onnx(o, p, g, m, v) {
    const times = (x: Value, factor: number): Value => o.op("Mul", [x, o.number(factor)]);
    const first = o.op("Add", [times(m!, 0.9), times(g!, 0.1)]);
    const second = o.op("Add", [times(v!, 0.999), times(o.op("Mul", [g!, g!]), 0.001)]);
    const root = o.op("Add", [o.op("Sqrt", [o.op("Div", [second, o.number(0.001)])]), o.number(1e-8)]);
    const step = o.op("Div", [times(o.op("Div", [first, o.number(0.1)]), 0.001), root]);
    return [o.op("Sub", [p!, step]), first, second];
  },
});

const products = (n: number, heads: number, length: number): PageProgram[] => [
  {
    name: "relu(a @ b + c)",
    text: `a: f32[${n}, ${n}]\nb: f32[${n}, ${n}]\nc: f32[${n}]\ny = relu(a @ b + c)\n`,
    jax: ({ np, nn }, a, b, c) => [nn.relu(np.matmul(a!, b!).add(c!))],
    tf: (tf, a, b, bias) => [tf.fused.matMul({ a: a!, b: b!, bias: bias!, activation: "relu" })],
    onnx: (m, a, b, c) => [m.op("Relu", [m.op("Gemm", [a!, b!, c!])])],
  },
  {
    name: "SwiGLU layer",
    text: `x: f32[${n}, ${n}]\ngate: f32[${n}, ${2 * n}] = param()\nup: f32[${n}, ${2 * n}] = param()\ndown: f32[${2 * n}, ${n}] = param()\ny = (silu(x @ gate) * (x @ up)) @ down\n`,
    jax: ({ np, nn }, x, gate, up, down) => [
      np.matmul(nn.silu(np.matmul(x!.ref, gate!)).mul(np.matmul(x!, up!)), down!),
    ],
    tf(tf, x, gate, up, down) {
      const hidden = tf.matMul(x!, gate!);
      return [tf.matMul(tf.mul(tf.mul(hidden, tf.sigmoid(hidden)), tf.matMul(x!, up!)), down!)];
    },
    onnx(m, x, gate, up, down) {
      const hidden = m.op("MatMul", [x!, gate!]);
      const silu = m.op("Mul", [hidden, m.op("Sigmoid", [hidden])]);
      return [m.op("MatMul", [m.op("Mul", [silu, m.op("MatMul", [x!, up!])]), down!])];
    },
  },
  {
    name: "attention",
    text: `q: f32[${heads}, ${length}, 64]\nk: f32[${heads}, ${length}, 64]\nv: f32[${heads}, ${length}, 64]\ny = softmax(q @ k.transpose(1, 2) * 0.125, dim=-1) @ v\n`,
    jax: ({ np, nn }, q, k, v) => [np.matmul(nn.softmax(np.matmul(q!, np.matrixTranspose(k!)).mul(0.125), -1), v!)],
    tf: (tf, q, k, v) => [tf.matMul(tf.softmax(tf.mul(tf.matMul(q!, k!, false, true), 0.125), -1), v!)],
    onnx(m, q, k, v) {
      const scores = m.op("MatMul", [q!, m.op("Transpose", [k!], { perm: [0, 2, 1] })]);
      return [m.op("MatMul", [m.op("Softmax", [m.op("Mul", [scores, m.number(0.125)])], { axis: -1 }), v!])];
    },
  },
];

const convolution = (images: number, channels: number, side: number): PageProgram => ({
  name: "relu(conv 3×3 · s + b)",
  text: `x: f32[${images}, ${channels}, ${side}, ${side}]\ntaps: f32[${channels}, ${channels}, 3, 3] = param()\ns: f32[${channels}]\nb: f32[${channels}]\ny = relu(conv2d(x, taps, padding=1) * s.view(1, ${channels}, 1, 1) + b.view(1, ${channels}, 1, 1))\n`,
  jax({ nn, lax }, x, taps, s, b) {
    const padding = [[1, 1] as const, [1, 1] as const];
    const wide = [1, channels, 1, 1];
    return [nn.relu(lax.convGeneralDilated(x!, taps!, [1, 1], padding).mul(s!.reshape(wide)).add(b!.reshape(wide)))];
  },
  tf(tf, x, taps, s, b) {
    const wide = [1, channels, 1, 1];
    // Its WebGPU convolutions are made for channels last; channels first come out wrong in 4.22.
    const last = tf.transpose(x!, [0, 2, 3, 1]);
    const sums = tf.transpose(tf.conv2d(last, tf.transpose(taps!, [2, 3, 1, 0]), 1, 1, "NHWC"), [0, 3, 1, 2]);
    return [tf.relu(tf.add(tf.mul(sums, tf.reshape(s!, wide)), tf.reshape(b!, wide)))];
  },
  onnx(m, x, taps, s, b) {
    const wide = m.whole([1, channels, 1, 1]);
    const sums = m.op("Conv", [x!, taps!], { pads: [1, 1, 1, 1], kernel_shape: [3, 3] });
    return [
      m.op("Relu", [m.op("Add", [m.op("Mul", [sums, m.op("Reshape", [s!, wide])]), m.op("Reshape", [b!, wide])])]),
    ];
  },
});

/** All programs, with every extent divided by `divide`: 1 on a GPU, 16 where a CPU pretends to be one. */
export function pagePrograms(divide: number): PageProgram[] {
  const few = Math.max(1, 16 / divide);
  return [
    ...rowwise(4096 / divide, 2048 / divide),
    adam(2048 / divide, 2048 / divide),
    ...products(2048 / divide, few, 1024 / divide),
    convolution(few, 64, 56),
  ];
}
