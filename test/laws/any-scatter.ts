/** @file Random programs that scatter: few targets and many, skewed and out of range. */
import fc from "fast-check";
import { generic } from "../../src/fusion/cost";

/** A machine that computes slowly and launches at once: comparing never pays. */
export const slow = { ...generic, name: "slow", peakFlops: 1e7, launchMicros: 0.01, multiprocessors: 1 };

const extent = fc.constantFrom(1, 2, 3, 4, 8);
/** Programs that scatter, all ways, or take the derivative of that. */
export const scatters = fc
  .record({
    outer: fc.array(extent, { maxLength: 2 }),
    inner: fc.array(extent, { maxLength: 2 }),
    targets: fc.constantFrom(3, 40, 64, 200),
    updates: fc.constantFrom(5, 33, 128, 700, 2500),
    range: fc.constantFrom(
      (n: number) => [0, n],
      (n: number) => [-2, n + 3],
      () => [0, 1],
      (n: number) => [n - 1, n],
    ),
    call: fc.constantFrom("index_add", "add", "add", "none", "mul", "max", "min"),
    dtype: fc.constantFrom("f32", "f32", "i32"),
    derivative: fc.boolean(),
    before: fc.constantFrom("x", "relu(x)", "x * 2 + 1"),
    after: fc.constantFrom("y", "y * 3", "y + y.sum()"),
  })
  .filter(
    ({ outer, inner, updates, targets }) => [...outer, ...inner].reduce((a, b) => a * b, updates * targets) < 150_000,
  )
  .map(({ outer, inner, targets, updates, range, call, dtype, derivative, before, after }) => {
    const shape = (size: number): string => [...outer, size, ...inner].join(", ");
    const axis = outer.length;
    const [from, to] = range(targets) as [number, number];
    const rows = call === "index_add";
    const start = `torch.zeros(${shape(targets)}, dtype=torch.${dtype === "i32" ? "int32" : "float32"})`;
    const put = rows
      ? `${start}.index_add(${axis}, i, v)`
      : `scatter_elements(${start}, i, v, axis=${axis}, reduction="${call}")`;
    const isLinear = derivative && dtype === "f32" && (rows || call === "add" || call === "none");
    const lines = [
      `x: ${dtype}[${shape(updates)}]${dtype === "i32" ? " = uniform(-5, 5)" : ""}`,
      `i: i32[${rows ? updates : shape(updates)}] = uniform(${from}, ${to})`,
    ];
    if (!isLinear) return [...lines, `v = ${before}`, `y = ${put}`, `return ${after}`].join("\n");
    return [
      ...lines,
      `w: f32[${shape(targets)}]`,
      `def f(x):\n    v = ${before}\n    y = ${put}\n    return (y * w).sum()`,
      "return jax.grad(f)(x)",
    ].join("\n");
  });
