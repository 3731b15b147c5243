/** @file WGSL functions that ops call: what the builtins lack or leave open. Each is printed once a module, for one width. */
import type { WgslHelper } from "./define";
import { LARGEST_F32 } from "./limits";
import { isInteger, isVector, magnitudeBits, signature, unsigned, unsignedType, wgslType } from "./wgsl";

/** Helpers compute in one dtype, whatever the op that asks: f32, or i32 for the integer forms. */
export const inDType =
  (dtype: "f32" | "i32") =>
  (helper: WgslHelper): WgslHelper => ({
    ...helper,
    wgsl: (t) => helper.wgsl(isInteger(t) === (dtype === "i32") ? t : wgslType(dtype, isVector(t) ? 4 : 1)),
  });
const floats = inDType("f32");
const integers = inDType("i32");

/** A float with these bits. */
export const fromBits = floats({
  name: "from_bits",
  wgsl(t) {
    const bits = t.type === "f32" ? "bitcast<f32>(bits)" : `${t.type}(bitcast<f32>(bits))`;
    return `fn ${t.call("from_bits", "bits: u32")} -> ${t.type} {\n  return ${bits};\n}`;
  },
});

/** A logarithm whose edges are said outright: builtins answer log(0) and log(-1) with finite numbers on some devices. */
const edgedLog = (name: string, builtin: string): WgslHelper =>
  floats({
    name,
    needs: ["from_bits"],
    wgsl: (
      t,
    ) => `// ${builtin} with its edges: -inf at 0, NaN below, inf at inf. Builtins may answer with finite numbers there.
${signature(t, name, "x")} {
  let outside = select(${t.num(Number.NaN)}, ${t.num(-Infinity)}, x == ${t.num(0)});
  let inside = select(${builtin}(x), x, x > ${t.num(LARGEST_F32)});
  return select(inside, outside, x <= ${t.num(0)});
}`,
  });
const naturalLog = edgedLog("ln", "log");
const binaryLog = edgedLog("lb", "log2");

/** log(1 + x), by 2 atanh(x / (2 + x)) where 1 + x would round x away. */
const log1p = floats({
  name: "log1p",
  needs: ["ln"],
  wgsl: (t) => `// log(1 + x); near 0 as 2 atanh(s), s = x / (2 + x), because 1 + x would round x away.
${signature(t, "log1p", "x")} {
  let s = x / (${t.num(2)} + x);
  let q = s * s;
  let series = 2.0 * s * (1.0 + q * (0.33333334 + q * (0.2 + q * (0.14285715 + q * 0.11111111))));
  return select(${t.call("ln", "1.0 + x")}, series, abs(x) < ${t.num(0.25)});
}`,
});

/** Strictly better for argmax or argmin. A comparison with NaN may be folded away: its bits are asked. */
export const argCompareHelper = (name: string, sign: ">" | "<"): WgslHelper =>
  floats({
    name,
    wgsl: (t) => `// a ${sign} b, and NaN before every number, told by its bits.
fn ${t.call(name, `a: ${t.type}`, `b: ${t.type}`)} -> ${isVector(t) ? "vec4<bool>" : "bool"} {
  let a_is_nan = ${magnitudeBits("a", t)} > ${unsigned("0x7f800000u", t)};
  let b_is_nan = ${magnitudeBits("b", t)} > ${unsigned("0x7f800000u", t)};
  return ((a ${sign} b) | a_is_nan) & !b_is_nan;
}`,
  });

/** exp(x) − 1, by its series where the subtraction would cancel. */
export const expm1Helper = floats({
  name: "expm1",
  wgsl: (t) => `// exp(x) - 1; near 0 by its series, because the subtraction would cancel.
${signature(t, "expm1", "x")} {
  let tail = 1.0 + x / 5.0 * (1.0 + x / 6.0 * (1.0 + x / 7.0 * (1.0 + x / 8.0)));
  let series = x * (1.0 + x / 2.0 * (1.0 + x / 3.0 * (1.0 + x / 4.0 * tail)));
  return select(exp(x) - 1.0, series, abs(x) < ${t.num(0.5)});
}`,
});

export const LN: readonly WgslHelper[] = [fromBits, naturalLog];
export const LB: readonly WgslHelper[] = [fromBits, binaryLog];
export const LOG1P: readonly WgslHelper[] = [...LN, log1p];

