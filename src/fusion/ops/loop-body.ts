/**
 * @file What one iteration of a loop computes, as data and as text: `x: f32, y: f32; c: f32; turn -> a = mul(x, y); b = add(a, c) -> b, x`.
 * Carried values, then what all iterations read, then the iteration's number; then one value after the other, and what each carried value
 * becomes. Of `x: f32 up 2` iteration 0 reads row 2, iteration 1 row 3; of `x: f32 down 9` rows 9 and 8. What stands behind a last
 * semicolon each iteration gives a row of: `-> b, x; a`. `x: f32[3]` is three numbers that belong together, `w: f32[3 4]` a matrix: the
 * last axes of the operand, along which the body may add up, multiply matrices and move elements.
 */
import type { Attrs, AttrValue, DType, Shape } from "../ir";

/** Where a body finds a value: one of its parameters, the iteration's number (0, 1 …), a value computed before, or a literal. */
export type BodyArg =
  | { readonly kind: "param"; readonly at: number }
  | { readonly kind: "iteration" }
  | { readonly kind: "value"; readonly at: number }
  | { readonly kind: "literal"; readonly value: number; readonly dtype: DType };

export interface BodyValue {
  /** Unique among the body's names. */
  readonly name: string;
  /** An elementwise primitive. */
  readonly op: string;
  readonly args: readonly BodyArg[];
  readonly attrs: Attrs;
  /** Values of one call as written have one number. Absent: a call of its own. */
  readonly call?: number;
}

/** Which row an iteration reads: the first one `start`, each one further on, or one further back. */
export interface Walk {
  readonly start: number;
  readonly backwards: boolean;
}

export interface BodyParam {
  readonly name: string;
  readonly dtype: DType;
  /** The last axes, which one run of the body has whole. Absent: one number. */
  readonly own?: Shape;
  /** Each iteration reads a row of its own. Absent: all of it. */
  readonly walk?: Walk;
}

export interface LoopBody {
  /** Carried values first, then those that all iterations read. */
  readonly params: readonly BodyParam[];
  readonly iteration: string;
  readonly values: readonly BodyValue[];
  /** What each carried value is in the next iteration. As many as are carried. */
  readonly next: readonly BodyArg[];
  /** What each iteration gives a row of. */
  readonly rows: readonly BodyArg[];
}

/** The row that a parameter is read at in iteration `number`. */
export const rowAt = ({ start, backwards }: Walk, number: number): number =>
  backwards ? start - number : start + number;

/** The last axes of a parameter that one run of the body has whole. */
export const ownShape = ({ own }: Pick<BodyParam, "own">): Shape => own ?? [];

/** The rank without these axes: where the axis of rows is counted. */
export const rankAround = (shape: Shape, param: Pick<BodyParam, "own">): number =>
  shape.length - ownShape(param).length;

const DTYPES: ReadonlySet<string> = new Set(["f32", "f16", "i32", "bool"]);

// ---- to text --------------------------------------------------------------------------------------------------------

const numberText = (value: number): string =>
  Number.isNaN(value)
    ? "nan"
    : Number.isFinite(value)
      ? Object.is(value, -0)
        ? "-0"
        : `${value}`
      : value > 0
        ? "inf"
        : "-inf";

function argText({ params, iteration, values }: LoopBody, arg: BodyArg): string {
  if (arg.kind === "param") return params[arg.at]!.name;
  if (arg.kind === "iteration") return iteration;
  return arg.kind === "value" ? values[arg.at]!.name : `${numberText(arg.value)}:${arg.dtype}`;
}

/** `[lo=0, by={text}]`; texts stand in braces, so that a body may stand in a body. */
function attrsText(attrs: Attrs): string {
  const said = Object.entries(attrs).map(([name, value]) => `${name}=${attrText(value)}`);
  return said.length === 0 ? "" : `[${said.join(", ")}]`;
}

