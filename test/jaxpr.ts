/** @file JAX programs, as JAX prints them (jaxpr), written in the typed language. */

export interface Typed {
  readonly shape: readonly number[];
  readonly dtype: string;
}
type Operand = string | { readonly lit: Typed & { readonly data: unknown } };
/** As written by JAX; each primitive knows its own. */
type Params = Readonly<Record<string, unknown>>;
interface Equation {
  readonly prim: string;
  readonly in: readonly Operand[];
  readonly out: readonly (Typed & { readonly name: string })[];
  readonly params: Params;
}
export interface Jaxpr {
  readonly consts: readonly unknown[];
  readonly in: readonly (Typed & { readonly name: string })[];
  readonly eqns: readonly Equation[];
  readonly out: readonly Operand[];
}
export interface Data extends Typed {
  readonly data: unknown;
}
export const DTYPES: Record<string, string> = {
  float32: "f32",
  float64: "f32",
  int32: "i32",
  int64: "i32",
  bool: "bool",
};
const numbersIn = (params: Params, name: string): readonly number[] => params[name] as readonly number[];
const list = (numbers: readonly number[]): string => `(${numbers.join(", ")}${numbers.length === 1 ? "," : ""})`;
export const flat = (data: unknown): number[] =>
  (Array.isArray(data) ? data.flat(Infinity) : [data]).map((value) =>
    typeof value === "boolean" ? Number(value) : Number(String(value).replace(/inf(inity)?$/i, "Infinity")),
  );

/** What has no program here: primitives by their name in JAX. */
export class Unsupported extends Error {}

const NAMES: Record<string, string> = {
  add: "add", sub: "sub", mul: "mul", div: "div", max: "maximum", min: "minimum", neg: "neg", exp: "exp", exp2: "exp2", log: "log", log1p: "log1p", expm1: "expm1",
  tanh: "tanh", logistic: "sigmoid", sqrt: "sqrt", rsqrt: "rsqrt", square: "square", abs: "abs", sign: "sign", sin: "sin", cos: "cos", asin: "asin", acos: "acos",
  sinh: "sinh", cosh: "cosh", atan2: "atan2", erf: "erf", floor: "floor", round: "round", pow: "pow", ne: "ne", eq: "eq", lt: "lt", gt: "gt", ge: "ge", le: "le",
  and: "logical_and", stop_gradient: "stop_gradient", device_put: "identity",
}; // prettier-ignore

/** Axes that are contracted, and those of the batch, left and right. */
type Contracted = readonly [Sides, Sides];
type Sides = readonly [left: readonly number[], right: readonly number[]];

export class Writer {
  readonly lines: string[] = [];
  private count = 0;

  /** Statements for `jaxpr` with these operands; names of its results. */
  inline(jaxpr: Jaxpr, operands: readonly string[]): string[] {
    const names = new Map(jaxpr.in.map(({ name }, i) => [name, operands[i]!]));
    const types = new Map<string, Typed>(jaxpr.in.map((each) => [each.name, each]));
    const said = (operand: Operand): string => (typeof operand === "string" ? names.get(operand)! : this.literal(operand.lit)); // prettier-ignore
    for (const eqn of jaxpr.eqns) {
      const shapes = eqn.in.map((operand) => (typeof operand === "string" ? types.get(operand)! : operand.lit).shape);
      const results = this.equation(eqn, eqn.in.map(said), shapes);
      eqn.out.forEach((out, i) => {
        names.set(out.name, results[i]!);
        types.set(out.name, out);
      });
    }
    return jaxpr.out.map(said);
  }

  private literal({ dtype, shape, data }: Typed & { data: unknown }): string {
    if (shape.length > 0) throw new Unsupported("literal tensor");
    const number = flat(data)[0]!;
    const text = Number.isFinite(number) ? String(number) : number > 0 ? "inf" : Number.isNaN(number) ? "nan" : "-inf";
    return dtype.startsWith("float") ? `f32(float("${text}"))`.replace(/float\("(-?[\d.e-]+)"\)/, "$1") : dtype === "bool" ? (number ? "True" : "False") : text; // prettier-ignore
  }

  private make(value: string): string {
    const name = `v_${this.count++}`;
    this.lines.push(`${name} = ${value}`);
    return name;
  }