/** x tanh(softplus(x)) with one exponential; above 20 it is x to the last bit. */
export const mishHelper = floats({
  name: "mish",
  wgsl: (t) => `// x * tanh(softplus(x)) with a single exponential.
${signature(t, "mish", "x")} {
  let n = exp(min(x, ${t.num(20)}));
  let top = n * (n + 2.0);
  return x * (top / (top + 2.0));
}`,
});

/** Integer division by 0 is 0 here; WGSL answers with the dividend and refuses a literal 0. */
export const intDiv = integers({
  name: "int_div",
  wgsl: (t) => `// Truncates; 0 where b is 0.
${signature(t, "int_div", "a", "b")} {
  return select(a / b, ${t.num(0)}, b == ${t.num(0)});
}`,
});

export const intMod = integers({
  name: "int_mod",
  wgsl: (t) => `// The remainder with the sign of b; 0 where b is 0.
${signature(t, "int_mod", "a", "b")} {
  let rest = a % b;
  let down = (rest != ${t.num(0)}) & ((rest < ${t.num(0)}) != (b < ${t.num(0)}));
  return select(select(rest, rest + b, down), ${t.num(0)}, b == ${t.num(0)});
}`,
});

export const intFloorDiv = integers({
  name: "int_floor_div",
  needs: ["int_div"],
  wgsl: (t) => `// Rounds towards minus infinity; 0 where b is 0.
${signature(t, "int_floor_div", "a", "b")} {
  let whole = ${t.call("int_div", "a", "b")};
  let down = (whole * b != a) & ((a < ${t.num(0)}) != (b < ${t.num(0)}));
  return select(whole, whole - 1, down & (b != ${t.num(0)}));
}`,
});

/** A quotient that was rounded to or across a whole number is put right, so 6 mod 3 is 0 on every device. */
export const floorDivHelper = floats({
  name: "floor_div",
  wgsl: (t) => `// Rounds towards minus infinity; division may miss a whole number by a step, so that is checked.
${signature(t, "floor_div", "a", "b")} {
  let nearest = round(a / b);
  let below = floor(a / b);
  let rest = a - b * below;
  let low = (rest != ${t.num(0)}) & ((rest < ${t.num(0)}) != (b < ${t.num(0)}));
  return select(select(below, below - 1.0, low), nearest, nearest * b == a);
}`,
});

export const floorMod = floats({
  name: "floor_mod",
  needs: ["floor_div"],
  wgsl: (t) => `// The remainder with the sign of b; by an infinite b it is a, or b where the signs differ.
${signature(t, "floor_mod", "a", "b")} {
  let rest = a - b * ${t.call("floor_div", "a", "b")};
  let differ = (a * sign(b)) < ${t.num(0)};
  return select(rest, select(a, a + b, differ), abs(b) > ${t.num(LARGEST_F32)});
}`,
});

/** The builtin knows no negative base, and 0 only by luck. */
export const power = floats({
  name: "power",
  needs: ["from_bits"],
  wgsl: (t) => `// pow for every base: the builtin leaves negative ones and 0 open.
${signature(t, "power", "a", "b")} {
  let whole = b == floor(b);
  let odd = whole & (abs(b) - 2.0 * floor(abs(b) * 0.5) == ${t.num(1)});
  let size = pow(abs(a), b);
  let signed_size = select(select(${t.num(Number.NaN)}, size, whole), -size, odd);
  let at_zero = select(${t.num(0)}, ${t.num(Infinity)}, b < ${t.num(0)});
  let nonzero = select(size, signed_size, a < ${t.num(0)});
  return select(select(nonzero, at_zero, a == ${t.num(0)}), ${t.num(1)}, (a == ${t.num(1)}) | (b == ${t.num(0)}));
}`,
});

export const intPower = integers({
  name: "int_power",
  wgsl: (t) => `// By repeated squaring; negative exponents truncate.
${signature(t, "int_power", "a", "b")} {
  var result = ${t.num(1)};
  var base = a;
  var left = max(b, ${t.num(0)});
  for (var i = 0; i < 31; i++) {
    result = select(result, result * base, (left & ${t.num(1)}) == ${t.num(1)});
    base = base * base;
    left = left >> ${isVector(t) ? "vec4u(1u)" : "1u"};
  }
  let whole = select(${t.num(0)}, a, abs(a) == ${t.num(1)});
  return select(result, select(whole, ${t.num(1)}, ((b & ${t.num(1)}) == ${t.num(0)}) & (whole != ${t.num(0)})), b < ${t.num(0)});
}`,
});