function attrText(value: AttrValue): string {
  if (typeof value === "string") return `{${value}}`;
  if (typeof value === "number") return numberText(value);
  return value !== null && typeof value === "object" ? `(${value.map(numberText).join(" ")})` : `${value}`;
}

/** The body as one line; equal bodies are equal texts. */
export function bodyText(body: LoopBody): string {
  const { params, iteration, values, next, rows } = body;
  const walked = ({ walk }: BodyParam): string => (walk ? ` ${walk.backwards ? "down" : "up"} ${walk.start}` : "");
  const sized = ({ own }: BodyParam): string => (own && own.length > 0 ? `[${own.join(" ")}]` : "");
  const list = (of: LoopBody["params"]): string =>
    of.map((param) => `${param.name}: ${param.dtype}${sized(param)}${walked(param)}`).join(", ");
  const arg = (of: BodyArg): string => argText(body, of);
  const lines = values.map(
    ({ name, op, args, attrs, call }) =>
      `${name}${call === undefined ? "" : `#${call}`} = ${op}(${args.map(arg).join(", ")})${attrsText(attrs)}`,
  );
  return `${list(params.slice(0, next.length))}; ${list(params.slice(next.length))}; ${iteration} -> ${lines.join("; ")} -> ${next.map(arg).join(", ")}${rows.length > 0 ? `; ${rows.map(arg).join(", ")}` : ""}`;
}

// ---- from text ------------------------------------------------------------------------------------------------------

class Misread extends Error {}

/** Pieces between `by`, where no bracket is open. */
function apart(text: string, by: string): string[] {
  const pieces: string[] = [];
  let [depth, from] = [0, 0];
  for (let i = 0; i < text.length; i++) {
    if ("([{".includes(text[i]!)) depth++;
    else if (")]}".includes(text[i]!)) depth--;
    else if (depth === 0 && text.startsWith(by, i)) {
      pieces.push(text.slice(from, i).trim());
      from = i + by.length;
    }
  }
  pieces.push(text.slice(from).trim());
  return pieces.length === 1 && pieces[0] === "" ? [] : pieces;
}

function numberOf(text: string): number {
  if (text === "nan") return Number.NaN;
  if (text === "inf" || text === "-inf") return text === "inf" ? Infinity : -Infinity;
  const value = Number(text);
  if (text === "" || Number.isNaN(value)) throw new Misread(`\`${text}\` is no number`);
  return value;
}

function attrOf(text: string): AttrValue {
  if (text.startsWith("{") && text.endsWith("}")) return text.slice(1, -1);
  if (text.startsWith("(") && text.endsWith(")"))
    return text.slice(1, -1).trim() === "" ? [] : text.slice(1, -1).trim().split(/\s+/).map(numberOf);
  if (text === "true" || text === "false") return text === "true";
  return text === "null" ? null : numberOf(text);
}

function dtypeOf(text: string): DType {
  if (!DTYPES.has(text)) throw new Misread(`\`${text}\` is no dtype`);
  return text as DType;
}

const NAME = /^[A-Za-z_]\w*$/;

