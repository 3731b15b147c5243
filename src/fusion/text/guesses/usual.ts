/**
 * @file Every guess about a pasted text stands here: sizes that nothing says, by what people call them, and types that inputs may have.
 * A guess is written into the text, where it is seen and changed.
 */
import type { AnnotatedKind } from "../reading/python-types";
import type { Evidence } from "./evidence";

/** Sizes and settings that a class takes and nobody says. */
const USUAL: readonly (readonly [name: RegExp, value: string])[] = [
  [/drop|^p$/, "0.1"],
  [/^_?(use|is|has|with|fused|flash|fast|supports|output|return|need)(_|$)|gradient_checkpointing/, "False"],
  [/attn_implementation/, '"eager"'],
  [/act(ivation|_fn|_layer|_type)?$|act_fn|nonlinearity/, '"silu"'],
  [/dim_head|head_(dim|size)/, "64"],
  [/vocab|num_embeddings/, "1024"],
  [/heads?$|^n_head|groups/, "8"],
  [/(top_?k|experts_per_tok|selected)/, "2"],
  [/experts?$/, "4"],
  [/classes|n_out|labels/, "16"],
  [/eps/, "1e-5"],
  [/bias|causal|affine/, "True"],
  [/(in|input)_ch/, "16"],
  [/theta|^base$/, "10000.0"],
  [/alpha|gamma|beta|temperature|^tau$|scale|scaling|factor|rate|weight_decay|^lr$/, "1.0"],
  [/rank$|^r$/, "8"],
  [/kernel|^k$|d_conv/, "3"],
  [/stride|layers?$|depth|ratio|mult|expand/, "2"],
  [/d_state/, "16"],
  [/idx$|index$|token_id$/, "0"],
  [/(img|image)_size/, "32"],
  [/patch|window/, "8"],
  [/len|block_size|seq|context|positions/, "64"],
];

/** A size for a parameter called `name`. */
export const usualValue = (name: string): string => USUAL.find(([pattern]) => pattern.test(name))?.[1] ?? "256";

/** A value for a parameter called `name` that holds this. */
export function usualOf(name: string, annotated: AnnotatedKind): string {
  const usual = usualValue(name);
  if (annotated === "flag") return usual === "True" && /causal/.test(name) ? "True" : "False";
  if (annotated === "text") return usual.startsWith('"') ? usual : '""';
  if (annotated === "sizes") return "(8, 8)";
  if (annotated === "number") return /^[\d.e-]+$/.test(usual) && Number(usual) < 1 ? usual : "1.0";
  return annotated === "whole" && /^\d+$/.test(usual) ? usual : annotated === "whole" ? "8" : "None";
}

/** Names of parameters that hold settings, `config.n_embd`, not a size. */
export const SETTINGS = /^(\w+_)?(config|cfg|conf|args|hparams|hps|params|opts?|options|settings)$/;

/** Names of parameters of forward() that are flags, whatever they are annotated as. */
export const FLAGS = /^(output_|return_|use_|is_|need_)/;

/** Names that sizes of a module give the width of what goes in. */
const WIDTH =
  /^(n_embd|d_model|dim|hidden\w*|embed\w*|n_state|width|in_features|channels|in_ch\w*|in_planes|inplanes|features|size|n_feat\w*|in_dim|input_size)$/;
const MAX_WIDTHS = 6;
/** Extents that pictures usually have. */
const PICTURES = [32, 28, 224, 64, 96];

/** Sizes of axes, by what people call them in a comment or where they take a shape apart. */
const AXES: readonly (readonly [name: RegExp, size: number])[] = [
  [/^(b|bs|bsz|bz|nb|batch\w*|n_?batch\w*)$/i, 8],
  [/^(h|w|height|width|hh|ww|img_?[hw]|x_?res|y_?res)$/i, 32],
  [/head_?dim|dim_?head|d_?head|^(dh|hd|d_k|d_v)$/i, 64],
  [/heads?$|^(nh|n_h|n_head|g|groups)$/i, 8],
  [/experts?$|views?$/i, 4],
  [/^(t|l|s|q|k|m|e|p|j|i|seq\w*|\w*len|length|time\w*|tokens|steps|frames|points|edges|nodes|num_\w+|n_\w+)$/i, 64],
  [/^(c|d|f|dim|ch\w*|feat\w*|emb\w*|hidden\w*|d_?model|width|\w*(dim|channels|features|size))$/i, 256],
];
/** Sizes of axes that have no name, by how many there are. */
const BY_RANK: readonly (readonly number[])[] = [
  [],
  [256],
  [64, 256],
  [8, 64, 256],
  [8, 8, 64, 32],
  [2, 16, 8, 32, 32],
];
/** Names of the axis of heads. */
const OF_HEADS = /heads?$|^(h|nh|n_h|n_head)$/i;
/** The rows that attention relates, and the width of each head. */
const [ROWS, HEAD] = [256, 64];
/** Channels of a picture or a volume. */
const CHANNELS = 16;

