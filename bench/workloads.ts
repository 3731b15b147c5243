/** @file What the bench runs: programs, and what some rows of their answers must be, computed here in f64 and apart from the compiler. */

import { gradients } from "./gradients";
import { orders } from "./orders";
import { of, sum, workload, type Workload } from "./workload";

export type { Arrays, Workload } from "./workload";

interface Sizes {
  readonly big: number;
  readonly wide: number;
  readonly few: number;
  readonly squares: readonly number[];
  readonly divide: number;
}

const relu = (x: number): number => Math.max(x, 0);
const geluTanh = (x: number): number => 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)));

/** Twenty steps, `smooth` standing as every fourth. */
function chainText(smooth: string, size: number): string {
  const lines = [`x: f32[${size}, ${size}]`, "t0 = x * 0.99"];
  const steps = ["{} + 0.01", `${smooth}({})`, "relu({})", "{} * 1.01"];
  for (let i = 1; i < 20; i++) lines.push(`t${i} = ${steps[(i - 1) % 4]!.replace("{}", `t${i - 1}`)}`);
  return `${lines.join("\n")}\nreturn t19\n`;
}

function chain(start: number, smooth: (x: number) => number): number {
  let t = start * 0.99;
  for (let i = 1; i < 20; i++) {
    const step = (i - 1) % 4;
    t = step === 0 ? t + 0.01 : step === 1 ? smooth(t) : step === 2 ? relu(t) : t * 1.01;
  }
  return t;
}

const pointwise = ({ big, wide }: Sizes): Workload[] => [
  workload(
    "1",
    `log(relu(x+b)), ${big}x${big}`,
    `x: f32[${big}, ${big}]\nb: f32[${big}]\ny = log(relu(x + b))\n`,
    big,
    (r, c, inputs) => (j) => Math.log(relu(Math.fround(of(inputs, "x")[r * c + j]! + of(inputs, "b")[j]!))),
    2e-5, // log near 1: 2^-21 absolute
  ),
  workload(
    "12a",
    `chain of 20 cheap ops, ${big}x${big}`,
    chainText("abs", big),
    big,
    (r, c, inputs) => (j) => chain(of(inputs, "x")[r * c + j]!, Math.abs),
    1e-5,
  ),
  workload(
    "12b",
    `chain of 20 with 5 tanh, ${big}x${big}`,
    chainText("tanh", big),
    big,
    (r, c, inputs) => (j) => chain(of(inputs, "x")[r * c + j]!, Math.tanh),
    1e-4, // tanh: 1e-5 absolute each
  ),
  workload(
    "6",
    `bias+dropout+residual ${big}x${wide}`,
    `x: f32[${big}, ${wide}]\nb: f32[${wide}]\nr: f32[${big}, ${wide}]\ny = dropout(x + b, p=0.1, seed=7) + r\n`,
    wide,
    (r, c, inputs, got) => (j) => {
      const dropped = of(inputs, "r")[r * c + j]!;
      const survived = dropped + (of(inputs, "x")[r * c + j]! + of(inputs, "b")[j]!) / 0.9;
      return Math.abs(got[j]! - dropped) < Math.abs(got[j]! - survived) ? dropped : survived;
    },
    1e-5,
  ),
  workload(
    "7",
    `silu(x)*y ${big}x${wide}`,
    `x: f32[${big}, ${wide}]\nw: f32[${big}, ${wide}]\ny = silu(x) * w\n`,
    wide,
    (r, c, inputs) => (j) => {
      const x = of(inputs, "x")[r * c + j]!;
      return (x / (1 + Math.exp(-x))) * of(inputs, "w")[r * c + j]!;
    },
    1e-5,
  ),
];

