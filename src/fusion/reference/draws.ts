/**
 * @file Random inputs: words of a counter-based generator, made numbers by integer arithmetic and one exact scaling, so
 * that every machine has the same bits. The CPU draws single elements; `drawing` has the WGSL that fills a buffer.
 */
import { bug, type DType } from "../ir";
import { philox, philoxHelper, roundToHalf, wgslType } from "../ops";

/** How the elements of one input are drawn. Each element is a function of this and its index alone. */
export type Draw =
  /** Variance std² · (1 − 2⁻³²): the sum of twelve halves of words. Within ±6 std of the mean, kurtosis 2.9 (a normal has 3). */
  | { readonly kind: "normal"; readonly seed: number; readonly std: number; readonly mean: number }
  /** `(low + k) · 2^exponent` with k uniform over `count` whole numbers from 0 on. */
  | {
      readonly kind: "uniform";
      readonly seed: number;
      readonly low: number;
      readonly count: number;
      readonly exponent: number;
    };

/** Changes the key: keeps data apart from dropout's masks of the same seed. */
const DATA_KEY = 0x5851f42d;
/** Halves of words, 16 bits each, in the sum for one normal number: with twelve the deviation is 2¹⁶, an exact scaling. */
const HALVES = 12;
const NORMAL_MEAN = (HALVES * 0xffff) / 2;
const NORMAL_SCALE = 2 ** -16;
/** As a device multiplies by it: one f32, so that the product is rounded once. */
const normalScale = (std: number): number => Math.fround(NORMAL_SCALE * std);
/** A mean as so many steps of the sums: it is added before they are scaled, so that every machine rounds alike. */
const normalShift = (std: number, mean: number): number => Math.round(mean / normalScale(std));
/** A whole number below this is an f32. */
const EXACT = 2 ** 24;

/**
 * Uniform over [lo, hi): whole numbers when `whole`, else steps of a power of two as fine as an f32 has near the farther end.
 * An empty range draws `lo` alone.
 */
export function uniformDraw(seed: number, lo: number, hi: number, whole: boolean): Draw {
  if (whole) {
    const low = Math.floor(lo);
    return { kind: "uniform", seed, low, count: Math.max(1, Math.min(2 ** 32 - 1, Math.ceil(hi) - low)), exponent: 0 };
  }
  const farthest = Math.max(Math.abs(lo), Math.abs(hi), 2 ** -100);
  const exponent = Math.ceil(Math.log2(farthest)) - 24;
  const [low, above] = [Math.round(lo / 2 ** exponent), Math.round(hi / 2 ** exponent)];
  if (Math.max(Math.abs(low), Math.abs(above)) > EXACT) throw bug(`the range ${lo} to ${hi} has no exact steps`);
  return { kind: "uniform", seed, low, count: Math.max(1, above - low), exponent };
}

const key = (seed: number): readonly [number, number] => [(seed ^ DATA_KEY) >>> 0, 0];
const words = new Uint32Array(4);
const counter: [number, number, number, number] = [0, 0, 0, 0];

function block(index: number, of: readonly [number, number]): void {
  counter[0] = index >>> 0;
  philox(counter, of, words);
}

/** ⌊word · count / 2³²⌋ */
function below(word: number, count: number): number {
  const high = (word >>> 16) * count + Math.floor(((word & 0xffff) * count) / 0x10000);
  return Math.floor(high / 0x10000);
}

/** The sums of halves of a pair of neighbours: three blocks of four words. */
function pairOfSums(pair: number, of: readonly [number, number], sums: Float64Array): void {
  sums.fill(0);
  for (let third = 0; third < 3; third++) {
    block(3 * pair + third, of);
    for (let i = 0; i < 4; i++) sums[third * 4 + i < 6 ? 0 : 1]! += (words[i]! >>> 16) + (words[i]! & 0xffff);
  }
}

/** Draws elements one by one, in f32 (f16 values in an f32); neighbours cost least. */
export function drawer(draw: Draw, dtype: DType): (flat: number) => number {
  const round = dtype === "f16" ? roundToHalf : (value: number) => value;
  const of = key(draw.seed);
  let drawn = -1;
  if (draw.kind === "normal") {
    const sums = new Float64Array(2);
    const scale = normalScale(draw.std);
    const around = normalShift(draw.std, draw.mean) - NORMAL_MEAN;
    return (flat) => {
      if (drawn !== flat >>> 1) pairOfSums((drawn = flat >>> 1), of, sums);
      return round(Math.fround((sums[flat & 1]! + around) * scale));
    };
  }
  const scale = 2 ** draw.exponent;
  const four = new Uint32Array(4);
  return (flat) => {
    if (drawn !== flat >>> 2) {
      block((drawn = flat >>> 2), of);
      four.set(words);
    }
    return round((draw.low + below(four[flat & 3]!, draw.count)) * scale);
  };
}

/** Threads of a workgroup of `drawKernel`; a thread writes two elements. */
const DRAW_WORKGROUP = 64;
/** Workgroups in a row of the grid; the rest are further rows. */
const DRAW_ROW = 32768;