/** Names of inputs by what they hold. */
const DATA = /^(x|h|z|inputs?|images?|hidden\w*|src|tgt|tokens?_?emb\w*|embeddings?|features?)$/;
const HEADS = /^(q|k|v|query|key|value)s?$/;
const INDICES = /((^|_|input)ids?|idx|ind(ex|ices)|tokens?|labels?|targets?)$/;
const EDGES = /^edge_?(index|list|indices)$|^edges$/;
const MASK = /mask/;
const MOMENTS = /^(t|timesteps?|times?|sigmas?|noise_levels?)$/;
const STATES = /state|cache|memory/;
/** Names of widths that states have. */
const HIDDEN = /hidden|state|inner/;
const NUMBER = /^(eps|scale|alpha|beta|temperature|lr|p|t)$/;
const VECTOR = /(^|_)(b|bias|beta|gamma|g|gain|scale|ln\w*|norm\w*)\d*$|^b\w?\d*$/i;

export const isVector = (name: string): boolean => VECTOR.test(name);
/** Inputs whose type hangs on their own name alone. */
export const standsAlone = (name: string): boolean => DATA.test(name) || INDICES.test(name) || MASK.test(name);

/** An axis called `name`, the one at `at` of `names`; `sizes` are those that a module keeps. */
function extentOf(names: readonly string[], at: number, sizes: ReadonlyMap<string, number>): number {
  const name = names[at]!.replace(/^self\./, "");
  if (/^\d+$/.test(name)) return Number(name);
  const known = sizes.get(name) ?? sizes.get(name.toLowerCase());
  if (known !== undefined) return known;
  const times = /^(\d+)\s*\*\s*(\w+)$/.exec(name) ?? /^(\w+)\s*\*\s*(\w+)$/.exec(name);
  if (times) return extentOf([times[1]!, ""], 0, sizes) * extentOf(["", times[2]!], 1, sizes);
  const channels = /^(c|ch|channels?|c_?in|in_ch\w*)$/i.test(name) ? channelsOf(sizes) : undefined;
  if (channels !== undefined) return channels;
  const over = names.some((each) => /^(w|width)$/i.test(each)) && names.some((each) => /^(h|height)$/i.test(each));
  if (over && /^(c|ch\w*|c_?in|in_ch\w*|d|dim)$/i.test(name)) return widthOf(sizes) ?? CHANNELS;
  if (/^h$/i.test(name) && !over) return 8;
  if (at === 0 && names.length >= 3 && /^(n|b\w*)$/i.test(name)) return 8;
  // Heads of a batch, "bhqd": weights that make them, "dhk", keep the width of what they meet.
  if (!over && names.length === 4 && names.some((each) => OF_HEADS.test(each))) {
    if (/^(d|dim)$/i.test(name)) return HEAD;
    if (/^[qk]$/.test(name) && (at < 3 || names.includes("q"))) return ROWS;
  }
  const found = AXES.find(([pattern]) => pattern.test(name))?.[1];
  const usual = BY_RANK[names.length]?.[at] ?? 8;
  if (names.every((each) => each === "")) return usual;
  if (at === names.length - 1 && (found === 256 || found === undefined)) return widthOf(sizes) ?? found ?? 64;
  return found ?? usual;
}

/** The channels that a module takes. */
const channelsOf = (sizes: ReadonlyMap<string, number>): number | undefined =>
  [...sizes].find(([each, size]) => size > 1 && /^(in_ch\w*|channels?|in_planes|inplanes|c_?in)$/.test(each))?.[1];

/** The width that a module keeps. */
const widthOf = (sizes: ReadonlyMap<string, number>): number | undefined =>
  [...sizes].find(([each, size]) => size > 1 && WIDTH.test(each))?.[1];