const rows = ({ big, wide, few }: Sizes): Workload[] => [
  workload(
    "2",
    `gelu(layer_norm) ${big}x${wide}`,
    `x: f32[${big}, ${wide}]\nw: f32[${wide}]\nb: f32[${wide}]\ny = gelu(layer_norm(x, w, b), approximate="tanh")\n`,
    wide,
    (r, c, inputs) => {
      const x = of(inputs, "x").subarray(r * c, (r + 1) * c);
      const mean = sum(c, (i) => x[i]!) / c;
      const scale = 1 / Math.sqrt(sum(c, (i) => (x[i]! - mean) ** 2) / c + 1e-5);
      return (j) => geluTanh((x[j]! - mean) * scale * of(inputs, "w")[j]! + of(inputs, "b")[j]!);
    },
    1e-4,
  ),
  workload(
    "3",
    `softmax ${big}x${wide}`,
    `x: f32[${big}, ${wide}]\ny = softmax(x, dim=-1)\n`,
    wide,
    (r, c, inputs) => {
      const x = of(inputs, "x").subarray(r * c, (r + 1) * c);
      const most = x.reduce((a, b) => Math.max(a, b), -Infinity);
      const total = sum(c, (i) => Math.exp(x[i]! - most));
      return (j) => Math.exp(x[j]! - most) / total;
    },
    1e-6,
  ),
  workload(
    "4",
    `rms_norm ${big}x${wide}`,
    `x: f32[${big}, ${wide}]\nw: f32[${wide}]\ny = rms_norm(x, w)\n`,
    wide,
    (r, c, inputs) => {
      const x = of(inputs, "x").subarray(r * c, (r + 1) * c);
      const scale = 1 / Math.sqrt(sum(c, (i) => x[i]! ** 2) / c + 1e-6);
      return (j) => x[j]! * scale * of(inputs, "w")[j]!;
    },
    1e-4, // an eps of 1e-5 or 1e-6 does not show
  ),
  ...[["5a", 2 * big] as const, ["5b", few] as const].map(([id, count]) =>
    workload(
      id,
      `l2_normalize ${count}x${wide}`,
      `x: f32[${count}, ${wide}]\ny = l2_normalize(x, dim=-1)\n`,
      wide,
      (r, c, inputs) => {
        const x = of(inputs, "x").subarray(r * c, (r + 1) * c);
        const scale = 1 / Math.sqrt(sum(c, (i) => x[i]! ** 2));
        return (j) => x[j]! * scale;
      },
      1e-5,
    ),
  ),
  workload(
    "row-sum",
    `row sums ${big}x${wide}`,
    `x: f32[${big}, ${wide}]\ny = sum(x, dim=1)\n`,
    1,
    (r, _, inputs) => () => sum(wide, (i) => of(inputs, "x")[r * wide + i]!),
    1e-4,
  ),
];

const others = ({ big, wide }: Sizes): Workload[] => [
  workload(
    "column-sum",
    `column sums ${big}x${wide}`,
    `x: f32[${big}, ${wide}]\ny = sum(x, dim=0)\n`,
    1,
    (column, _, inputs) => () => sum(big, (i) => of(inputs, "x")[i * wide + column]!),
    1e-3,
  ),
  workload(
    "full-sum",
    `sum of ${big}x${big}`,
    `x: f32[${big}, ${big}]\ny = sum(x)\n`,
    1,
    (_, __, inputs) => () => of(inputs, "x").reduce((total, x) => total + x, 0),
    1e-4,
  ),
  workload(
    "transpose",
    `a.T+b ${big}x${big}`,
    `a: f32[${big}, ${big}]\nb: f32[${big}, ${big}]\ny = a.T + b\n`,
    big,
    (r, c, inputs) => (j) => of(inputs, "a")[j * c + r]! + of(inputs, "b")[r * c + j]!,
    1e-6,
  ),
];

const matmuls = ({ squares, divide }: Sizes): Workload[] =>
  squares.map((n) =>
    workload(
      `8-${n * divide}`,
      `relu(a@b+c) ${n}`,
      `a: f32[${n}, ${n}]\nb: f32[${n}, ${n}]\nc: f32[${n}]\ny = relu(a @ b + c)\n`,
      n,
      (r, _, inputs) => (j) =>
        relu(sum(n, (k) => of(inputs, "a")[r * n + k]! * of(inputs, "b")[k * n + j]!) + of(inputs, "c")[j]!),
      1e-4, // 2e-6·√K·Σ|a·b| with |a·b| below 1/4 on average
      2 * n ** 3,
    ),
  );

/** Softmax of one row of scores, and the weighted sum of the values. */
function attentionRow(scores: Float64Array, value: (j: number) => number): number {
  const most = scores.reduce((a, b) => Math.max(a, b), -Infinity);
  const total = scores.reduce((all, x) => all + Math.exp(x - most), 0);
  return sum(scores.length, (j) => Math.exp(scores[j]! - most) * value(j)) / total;
}

