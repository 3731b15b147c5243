/** @file Scans and sorts of the bench. */
import { of, sum, workload, type Arrays, type Workload } from "./workload";

const rowOf = (inputs: Arrays, row: number, columns: number): Float32Array =>
  of(inputs, "x").subarray(row * columns, (row + 1) * columns);

/** Running sums of `term`, of one row. */
function running(x: Float32Array, term: (value: number) => number): Float64Array {
  let total = 0;
  return Float64Array.from(x, (value) => (total += term(value)));
}

const scans = (side: number): Workload[] => [
  workload(
    "scan",
    `cumsum(exp(x))/n ${side}x${side}`,
    `x: f32[${side}, ${side}]\nn: f32[${side}]\ny = cumsum(exp(x), dim=-1) / (abs(n) + 1)\n`,
    side,
    (r, c, inputs) => {
      const sums = running(rowOf(inputs, r, c), Math.exp);
      return (j) => sums[j]! / (Math.abs(of(inputs, "n")[j]!) + 1);
    },
    1e-4,
  ),
  workload(
    "scan-plain",
    `cumsum ${side}x${side}`,
    `x: f32[${side}, ${side}]\ny = cumsum(x, dim=-1)\n`,
    side,
    (r, c, inputs) => {
      const sums = running(rowOf(inputs, r, c), (value) => value);
      return (j) => sums[j]!;
    },
    1e-3,
  ),
  workload(
    "scan-columns",
    `cumsum of columns ${side}x${side}`,
    `x: f32[${side}, ${side}]\ny = cumsum(x, dim=0)\n`,
    side,
    (r, c, inputs) => (j) => sum(r + 1, (i) => of(inputs, "x")[i * c + j]!),
    1e-3,
  ),
];

/** The first of p in descending order, as long as what stands before them is less than 0.9. */
function mostLikely(x: Float32Array): Float64Array {
  const most = x.reduce((a, b) => Math.max(a, b), -Infinity);
  const total = sum(x.length, (i) => Math.exp(x[i]! - most));
  const sorted = Float64Array.from(x, (value) => Math.exp(value - most) / total)
    .sort()
    .toReversed();
  let before = 0;
  return sorted.map((p) => {
    const retained = before < 0.9 ? p : 0;
    before += p;
    return retained;
  });
}

/** All workloads whose rows are walked in order or put in order; `few` rows where they are long. */
export const orders = ({ wide, divide }: { readonly wide: number; readonly divide: number }): Workload[] => {
  const [short, many, long] = [1024 / divide, Math.max(4, 1024 / divide), 32000 / divide];
  const k = Math.min(50, long);
  return [
    ...scans(wide),
    workload(
      "sort",
      `sort ${wide}x${short}`,
      `x: f32[${wide}, ${short}]\ny = sort(x)\n`,
      short,
      (r, c, inputs) => {
        const sorted = rowOf(inputs, r, c).toSorted();
        return (j) => sorted[j]!;
      },
      0,
    ),
    workload(
      "topk",
      `topk(${k}) ${many}x${long}`,
      `x: f32[${many}, ${long}]\ny = topk(x, ${k})\n`,
      k,
      (r, _, inputs) => {
        const sorted = rowOf(inputs, r, long).toSorted().reverse();
        return (j) => sorted[j]!;
      },
      0,
    ),
    workload(
      "top-p",
      `top-p of softmax ${wide}x${short}`,
      `x: f32[${wide}, ${short}]\np = softmax(x)\ns = sort(p, descending=True)\nc = cumsum(s, dim=-1)\ny = where(c - s < 0.9, s, 0.0)\n`,
      short,
      (r, c, inputs) => {
        const retained = mostLikely(rowOf(inputs, r, c));
        return (j) => retained[j]!;
      },
      1e-3, // where the running sum passes 0.9 one element more or less is retained: about 1/1024
    ),
  ];
};