/** Types that agree with what the text says of an input, the likeliest first; none where it says nothing. */
export function saidTypes(
  name: string,
  { axes, least, extents, reads }: Evidence,
  sizes: ReadonlyMap<string, number>,
): readonly string[] {
  const shapes: (readonly number[])[] = [];
  if (axes) shapes.push(axes.map((_, at) => extentOf(axes, at, sizes)));
  // Rows of two axes that nothing names may be those of a head.
  if (axes?.join() === ",") shapes.push([ROWS, HEAD]);
  else if (extents.size > 0) for (const rank of [least, least + 1]) shapes.push(BY_RANK[rank] ?? []);
  else if (reads === "index") shapes.push([64], [8, 64]);
  const fitted = shapes
    .filter((shape) => shape.length > 0 || axes)
    .map((shape) =>
      shape.map((size, at) => {
        const last = reads === "index" && at === shape.length - 1 ? 64 : size;
        return axes?.[at] ? size : (extents.get(at) ?? extents.get(at - shape.length) ?? last);
      }),
    );
  const dtypes = reads === "index" || INDICES.test(name) ? ["i32", "f32"] : MASK.test(name) ? ["bool", "f32"] : ["f32"];
  return dtypes.flatMap((dtype) => fitted.map((shape) => `${dtype}[${shape.join(", ")}]`));
}

/** How many axes a type has. */
export const rankOf = (type: string): number => {
  const sizes = /\[(.*?)\]/.exec(type)?.[1] ?? "";
  return sizes === "" ? 0 : sizes.split(",").length;
};

/** Types with at least so many axes first. */
export const withAxes = (types: readonly string[], least: number): readonly string[] => {
  const fits = (type: string): boolean => rankOf(type) >= least;
  return [...types.filter(fits), ...types.filter((type) => !fits(type))];
};

/** Inputs of a def whose types change together: a weight goes with its bias. */
export function groupOf(name: string): string {
  if (HEADS.test(name)) return "heads";
  return `weights ${name.replaceAll(/(weights?|bias|kernel|gamma|beta|scale|_|w|b)/gi, "").toLowerCase()}`;
}

const WIDTHS = [256, 768, 1024, 64] as const;

/** Types that the inputs of a group of a def could have, the likeliest row first. */
export function rowsOf(names: readonly string[], first: boolean, pictures: boolean): readonly (readonly string[])[] {
  const all = (...types: readonly string[]): readonly (readonly string[])[] =>
    types.map((type) => names.map(() => type));
  const [name] = names;
  if (names.length > 1 && HEADS.test(name!))
    return all(`f32[8, 8, ${ROWS}, ${HEAD}]`, "f32[8, 64, 256]", "f32[64, 256]", `f32[8, ${ROWS}, 8, ${HEAD}]`);
  if (EDGES.test(name!)) return all("i32[2, 64]");
  if (INDICES.test(name!))
    return all("i32[8, 64]", "i32[8]", "i32[64]", "f32[8, 64]", "f32[8, 64, 256]", "f32[64, 256]");
  if (MASK.test(name!))
    return all(
      `bool[${ROWS}, ${ROWS}]`,
      "bool[64, 64]",
      `f32[${ROWS}, ${ROWS}]`,
      "f32[64, 64]",
      "bool[8, 64]",
      "f32[8, 1, 64, 64]",
      "bool[8, 1, 64, 64]",
    );
  if (DATA.test(name!) || first)
    return all(
      ...(pictures ? ["f32[8, 3, 32, 32]"] : []),
      "f32[8, 64, 256]",
      "f32[64, 256]",
      "f32[8, 3, 32, 32]",
      "f32[8, 8, 64, 32]",
      "f32[256]",
      "f32[512]",
      "i32[64]",
      "f32[]",
    );
  if (NUMBER.test(name!)) return all("f32[]", "f32[256]");
  const matrix = ([rows, columns]: readonly [number, number]): readonly string[] =>
    names.map((each) => (VECTOR.test(each) ? `f32[${columns}]` : `f32[${rows}, ${columns}]`));
  const filter = (type: string, out: number): readonly string[] =>
    names.map((each) => (VECTOR.test(each) ? `f32[${out}]` : type));
  const filters = [filter("f32[16, 3, 3, 3]", 16), filter("f32[16, 16, 3, 3]", 16), filter("f32[10, 16]", 10)];
  const across = [256, 1024].flatMap((rows) => WIDTHS.map((columns) => [rows, columns] as const));
  return [
    ...(pictures ? filters : []),
    ...across.map(matrix),
    ...WIDTHS.map((out) => names.map((each) => (VECTOR.test(each) ? `f32[${out}]` : `f32[${out}, 256]`))),
    ...all("f32[256]", "f32[8, 64, 256]", "f32[8, 8, 64]", "f32[8, 8, 64, 32]", "f32[64, 32]", "f32[8]", "f32[]"),
    ...all("i32[64]", "i32[8, 64]"),
  ];
}

