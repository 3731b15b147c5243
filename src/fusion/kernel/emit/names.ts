/** @file Identifiers for WGSL from the user's names. */
import { wgslHelpers } from "../../ops";

/** Keywords and reserved words of WGSL (sections 16.1 and 16.2), and its built-in types and functions (sections 6, 16.4 and 17). */
const WGSL_WORDS: ReadonlySet<string> = new Set([
  ...`alias break case const const_assert continue continuing default diagnostic discard else enable false fn for if let loop
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
   function private storage uniform workgroup read write read_write compute vertex fragment
   bool f16 f32 i32 u32 array atomic ptr sampler sampler_comparison
   abs acos acosh all any arrayLength asin asinh atan atan2 atanh bitcast ceil clamp cos cosh countLeadingZeros countOneBits
   countTrailingZeros cross degrees determinant distance dot dot4I8Packed dot4U8Packed dpdx dpdxCoarse dpdxFine dpdy dpdyCoarse
   dpdyFine exp exp2 extractBits faceForward firstLeadingBit firstTrailingBit floor fma fract frexp fwidth fwidthCoarse fwidthFine
   insertBits inverseSqrt ldexp length log log2 max min mix modf normalize pow quantizeToF16 radians reflect refract reverseBits
   round saturate select sign sin sinh smoothstep sqrt step tan tanh transpose trunc unpack2x16float unpack2x16snorm
   unpack2x16unorm unpack4x8snorm unpack4x8unorm unpack4xI8 unpack4xU8 pack2x16float pack2x16snorm pack2x16unorm pack4x8snorm
   pack4x8unorm pack4xI8 pack4xI8Clamp pack4xU8 pack4xU8Clamp storageBarrier textureBarrier workgroupBarrier workgroupUniformLoad
   atomicAdd atomicAnd atomicCompareExchangeWeak atomicExchange atomicLoad atomicMax atomicMin atomicOr atomicStore atomicSub
   atomicXor subgroupAdd subgroupAll subgroupAnd subgroupAny subgroupBallot subgroupBroadcast subgroupBroadcastFirst subgroupElect
   subgroupExclusiveAdd subgroupExclusiveMul subgroupInclusiveAdd subgroupInclusiveMul subgroupMax subgroupMin subgroupMul
   subgroupOr subgroupShuffle subgroupShuffleDown subgroupShuffleUp subgroupShuffleXor subgroupXor quadBroadcast quadSwapDiagonal
   quadSwapX quadSwapY textureDimensions textureGather textureGatherCompare textureLoad textureNumLayers textureNumLevels
   textureNumSamples textureSample textureSampleBaseClampToEdge textureSampleBias textureSampleCompare textureSampleCompareLevel
   textureSampleGrad textureSampleLevel textureStore`.split(/\s+/),
  ...[2, 3, 4].flatMap((n) => ["", "f", "h", "i", "u"].map((suffix) => `vec${n}${suffix}`)),
  ...[2, 3, 4].flatMap((n) => [2, 3, 4].flatMap((m) => ["", "f", "h"].map((suffix) => `mat${n}x${m}${suffix}`))),
  ...[
    "1d",
    "2d",
    "2d_array",
    "3d",
    "cube",
    "cube_array",
    "multisampled_2d",
    "depth_2d",
    "depth_2d_array",
    "depth_cube",
  ].map((kind) => `texture_${kind}`),
]);

/** What shapes call their own things: indices and sizes of the launch, loop counters, workgroup arrays, functions of whole kernels. */
const FRAME_WORDS: ReadonlySet<string> = new Set(
  `i k gid wid tid row column lane turn half chunk start unit band batch tile across down left top tx ty source partial a_tile b_tile
   peers group subgroup subgroups subgroup_size subgroup_lane apart scan keys indices pair stride back put_in_order merged_from order_key
   take_number   from_order_key from_halves to_halves to_half`.split(/\s+/),
);

let helperNames: ReadonlySet<string> | null = null;
/** The functions that ops bring along, for one element and for four. */
function isHelper(name: string): boolean {
  helperNames ??= new Set([...wgslHelpers().keys()].flatMap((helper) => [helper, `${helper}4`]));
  return helperNames.has(name);
}

/** True where a module can't use `name` for something of its own. */
export const isTaken = (name: string): boolean => WGSL_WORDS.has(name) || FRAME_WORDS.has(name) || isHelper(name);

/** A legal WGSL identifier close to `text`; `fallback` when nothing of it is left. */
export function identifier(text: string, fallback: string): string {
  if (text.length <= 40 && /^[A-Za-z](?:_?[A-Za-z0-9])*$/.test(text)) return text;
  let name = text.replaceAll(/[^A-Za-z0-9_]+/g, "_").replaceAll(/_{2,}/g, "_");
  if (name.length > 40) name = name.slice(0, 40);
  name = name.replace(/^_+/, "").replace(/_+$/, "");
  if (!/^[A-Za-z]/.test(name)) name = name === "" ? fallback : `${fallback}_${name}`;
  return name;
}

/** `h_113` of `h_113` and `h_113_mean`: what a value is called that was bound again, or a name that was taken. */
const NUMBERED = /^([A-Za-z][A-Za-z0-9]*)_(\d+)(?![A-Za-z0-9])/;

/** The first part of a word: up to its first `_`, and with the number behind that. */
export function stemOf(word: string): { readonly stem: string; readonly number: number | null } {
  const found = NUMBERED.exec(word);
  return found ? { stem: found[0], number: Number(found[2]) } : { stem: word.split("_", 1)[0]!, number: null };
}

/** Hands out names that don't collide inside one kernel. */
export class Names {
  #used = new Map<string, number>();
  #largest = 0;

  /** The largest number behind the first part of a name so far. */
  get largestNumber(): number {
    return this.#largest;
  }

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
    this.#largest = Math.max(this.#largest, stemOf(name).number ?? 0);
    return name;
  }
}