  private equation({ prim, params, out }: Equation, args: readonly string[], shapes: readonly (readonly number[])[]): string[] {
    const [x, y] = args;
    const one = (value: string): string[] => [this.make(value)];
    const inner = (params["jaxpr"] ?? params["call_jaxpr"]) as (Jaxpr & { readonly jaxpr?: Jaxpr }) | undefined;
    if (inner && prim !== "reduce") return this.inline(inner.jaxpr ?? inner, args);
    if (NAMES[prim]) return one(`${NAMES[prim]}(${args.join(", ")})`);
    switch (prim) {
      case "integer_pow": return one(`${x} ** ${Number(params["y"])}`);
      case "rem": return one(`fmod(${x}, ${y})`);
      case "is_finite": return one(`logical_not(logical_or(isinf(${x}), isnan(${x})))`);
      case "select_n": return one(`where(${args[0]}, ${args[2]}, ${args[1]})`);
      case "clamp": return one(`minimum(maximum(${y}, ${x}), ${args[2]})`);
      case "convert_element_type": return one(`cast(${x}, ${DTYPES[String(params["new_dtype"])]})`);
      case "broadcast_in_dim": return one(`broadcast_in_dim(${x}, ${list(numbersIn(params, "shape"))}, ${list(numbersIn(params, "broadcast_dimensions"))})`);
      case "iota": return one(`broadcast_in_dim(arange(${out[0]!.shape[Number(params["dimension"])]}).to(${DTYPES[out[0]!.dtype]}), ${list(out[0]!.shape)}, (${Number(params["dimension"])},))`);
      case "reshape": return one(`reshape(${x}, ${list(out[0]!.shape)})`);
      case "transpose": return one(`permute(${x}, ${list(numbersIn(params, "permutation"))})`);
      case "rev": return one(`flip(${x}, ${list(numbersIn(params, "dimensions"))})`);
      case "tile": return one(`tile(${x}, ${list(numbersIn(params, "reps"))})`);
      case "reduce_sum": case "reduce_max": case "reduce_min": case "reduce_prod":
        return one(`${{ sum: "sum", max: "amax", min: "amin", prod: "prod" }[prim.slice(7)]}(${x}, dim=${list(numbersIn(params, "axes"))})`);
      case "cumsum": case "cumprod": return one(`${prim}(${x}, axis=${Number(params["axis"])}, reverse=${params["reverse"] ? "True" : "False"})`);
      case "concatenate": return one(`cat([${args.join(", ")}], dim=${Number(params["dimension"])})`);
      case "slice": return one(`slice(${x}, ${list(numbersIn(params, "start_indices"))}, ${list(numbersIn(params, "limit_indices"))}${params["strides"] ? `, ${list(numbersIn(params, "strides"))}` : ""})`);
      case "split": {
        let start = 0;
        return (params["sizes"] as readonly string[]).map((size) => this.make(`slice(${x}, (${start},), (${(start += Number(size))},), axes=(${Number(params["axis"])},))`));
      }
      case "sort": return args.length === 1 ? one(`sort(${x}, dim=${Number(params["dimension"])})`) : this.refuse("sort of pairs");
      case "top_k": return [this.make(`topk(${x}, ${Number(params["k"])}, dim=${Number(params["axis"])})`), "none"];
      case "pad": {
        const config = params["padding_config"] as number[][];
        if (config.some(([, , between]) => between !== 0) || config.length === 0) return this.refuse("pad between elements");
        const border = `pad(zeros_like(${x}) + 1, ${list(config.toReversed().flatMap(([low, high]) => [low!, high!]))})`;
        return one(`pad(${x}, ${list(config.toReversed().flatMap(([low, high]) => [low!, high!]))}) + (1 - ${border}) * ${y}`);
      }
      case "dot_general": return one(this.product(params["dimension_numbers"] as Contracted, x!, y!, shapes));
      case "conv_general_dilated": return one(this.convolution(params, x!, y!, shapes));
      default: return this.refuse(prim);
    }
  } // prettier-ignore

  private refuse(what: string): never {
    throw new Unsupported(what);
  }

  private product(
    [[ca, cb], [ba, bb]]: Contracted,
    a: string,
    b: string,
    shapes: readonly (readonly number[])[],
  ): string {
    const letters = "abcdefghijklmnopqrstuvwxyz";
    const left = shapes[0]!.map((_, i) => letters[i]!);
    let next = left.length;
    const right = shapes[1]!.map((_, i) => (cb.includes(i) ? left[ca[cb.indexOf(i)]!]! : bb.includes(i) ? left[ba[bb.indexOf(i)]!]! : letters[next++]!)); // prettier-ignore
    const kept = [...ba.map((i) => left[i]), ...left.filter((_, i) => !ca.includes(i) && !ba.includes(i)), ...right.filter((_, i) => !cb.includes(i) && !bb.includes(i))]; // prettier-ignore
    return `einsum("${left.join("")},${right.join("")}->${kept.join("")}", ${a}, ${b})`;
  }

  private convolution(p: Params, x: string, w: string, shapes: readonly (readonly number[])[]): string {
    const [lhs, rhs, out] = p["dimension_numbers"] as number[][];
    const odd = p["batch_group_count"] !== 1 || numbersIn(p, "lhs_dilation").some((d) => d !== 1) || shapes.some((shape) => shape.includes(0)); // prettier-ignore
    if (odd) this.refuse("conv of a spread input");
    const pads = (p["padding"] as number[][]).toReversed().flatMap(([low, high]) => [low!, high!]);
    const inputs = `pad(permute(${x}, ${list(lhs!)}), ${list(pads)})`;
    const result = `conv(${inputs}, permute(${w}, ${list(rhs!)}), stride=${list(numbersIn(p, "window_strides"))}, dilation=${list(numbersIn(p, "rhs_dilation"))}, groups=${Number(p["feature_group_count"])})`; // prettier-ignore
    return `permute(${result}, ${list(out!.map((_, axis) => out!.indexOf(axis)))})`;
  }
}

/** The program that `write` makes of a case, or why it has none. */
export function written(write: () => string): { readonly text: string } | { readonly why: string } {
  try {
    return { text: write() };
  } catch (refused) {
    if (refused instanceof Unsupported) return { why: refused.message };
    throw refused;
  }
}