/**
 * Types that an input of a module could have, the likeliest first.
 * @param wanted what the first layer that meets it takes; null where none does
 * @param sizes whole numbers that the module keeps, by name
 * @param evidence what the text says of it
 */
export function candidates(
  name: string,
  wanted: string | null,
  sizes: ReadonlyMap<string, number>,
  evidence: Evidence,
): readonly string[] {
  const all = [...sizes].filter(([, size]) => size > 1);
  const named = all.filter(([each]) => WIDTH.test(each)).map(([, size]) => size);
  const others = all.filter(([each]) => !WIDTH.test(each)).map(([, size]) => size);
  const hidden = all.filter(([each]) => STATES.test(name) && HIDDEN.test(each)).map(([, size]) => size);
  const widths = [...new Set([...hidden, ...named, ...(named.length === 0 ? [256] : []), ...others])].slice(
    0,
    MAX_WIDTHS,
  );
  const pictures = wanted?.includes("32, 32")
    ? PICTURES.map((extent) => wanted.replace("32, 32", `${extent}, ${extent}`))
    : [];
  const known = wanted === null ? [] : [wanted, wanted.replace("[8, 64, ", "[8, ")];
  const indices = [
    ...(EDGES.test(name) ? ["i32[2, 64] = uniform(0, 8)"] : []),
    "i32[8, 64] = uniform(0, 100)",
    "i32[8] = uniform(0, 10)",
  ];
  const masks = ["bool[64, 64]", "f32[64, 64]", "f32[8, 1, 64, 64]", "bool[8, 64]", "bool[8, 1, 64, 64]"];
  const distinct = [...new Set(all.map(([, size]) => size))];
  // A state has a value or a few for each of more channels.
  const pairs = distinct.flatMap((rows) =>
    distinct.flatMap((columns) => (rows > columns ? [[rows, columns] as const] : [])),
  );
  const states = pairs.toSorted(([a], [b]) => b - a).map(([rows, columns]) => `f32[8, ${rows}, ${columns}]`);
  // Rows of a picture that is taken apart: as many as a square of a size has.
  const squares = distinct.filter((size) => size <= MAX_SIDE).map((size) => `f32[8, ${size ** 2}, ${widths[0]!}]`);
  const guesses = widths.flatMap((width) => [
    `f32[8, 64, ${width}]`,
    `f32[8, ${width}]`,
    `f32[8, ${width}, 32, 32]`,
    `f32[8, ${width}, 64]`,
    `f32[8, 32, 32, ${width}]`,
  ]);
  const said = saidTypes(name, evidence, sizes).map((type) =>
    type.startsWith("i32") ? `${type} = uniform(0, 8)` : type,
  );
  const rank = evidence.axes?.length ?? null;
  const agreed = known.filter((type) => rank === null || rankOf(type) === rank);
  const types = [
    ...new Set([
      ...agreed,
      ...said,
      ...known,
      ...pictures,
      ...(wanted === null && INDICES.test(name) ? indices : []),
      ...(wanted === null && MASK.test(name) ? masks : []),
      ...(MOMENTS.test(name) ? ["f32[8]"] : []),
      ...(wanted === null && STATES.test(name) ? states : []),
      ...guesses,
      "f32[8, 3, 32, 32]",
      ...squares,
      ...indices,
      "f32[8]",
    ]),
  ];
  return withAxes(types, evidence.least);
}

const MAX_SIDE = 64;

/** Shapes that all inputs of a function may share. */
export const ALIKE = ["f32[8, 64, 256]", "f32[8, 8, 64, 32]", "f32[64, 256]", "f32[8, 256]"];