function read(text: string): LoopBody {
  const [head, lines, results, ...more] = apart(text, "->");
  if (head === undefined || lines === undefined || results === undefined || more.length > 0)
    throw new Misread("it has three parts with -> between them: parameters, values, results");
  const [carried, shared, iteration, ...rest] = head.split(";").map((part) => part.trim());
  if (
    carried === undefined ||
    shared === undefined ||
    iteration === undefined ||
    rest.length > 0 ||
    !NAME.test(iteration)
  )
    throw new Misread("its parameters are carried values; values of all iterations; the iteration's number");
  const known = new Map<string, BodyArg>([[iteration, { kind: "iteration" }]]);
  const know = (name: string, arg: BodyArg): void => {
    if (!NAME.test(name)) throw new Misread(`\`${name}\` is no name`);
    if (known.has(name)) throw new Misread(`\`${name}\` is there twice`);
    known.set(name, arg);
  };
  const params = [carried, shared]
    .flatMap((list) => apart(list, ","))
    .map((each, at) => {
      const found = /^(\w+)\s*:\s*(\w+)(?:\[(\d+(?:\s+\d+)*)\])?(?:\s+(up|down)\s+(\d+))?$/.exec(each);
      if (!found) throw new Misread(`\`${each}\` is not name: dtype`);
      const [, name, dtype, sizes, way, start] = found;
      know(name!, { kind: "param", at });
      const walk = way && { walk: { start: Number(start), backwards: way === "down" } };
      const own = sizes && { own: sizes.split(/\s+/).map(Number) };
      return { name: name!, dtype: dtypeOf(dtype!), ...own, ...walk };
    });
  const arg = (of: string): BodyArg => {
    const found = known.get(of);
    if (found) return found;
    const [value, dtype] = of.split(":");
    if (dtype === undefined) throw new Misread(`\`${of}\` is not known where it is read`);
    return { kind: "literal", value: numberOf(value!), dtype: dtypeOf(dtype) };
  };
  const values = apart(lines, ";").map((line, at): BodyValue => {
    const found = /^(\w+)(?:#(\d+))? = (\w+)\(([^()]*)\)(?:\[(.*)\])?$/s.exec(line);
    if (!found) throw new Misread(`\`${line}\` is not name = op(…)`);
    const [, name, call, op, args, attrs = ""] = found;
    const made = {
      name: name!,
      op: op!,
      args: apart(args!, ",").map(arg),
      attrs: Object.fromEntries(
        apart(attrs, ",").map((each) => {
          const at = each.indexOf("=");
          return [each.slice(0, at), attrOf(each.slice(at + 1))] as const;
        }),
      ),
      ...(call === undefined ? {} : { call: Number(call) }),
    };
    know(name!, { kind: "value", at });
    return made;
  });
  const [nexts = "", shown = "", ...others] = apart(results, ";");
  if (others.length > 0) throw new Misread("its results are what is carried on; what each iteration gives a row of");
  const [next, rows] = [nexts, shown].map((list) => apart(list, ",").map(arg)) as [BodyArg[], BodyArg[]];
  if (next.length === 0 || next.length !== apart(carried, ",").length)
    throw new Misread(`${apart(carried, ",").length} values are carried and ${next.length} results are given`);
  return { params, iteration, values, next, rows };
}

const MAX_BODIES = 1000;
const bodies = new Map<string, LoopBody | string>();

/** The body that a text says, or what is wrong with the text. */
export function readBody(text: string): LoopBody | string {
  const known = bodies.get(text);
  if (known !== undefined) return known;
  if (bodies.size > MAX_BODIES) bodies.clear();
  let found: LoopBody | string;
  try {
    found = read(text);
  } catch (error) {
    if (!(error instanceof Misread)) throw error;
    found = error.message;
  }
  bodies.set(text, found);
  return found;
}

// ---- what a result needs ---------------------------------------------------------------------------------------------

/** What a result is, by its number: a carried value after the last iteration, the rows that it was before each, or rows that the body gives. */
export interface Result {
  readonly kind: "last" | "before" | "rows";
  readonly at: number;
}

/** Result `number` of a loop: carried values, then the same before each iteration, then what the body gives rows of. */
export function resultAt({ next }: LoopBody, number: number): Result {
  const count = next.length;
  if (number < count) return { kind: "last", at: number };
  return number < 2 * count ? { kind: "before", at: number - count } : { kind: "rows", at: number - 2 * count };
}

/** The number of a result. */
export const resultNumber = ({ next }: LoopBody, { kind, at }: Result): number =>
  at + (kind === "last" ? 0 : kind === "before" ? 1 : 2) * next.length;

/** What `results` need of a body. */
export interface Needs {
  /** Carried values, ascending. */
  readonly carried: readonly number[];
  /** What they are after an iteration, in that order. */
  readonly ends: readonly BodyArg[];
  /** Rows of the body that are among the results, ascending. */
  readonly rows: readonly number[];
  /** Parameters and values that an iteration reads and computes for them. */
  readonly params: ReadonlySet<number>;
  readonly values: ReadonlySet<number>;
  readonly iteration: boolean;
}

/** What an iteration computes so that `results` are known, and what is carried for them. */
export function neededFor(body: LoopBody, results: Iterable<number>): Needs {
  const found = [...results].map((number) => resultAt(body, number));
  const rows = [...new Set(found.flatMap(({ kind, at }) => (kind === "rows" ? [at] : [])))].toSorted((a, b) => a - b);
  const shown = rows.map((at) => body.rows[at]!);
  const isCarried = (at: number): boolean => at < body.next.length;
  const carrying = new Set(found.flatMap(({ kind, at }) => (kind === "rows" ? [] : [at])));
  for (const at of readBy(body, shown).params) if (isCarried(at)) carrying.add(at);
  // There is no loop that carries nothing.
  if (carrying.size === 0) carrying.add(0);
  for (const at of carrying)
    for (const param of readBy(body, [body.next[at]!]).params) if (isCarried(param)) carrying.add(param);
  const carried = [...carrying].toSorted((a, b) => a - b);
  const ends = carried.map((at) => body.next[at]!);
  return { carried, ends, rows, ...readBy(body, [...ends, ...shown]) };
}

/** Parameters and values that `args` depend on within one iteration. */
export function readBy(
  { values }: LoopBody,
  args: readonly BodyArg[],
): { readonly params: ReadonlySet<number>; readonly values: ReadonlySet<number>; readonly iteration: boolean } {
  const [params, found] = [new Set<number>(), new Set<number>()];
  let iteration = false;
  const open = [...args];
  for (let arg = open.pop(); arg; arg = open.pop()) {
    if (arg.kind === "param") params.add(arg.at);
    if (arg.kind === "iteration") iteration = true;
    if (arg.kind !== "value" || found.has(arg.at)) continue;
    found.add(arg.at);
    open.push(...values[arg.at]!.args);
  }
  return { params, values: found, iteration };
}

/**
 * The body with only what `results` need.
 * @returns which of the old parameters are left, in the order of the new ones, and where each result is now
 */
export function pruned(
  body: LoopBody,
  results: readonly number[],
): { readonly body: LoopBody; readonly params: readonly number[]; readonly results: ReadonlyMap<number, number> } {
  const needed = neededFor(body, results);
  const { carried, ends, rows } = needed;
  const params = [...carried, ...[...needed.params].filter((at) => at >= body.next.length).toSorted((a, b) => a - b)];
  const values = [...needed.values].toSorted((a, b) => a - b);
  const paramAt = new Map(params.map((old, at) => [old, at]));
  const valueAt = new Map(values.map((old, at) => [old, at]));
  const moved = (arg: BodyArg): BodyArg =>
    arg.kind === "param"
      ? { kind: "param", at: paramAt.get(arg.at)! }
      : arg.kind === "value"
        ? { kind: "value", at: valueAt.get(arg.at)! }
        : arg;
  const left: LoopBody = {
    params: params.map((at) => body.params[at]!),
    iteration: body.iteration,
    values: values.map((at) => ({ ...body.values[at]!, args: body.values[at]!.args.map(moved) })),
    next: ends.map(moved),
    rows: rows.map((at) => moved(body.rows[at]!)),
  };
  const numberInLeft = (number: number): number => {
    const { kind, at } = resultAt(body, number);
    return resultNumber(left, { kind, at: (kind === "rows" ? rows : carried).indexOf(at) });
  };
  return { body: left, params, results: new Map(results.map((at) => [at, numberInLeft(at)])) };
}