const attention = (length: number, heads: number, masked: boolean): Workload => {
  const d = 64;
  const shape = `f32[${heads}, ${length}, ${d}]`;
  const mask = masked ? `m: f32[${length}, ${length}]\n` : "";
  return workload(
    masked ? "9" : "9-free",
    `attention, ${heads} heads, ${length}x${d}${masked ? ", mask" : ""}`,
    `q: ${shape}\nk: ${shape}\nv: ${shape}\n${mask}s = q @ k.transpose(1, 2) * 0.125${masked ? " + m" : ""}\ny = softmax(s, dim=-1) @ v\n`,
    d,
    (r, c, inputs) => {
      const [head, i] = [Math.floor(r / length), r % length];
      const [q, k, v] = [of(inputs, "q"), of(inputs, "k"), of(inputs, "v")];
      const scores = Float64Array.from({ length }, (_, j) => {
        const dot = sum(d, (e) => q[r * d + e]! * k[(head * length + j) * d + e]!);
        return dot * 0.125 + (masked ? of(inputs, "m")[i * length + j]! : 0);
      });
      return (column) => attentionRow(scores, (j) => v[(head * length + j) * c + column]!);
    },
    1e-4,
    4 * heads * length * length * d,
  );
};

const convolution = (batch: number, side: number): Workload => {
  const channels = 64;
  return workload(
    "10",
    `relu(conv3x3) ${batch}x${channels}x${side}x${side}`,
    `x: f32[${batch}, ${channels}, ${side}, ${side}]\nw: f32[${channels}, ${channels}, 3, 3] = param()\nb: f32[${channels}] = param()\ny = relu(conv2d(x, w, b, padding=1))\n`,
    side,
    (r, c, inputs) => {
      const [image, out, row] = [Math.floor(r / (channels * side)), Math.floor(r / side) % channels, r % side];
      const [x, w] = [of(inputs, "x"), of(inputs, "w")];
      const pixel = (ch: number, i: number, j: number): number =>
        i < 0 || j < 0 || i >= side || j >= c ? 0 : x[((image * channels + ch) * side + i) * c + j]!;
      return (column) =>
        relu(
          of(inputs, "b")[out]! +
            sum(channels * 9, (t) => {
              const [ch, i, j] = [Math.floor(t / 9), Math.floor(t / 3) % 3, t % 3];
              return w[out * channels * 9 + t]! * pixel(ch, row + i - 1, column + j - 1);
            }),
        );
    },
    1e-3,
    2 * batch * side * side * channels * channels * 9,
  );
};

const splade = (batch: number, length: number, vocabulary: number): Workload => {
  const d = 768;
  return workload(
    "11",
    `SPLADE head (${batch}, ${length}, ${d}) x ${vocabulary}`,
    `h: f32[${batch}, ${length}, ${d}]\ne: f32[${vocabulary}, ${d}] = param()\nb: f32[${vocabulary}] = param()\ny = max(log1p(relu(h @ e.T + b)), dim=1)\n`,
    vocabulary,
    // Six billion products a row: every 499th entry is checked.
    (r, _, inputs, got) => (column) => {
      if (column % 499 !== 0) return got[column]!;
      const [h, e] = [of(inputs, "h"), of(inputs, "e")];
      let most = -Infinity;
      for (let s = 0; s < length; s++) {
        most = Math.max(
          most,
          sum(d, (k) => h[(r * length + s) * d + k]! * e[column * d + k]!),
        );
      }
      return Math.log1p(relu(most + of(inputs, "b")[column]!));
    },
    1e-3,
    2 * batch * length * vocabulary * d,
  );
};

const heads = (divide: number): Workload[] => [
  attention(2048 / divide, Math.max(1, 16 / divide), true),
  attention(2048 / divide, Math.max(1, 16 / divide), false),
  convolution(Math.max(1, 32 / divide), 56),
  splade(Math.max(1, 8 / divide), 256 / divide, Math.ceil(30522 / divide)),
];

/** All workloads with every extent divided by `divide`, a power of two up to 32. */
export function workloadsAt(divide: number): Workload[] {
  const [big, wide, few] = [8192 / divide, 4096 / divide, Math.max(4, 128 / divide)];
  const sizes = { big, wide, few, divide, squares: [512, 1024, 2048, 4096].map((n) => n / divide) };
  return [
    ...pointwise(sizes),
    ...rows(sizes),
    ...others(sizes),
    ...orders(sizes),
    ...gradients(sizes),
    ...matmuls(sizes),
    ...heads(divide),
  ];
}
