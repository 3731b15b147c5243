/** @file What CUDA C++ lacks beside WGSL: arithmetic on four numbers at once, `select`, and functions of another shape. Plain text. */

import { functionsOfOne, functionsOfTwo, ordered, signed } from "../../ops";

const each = (type: string, letters: string, body: (letter: string) => string): string =>
  `make_${type}(${letters.split("").map(body).join(", ")})`;

function arithmetic(type: string, scalar: string, signs: readonly string[]): string[] {
  return signs.flatMap((sign) => [
    `__device__ inline ${type} operator${sign}(${type} a, ${type} b) { return ${each(type, "xyzw", (l) => `a.${l} ${sign} b.${l}`)}; }`,
    `__device__ inline ${type} operator${sign}(${type} a, ${scalar} b) { return a ${sign} make_${type}(b); }`,
    `__device__ inline ${type} operator${sign}(${scalar} a, ${type} b) { return make_${type}(a) ${sign} b; }`,
    `__device__ inline ${type}& operator${sign}=(${type}& a, ${type} b) { return a = a ${sign} b; }`,
  ]);
}

const comparisons = (type: string): string[] =>
  ["<", ">", "<=", ">=", "==", "!="].map(
    (sign) =>
      `__device__ inline bool4 operator${sign}(${type} a, ${type} b) { return ${each("bool4", "xyzw", (l) => `a.${l} ${sign} b.${l}`)}; }`,
  );

const perLane = (type: string, names: readonly string[]): string[] =>
  names.map(
    (name) =>
      `__device__ inline ${type} ${name}(${type} a) { return ${each(type, "xyzw", (l) => `${name}(a.${l})`)}; }`,
  );

const pairs = (type: string, names: readonly string[]): string[] =>
  names.map(
    (name) =>
      `__device__ inline ${type} ${name}(${type} a, ${type} b) { return ${each(type, "xyzw", (l) => `${name}(a.${l}, b.${l})`)}; }`,
  );

/** Constructors of four, from one number and from four of another type. */
function constructors(type: string, scalar: string): string[] {
  const others = ["float4", "int4", "uint4", "bool4"].filter((other) => other !== type);
  return [
    `__device__ inline ${type} make_${type}(${scalar} a) { return make_${type}(a, a, a, a); }`,
    `__device__ inline ${type} make_${type}(${type} a) { return a; }`,
    ...others.map(
      (other) =>
        `__device__ inline ${type} make_${type}(${other} a) { return ${each(type, "xyzw", (l) => `${scalar}(a.${l})`)}; }`,
    ),
  ];
}

const selects = ["float4", "int4", "uint4", "bool4"].map(
  (type) =>
    `__device__ inline ${type} select(${type} no, ${type} yes, bool4 when) { return ${each(type, "xyzw", (l) => `when.${l} ? yes.${l} : no.${l}`)}; }`,
);

const lanes = (type: string, scalar: string): string[] => [
  `__device__ inline ${scalar}& lane(${type}& a, unsigned k) { return (&a.x)[k]; }`,
  `__device__ inline ${scalar} lane(const ${type}& a, unsigned k) { return (&a.x)[k]; }`,
];

const bits = (name: string, to: string, types: readonly (readonly [string, string])[]): string[] =>
  types.flatMap(([from, four]) => [
    `__device__ inline ${to} ${name}(${from} a) { return *reinterpret_cast<${to}*>(&a); }`,
    ...(four === ""
      ? []
      : [
          `__device__ inline ${to === "unsigned" ? "uint" : to}4 ${name}(${four} a) { return *reinterpret_cast<${to === "unsigned" ? "uint" : to}4*>(&a); }`,
        ]),
  ]);

