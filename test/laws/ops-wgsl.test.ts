/** @file Each elementwise op as a shader of its own, on a real WebGPU, against its f64 meaning and within its own tolerance. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { DType } from "../../src/fusion/ir";
import { allOps, MAX_ANGLE, withDefaults, type OpDef } from "../../src/fusion/ops";
import { dawn } from "../../src/gpu/testing/dawn";
import { runShader, shaderOf } from "../wgsl-op";

const gpu = await dawn();
const LENGTH = 4096;
const FLOATS = [
  0,
  1,
  -1,
  2,
  3,
  6,
  0.5,
  -0.5,
  1.5,
  -2.5,
  1e-3,
  -1e-3,
  1e-6,
  9,
  -9,
  20,
  -20,
  50,
  -50,
  88,
  -88,
  100,
  -100,
  1000,
  -1000,
  1e10,
  -1e10,
  Infinity,
  -Infinity,
].map(Math.fround);
const INTEGERS = [0, 1, -1, 2, -2, 3, 5, 7, -7, 12, 100, 46341, 2147483647, -2147483648, 13, -13];

/** Arguments where f32 has no answer to compare: a step function beside its step, an angle of too many turns, powers at ∞. */
const OPEN: Readonly<Record<string, (args: readonly number[]) => boolean>> = {
  sin: ([x]) => Math.abs(x!) > MAX_ANGLE,
  cos: ([x]) => Math.abs(x!) > MAX_ANGLE,
  tan: ([x]) => Math.abs(x!) > MAX_ANGLE || Math.abs(Math.cos(x!)) < 1e-2,
  pow: (args) => args.some((x) => Math.abs(x) > 1e9),
  mod: ([a, b]) => nearStep(a! / b!),
  floor_div: ([a, b]) => nearStep(a! / b!),
};
const nearStep = (quotient: number): boolean =>
  !(Math.abs(quotient) < 1e5) ||
  (quotient !== Math.round(quotient) && Math.abs(quotient - Math.round(quotient)) < 1e-4 + 3e-7 * Math.abs(quotient));

const ATTRS: Readonly<Record<string, Record<string, number | string>>> = {
  cast: { dtype: "i32" },
  iota: { start: 5, stop: 5 + LENGTH },
  clamp: { min: -1, max: 2 },
};

/** Pairs of every special value with every other, and a spread of ordinary numbers. */
function argumentsOf(dtype: DType, operands: number): number[][] {
  const special = dtype === "f32" ? FLOATS : dtype === "i32" ? INTEGERS : [0, 1];
  const spread = (seed: number): number => ((Math.sin(seed * 12.9898) * 43758.5453) % 1) * (dtype === "f32" ? 8 : 50);
  return Array.from({ length: operands }, (_, k) =>
    Array.from({ length: LENGTH }, (_, i) => {
      if (i < special.length ** 2)
        return special[k === 0 ? i % special.length : Math.floor(i / special.length) % special.length]!;
      return dtype === "f32"
        ? Math.fround(spread(i + k * LENGTH))
        : dtype === "i32"
          ? spread(i + k * LENGTH) | 0
          : i & 1;
    }),
  );
}

const upload = (values: readonly number[], dtype: DType): Float32Array | Int32Array | Uint32Array =>
  dtype === "f32" ? Float32Array.from(values) : dtype === "i32" ? Int32Array.from(values) : Uint32Array.from(values);

function expectedOf(def: OpDef, args: readonly number[], result: DType, attrs: Parameters<OpDef["infer"]>[1]): number {
  const scalar = def.scalar!;
  if (result !== "i32") return scalar.js(args, attrs);
  return (scalar.int ? scalar.int(args, attrs) : scalar.js(args, attrs)) | 0;
}

/** `(-1, 3): got 2, want -1`, for each element further from its meaning than the op allows. */
function misses(
  def: OpDef,
  columns: readonly number[][],
  got: ArrayLike<number>,
  result: DType,
  attrs: Parameters<OpDef["infer"]>[1],
): string[] {
  const found: string[] = [];
  for (let i = 0; i < LENGTH; i++) {
    const args = columns.map((column) => column[i]!);
    if (OPEN[def.name]?.(args)) continue;
    const want = expectedOf(def, def.scalar!.usesIndex ? [...args, i] : args, result, attrs);
    const value = got[i]!;
    const same = Object.is(want, value) || want === value || Math.fround(want) === value;
    const limit = def.tolerance.atol + def.tolerance.rtol * Math.abs(want);
    if (!same && !(Math.abs(value - want) <= limit && Math.abs(want) < Infinity))
      found.push(`(${args.join(", ")}): got ${value}, want ${want}`);
  }
  return found;
}

// A loop is written as statements: laws/loops.test.ts runs them.
const ops = allOps.filter((def) => def.scalar && !def.loop);
const dtypesOf = (def: OpDef): readonly DType[] =>
  def.params.some((param) => param.kind === "tensor") ? ["f32", "i32", "bool"] : ["f32"];
const cases = ops.flatMap((def) => dtypesOf(def).map((dtype) => [def.name, dtype, def] as const));

describe.skipIf(!gpu)("every op's shader agrees with its meaning", () => {
  let device: GPUDevice;
  beforeAll(async () => {
    device = await (await gpu!.requestAdapter())!.requestDevice();
  });
  afterAll(() => device.destroy());

  test.each(cases)("%s of %s, one and four at a time", async (_name, dtype, def) => {
    const operands = def.params.filter((param) => param.kind === "tensor").map(() => dtype);
    const attrs = withDefaults(def, ATTRS[def.name] ?? {});
    const type = def.infer(
      operands.map((of) => ({ dtype: of, shape: [LENGTH] })),
      attrs,
    );
    // Ops on bits refuse floats, and say so.
    if (!type.ok && type.code === "dtype") return;
    if (!type.ok) throw new Error(type.text);
    const result = type.value.dtype;
    const columns = argumentsOf(dtype, operands.length);
    for (const width of [1, 4] as const) {
      const code = shaderOf(def, operands, result, attrs, width);
      const raw = await runShader(
        device,
        code,
        columns.map((column) => upload(column, dtype)),
        LENGTH,
        width,
      );
      const got =
        result === "f32" ? new Float32Array(raw) : result === "i32" ? new Int32Array(raw) : new Uint32Array(raw);
      expect(misses(def, columns, got, result, attrs)).toEqual([]);
    }
  });
});
