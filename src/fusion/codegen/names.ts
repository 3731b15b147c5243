/** @file Identifiers for WGSL from the user's names. */

// Keywords and reserved words of WGSL (sections 16.1, 16.2) that a short user name is likely to meet, and what our kernels use.
const TAKEN = new Set(
  `alias break case const const_assert continue continuing default diagnostic discard else enable false fn for if let loop
   override requires return struct switch true var while NULL Self abstract active alignas alignof as asm asm_fragment async
   attribute auto await become binding_array cast catch class co_await co_return co_yield coherent column_major common compile
   compile_fragment concept const_cast consteval constexpr constinit crate debugger decltype delete demote demote_to_helper do
   dynamic_cast enum explicit export extends extern external fallthrough filter final finally friend from fxgroup get goto
   groupshared highp impl implements import inline instanceof interface layout lowp macro macro_rules match mediump meta mod
   module move mut mutable namespace new nil noexcept noinline nointerpolation non_coherent noncoherent noperspective null
   nullptr of operator package packoffset partition pass patch pixelfragment precise precision premerge priv protected pub public
   readonly ref regardless register reinterpret_cast require resource restrict self set shared sizeof smooth snorm static
   static_assert static_cast std subroutine super target template this thread_local throw trait try type typedef typeid typename
   typeof union unless unorm unsafe unsized use using varying virtual volatile wgsl where with writeonly yield
   bool f16 f32 i32 u32 vec2 vec3 vec4 vec2f vec3f vec4f vec4h vec4i vec4u vec2u vec3u mat2x2 mat3x3 mat4x4 array atomic ptr sampler
   texture_2d abs acos acosh all any asin asinh atan atan2 atanh bitcast ceil clamp cos cosh countOneBits cross degrees
   determinant distance dot exp exp2 extractBits faceForward floor fma fract frexp insertBits inverseSqrt ldexp length log log2
   max min mix modf normalize pow quantizeToF16 radians reflect refract reverseBits round saturate select sign sin sinh
   smoothstep sqrt step storageBarrier tan tanh transpose trunc workgroupBarrier workgroupUniformLoad
   pack2x16float unpack2x16float atomicAnd atomicOr atomicLoad atomicStore`.split(/\s+/),
);
// Names of our own: builtins, loop counters, places in a grid, workgroup arrays, and the functions that ops bring along.
const OURS = new Set(
  `i k gid wid tid row column lane turn half chunk start unit band batch tile across down left top tx ty source workgroup partial a_tile b_tile
   peers group subgroup subgroups subgroup_size subgroup_lane apart scan keys places pair stride back put_in_order merged_from order_key from_order_key
   from_bits ln lb log1p expm1 erf mish int_div int_mod int_floor_div floor_mod floor_div power int_power random_bits philox
   from_bits4 ln4 lb4 log1p4 expm14 erf4 mish4 int_div4 int_mod4 int_floor_div4 floor_mod4 floor_div4 power4 int_power4
   random_bits4 multiply_high from_halves to_halves to_half`.split(/\s+/),
);

/** True where a module can't use `name` for something of its own. */
export const isTaken = (name: string): boolean => TAKEN.has(name) || OURS.has(name);

/** A legal WGSL identifier close to `text`; `fallback` when nothing of it is left. */
export function identifier(text: string, fallback: string): string {
  if (text.length <= 40 && /^[A-Za-z](?:_?[A-Za-z0-9])*$/.test(text)) return text;
  let name = text.replaceAll(/[^A-Za-z0-9_]+/g, "_").replaceAll(/_{2,}/g, "_");
  if (name.length > 40) name = name.slice(0, 40);
  name = name.replace(/^_+/, "").replace(/_+$/, "");
  if (!/^[A-Za-z]/.test(name)) name = name === "" ? fallback : `${fallback}_${name}`;
  return name;
}

/** Hands out names that don't collide inside one kernel. */
export class Names {
  #used = new Map<string, number>();

  /** `base`, or `base_2`, `base_3` …; `base_v` where WGSL or the kernel's frame has that word. */
  fresh(base: string): string {
    return this.#unused(isTaken(base) ? `${base}_v` : base);
  }

  /** A name of the kernel's frame: `row`, `tile`. */
  frame(base: string): string {
    return this.#unused(base);
  }

  /** The scope of a loop counter has ended. */
  release(name: string): void {
    this.#used.delete(name);
  }

  #unused(stem: string): string {
    let name = stem;
    let count = this.#used.get(stem) ?? 0;
    while (this.#used.has(name)) name = `${stem}_${++count}`;
    this.#used.set(stem, Math.max(count, 1));
    if (name !== stem) this.#used.set(name, 1);
    return name;
  }
}