/** A word of Philox 4×32-10 for each element: counter = index / 4, key = (seed, 0), word = index mod 4. */
export const randomBits: WgslHelper = {
  name: "random_bits",
  needs: ["philox"],
  wgsl(t) {
    const u = unsignedType(t);
    if (!isVector(t)) {
      return `fn random_bits(index: u32, seed: u32) -> u32 {\n  return philox(index / 4u, seed)[index % 4u];\n}`;
    }
    return `// Four neighbours share one counter; other index patterns draw one by one.
fn random_bits4(index: ${u}, seed: u32) -> ${u} {
  let first = index.x / 4u;
  if (all(index == vec4u(4u * first) + vec4u(0u, 1u, 2u, 3u))) {
    return philox(first, seed);
  }
  return vec4u(
    philox(first, seed)[index.x % 4u],
    philox(index.y / 4u, seed)[index.y % 4u],
    philox(index.z / 4u, seed)[index.z % 4u],
    philox(index.w / 4u, seed)[index.w % 4u],
  );
}`;
  },
};

/** Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3 (2011). Scalar whatever the width. */
export const philox: WgslHelper = {
  name: "philox",
  wgsl: () => `// The high word of a * b.
fn multiply_high(a: u32, b: u32) -> u32 {
  let low = (a & 0xffffu) * (b & 0xffffu);
  let left = (a >> 16u) * (b & 0xffffu) + (low >> 16u);
  let right = (a & 0xffffu) * (b >> 16u) + (left & 0xffffu);
  return (a >> 16u) * (b >> 16u) + (left >> 16u) + (right >> 16u);
}

// Philox 4x32-10: the same four random words for the same counter and seed, on every device.
fn philox(counter: u32, seed: u32) -> vec4u {
  var word = vec4u(counter, 0u, 0u, 0u);
  var key = vec2u(seed, 0u);
  for (var round = 0; round < 10; round++) {
    word = vec4u(
      multiply_high(0xcd9e8d57u, word.z) ^ word.y ^ key.x,
      0xcd9e8d57u * word.z,
      multiply_high(0xd2511f53u, word.x) ^ word.w ^ key.y,
      0xd2511f53u * word.x,
    );
    key += vec2u(0x9e3779b9u, 0xbb67ae85u);
  }
  return word;
}`,
};

/** WGSL's own conversions leave open what they make of infinities, NaN and what rounds to infinity (from 65,520 on), or lose subnormals. */
const toHalf: WgslHelper = {
  name: "to_half",
  wgsl: () => `fn to_half(x: f32) -> u32 {
  let bits = bitcast<u32>(x);
  let magnitude = bits & 0x7fffffffu;
  let beyond = ((bits >> 16u) & 0x8000u) | select(0x7c00u, 0x7e00u, magnitude > 0x7f800000u);
  return select(pack2x16float(vec2f(x, 0.0)) & 0xffffu, beyond, magnitude >= 0x477ff000u);
}`,
};

const toHalves: WgslHelper = {
  name: "to_halves",
  wgsl: () => `fn to_halves(x: vec4f) -> vec2u {
  let bits = bitcast<vec4u>(x);
  let magnitude = bits & vec4u(0x7fffffffu);
  let past = magnitude >= vec4u(0x477ff000u);
  let sign = (bits >> vec4u(16u)) & vec4u(0x8000u);
  let beyond = sign | select(vec4u(0x7c00u), vec4u(0x7e00u), magnitude > vec4u(0x7f800000u));
  let safe = select(x, vec4f(0.0), past);
  let rest = select(vec4u(0u), beyond, past);
  return vec2u(pack2x16float(safe.xy), pack2x16float(safe.zw)) | rest.xz | (rest.yw << vec2u(16u));
}`,
};

const fromHalves: WgslHelper = {
  name: "from_halves",
  wgsl: () =>
    "fn from_halves(words: vec2u) -> vec4f {\n  return vec4f(unpack2x16float(words.x), unpack2x16float(words.y));\n}",
};

const asHalf: WgslHelper = {
  name: "as_half",
  needs: (t) => (isVector(t) ? ["to_halves", "from_halves"] : ["to_half"]),
  wgsl: (t) => `// The nearest half, ties to even.
${signature(wgslType("f32", isVector(t) ? 4 : 1), "as_half", "x")} {
  return ${isVector(t) ? "from_halves(to_halves(x))" : "unpack2x16float(to_half(x)).x"};
}`,
};

/** f16 in memory and in registers: rounding, packing and unpacking. */
export const HALVES: readonly WgslHelper[] = [toHalf, toHalves, fromHalves, asHalf];