/** The helpers of every kernel's text, to be put before it. */
export const cudaHeader = [
  "// Four numbers at once, as WGSL has them.",
  "struct bool4 { bool x, y, z, w; };",
  "__device__ inline bool4 make_bool4(bool x, bool y, bool z, bool w) { return bool4{x, y, z, w}; }",
  ...constructors("float4", "float"),
  ...constructors("int4", "int"),
  ...constructors("uint4", "unsigned"),
  ...constructors("bool4", "bool"),
  ...arithmetic("float4", "float", ["+", "-", "*", "/"]),
  ...arithmetic("int4", "int", ["+", "-", "*", "/", "%", "&", "|", "^"]),
  ...arithmetic("uint4", "unsigned", ["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"]),
  ...arithmetic("bool4", "bool", ["&", "|"]),
  "__device__ inline uint2& operator+=(uint2& a, uint2 b) { a.x += b.x; a.y += b.y; return a; }",
  `__device__ inline float4 operator-(float4 a) { return ${each("float4", "xyzw", (l) => `-a.${l}`)}; }`,
  `__device__ inline int4 operator-(int4 a) { return ${each("int4", "xyzw", (l) => `-a.${l}`)}; }`,
  `__device__ inline bool4 operator!(bool4 a) { return ${each("bool4", "xyzw", (l) => `!a.${l}`)}; }`,
  `__device__ inline int4 operator<<(int4 a, uint4 b) { return ${each("int4", "xyzw", (l) => `a.${l} << b.${l}`)}; }`,
  `__device__ inline int4 operator>>(int4 a, uint4 b) { return ${each("int4", "xyzw", (l) => `a.${l} >> b.${l}`)}; }`,
  `__device__ inline uint3 operator*(uint3 a, dim3 b) { return make_uint3(a.x * b.x, a.y * b.y, a.z * b.z); }`,
  `__device__ inline uint3 operator+(uint3 a, uint3 b) { return make_uint3(a.x + b.x, a.y + b.y, a.z + b.z); }`,
  ...["float4", "int4", "uint4"].flatMap(comparisons),
  `__device__ inline bool4 operator==(bool4 a, bool4 b) { return ${each("bool4", "xyzw", (l) => `a.${l} == b.${l}`)}; }`,
  `__device__ inline bool4 operator!=(bool4 a, bool4 b) { return ${each("bool4", "xyzw", (l) => `a.${l} != b.${l}`)}; }`,
  "template <class T> __device__ inline T select(T no, T yes, bool when) { return when ? yes : no; }",
  ...selects,
  "__device__ inline bool all(bool4 a) { return a.x & a.y & a.z & a.w; }",
  "__device__ inline bool any(bool4 a) { return a.x | a.y | a.z | a.w; }",
  "__device__ inline float sign(float a) { return a > 0 ? 1.0f : a < 0 ? -1.0f : 0.0f; }",
  "__device__ inline int sign(int a) { return (a > 0) - (a < 0); }",
  "__device__ inline float fract(float a) { return a - floor(a); }",
  "template <class T> __device__ inline T clamp(T a, T low, T high) { return min(max(a, low), high); }",
  ...perLane("float4", functionsOfOne),
  ...perLane("int4", signed),
  ...pairs("float4", functionsOfTwo),
  ...pairs("int4", ordered),
  ...pairs("uint4", ordered),
  `__device__ inline float4 fma(float4 a, float4 b, float4 c) { return ${each("float4", "xyzw", (l) => `fma(a.${l}, b.${l}, c.${l})`)}; }`,
  "__device__ inline float dot(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }",
  ...lanes("float4", "float"),
  ...lanes("int4", "int"),
  ...lanes("uint4", "unsigned"),
  ...bits("as_uint", "unsigned", [
    ["float", "float4"],
    ["int", "int4"],
  ]),
  ...bits("as_int", "int", [
    ["float", "float4"],
    ["unsigned", "uint4"],
  ]),
  ...bits("as_float", "float", [
    ["unsigned", "uint4"],
    ["int", "int4"],
  ]),
  "template <class T> __device__ inline T shuffle_xor(T a, unsigned by) { return __shfl_xor_sync(0xffffffffu, a, by); }",
  "__device__ inline unsigned atomic_load(const unsigned* at) { return *reinterpret_cast<const volatile unsigned*>(at); }",
  "__device__ inline int atomic_load(const int* at) { return *reinterpret_cast<const volatile int*>(at); }",
  "__device__ inline void atomic_store(int* at, int a) { *reinterpret_cast<volatile int*>(at) = a; }",
  "__device__ inline void atomic_store(unsigned* at, unsigned a) { *reinterpret_cast<volatile unsigned*>(at) = a; }",
  "// All threads of a block read what one of them has stored.",
  "template <class T> __device__ inline T uniform_load(const T* at) { __syncthreads(); const T a = *at; __syncthreads(); return a; }",
  "",
].join("\n");