/** What the uniform buffer of `drawKernel` holds, in its order: key, elements, low, count, scale. */
function drawParameters(draw: Draw, elements: number): Uint32Array<ArrayBuffer> {
  const [low, count, scale] =
    draw.kind === "normal"
      ? [normalShift(draw.std, draw.mean), 0, normalScale(draw.std)]
      : [draw.low, draw.count, 2 ** draw.exponent];
  const bits = new Uint32Array(Float32Array.of(scale).buffer)[0]!;
  return Uint32Array.of(key(draw.seed)[0], elements, low >>> 0, count, bits, 0, 0, 0);
}

const STORED: Record<DType, (value: string) => string> = {
  f32: (value) => `bitcast<u32>(f32(${value}) * scale)`,
  f16: (value) => `half_bits(f32(${value}) * scale)`,
  i32: (value) => `bitcast<u32>(${value})`,
  bool: (value) => `select(0u, 1u, ${value} != 0)`,
};

const HALF_BITS = `// The nearest binary16, ties to even: WGSL's own conversion may round either way.
fn half_bits(x: f32) -> u32 {
  let bits = bitcast<u32>(x);
  let sign = (bits >> 16u) & 0x8000u;
  let magnitude = bits & 0x7fffffffu;
  if (magnitude >= 0x477ff000u) {
    return sign | 0x7c00u;
  }
  if (magnitude < 0x38800000u) {
    return sign | u32(round(abs(x) * 16777216.0));
  }
  return sign | ((magnitude + 0xfffu + ((magnitude >> 13u) & 1u) - 0x38000000u) >> 13u);
}

`;

const NORMAL_PAIR = `fn halves(words: vec4u) -> vec4u {
  return (words >> vec4u(16u)) + (words & vec4u(0xffffu));
}

fn pair_at(pair: u32) -> vec2i {
  let a = halves(philox(3u * pair, draw.key));
  let b = halves(philox(3u * pair + 1u, draw.key));
  let c = halves(philox(3u * pair + 2u, draw.key));
  let sums = vec2u(a.x + a.y + a.z + a.w + b.x + b.y, b.z + b.w + c.x + c.y + c.z + c.w);
  return vec2i(sums) + vec2i(draw.low - ${NORMAL_MEAN});
}`;

const UNIFORM_PAIR = `fn pair_at(pair: u32) -> vec2i {
  let words = philox(pair / 2u, draw.key);
  let two = select(words.xy, words.zw, vec2<bool>(pair % 2u == 1u));
  return vec2i(draw.low) + vec2i(vec2u(multiply_high(two.x, draw.count), multiply_high(two.y, draw.count)));
}`;

/** WGSL that fills a storage buffer (binding 0) with what `drawer` gives, by the parameters in a uniform (binding 1). */
function drawKernel(kind: Draw["kind"], dtype: DType): string {
  const stored = STORED[dtype];
  const write =
    dtype === "f16"
      ? `data[pair] = ${stored("two.x")} | select(0u, ${stored("two.y")} << 16u, 2u * pair + 1u < draw.elements);`
      : `data[2u * pair] = ${stored("two.x")};
    if (2u * pair + 1u < draw.elements) {
      data[2u * pair + 1u] = ${stored("two.y")};
    }`;
  const scaled = dtype === "f32" || dtype === "f16";
  return `struct Draw {
  key: u32,
  elements: u32,
  low: i32,
  count: u32,
  scale: f32,
}
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<uniform> draw: Draw;

${philoxHelper.wgsl(wgslType("i32", 1))}

${kind === "normal" ? NORMAL_PAIR : UNIFORM_PAIR}

${dtype === "f16" ? HALF_BITS : ""}@compute @workgroup_size(${DRAW_WORKGROUP})
fn fill(@builtin(global_invocation_id) id: vec3u) {
  let pair = id.y * ${DRAW_ROW * DRAW_WORKGROUP}u + id.x;
  if (2u * pair < draw.elements) {
    let two = pair_at(pair);
${scaled ? "    let scale = draw.scale;\n" : ""}    ${write}
  }
}
`;
}

/** A dispatch that fills one buffer. */
export interface Drawing {
  readonly wgsl: string;
  /** Entry point. */
  readonly name: string;
  /** Bytes of the uniform at binding 1; the buffer to fill is a `read_write` storage buffer at binding 0. */
  readonly parameters: Uint32Array<ArrayBuffer>;
  readonly workgroups: readonly [number, number, number];
}

/** How a device draws `elements` of `dtype`: the same numbers as `drawer`'s, to the bit. */
export function drawing(draw: Draw, dtype: DType, elements: number): Drawing {
  const groups = Math.ceil(elements / 2 / DRAW_WORKGROUP);
  return {
    wgsl: drawKernel(draw.kind, dtype),
    name: "fill",
    parameters: drawParameters(draw, elements),
    workgroups: [Math.min(DRAW_ROW, groups), Math.ceil(groups / DRAW_ROW), 1],
  };
}
