/**
 * @file Random valid programs over every op of the registry: the generator proposes a call, the language's own type rules dispose.
 * A program is a text, so that a counterexample can be pasted into the page.
 */
import fc from "fast-check";
import { sizeOf, type DType, type Graph, type Shape, type TensorType } from "../../src/fusion/ir";
import { allOps } from "../../src/fusion/ops";
import { parseProgram } from "../../src/fusion/text";
import { wideWriters, writers } from "./any-statement";

/** Extents that catch tails, odd strides and power-of-two assumptions. */
export const EXTENTS = [3, 1, 2, 4, 7, 8, 31, 33, 64, 65, 127, 1000];

export interface Value {
  readonly name: string;
  readonly type: TensorType;
  /** Made of inputs by moving alone: the same bits wherever it is computed. */
  readonly exact: boolean;
}

/** One call before it has a name: `$0`, `$1` … stand for the operands. Lines may follow that call it `&`. */
export interface Proposal {
  readonly text: string;
  readonly operands: readonly Value[];
  /** Functions that the call needs, as they are defined. */
  readonly needs?: readonly string[];
  /** Same bits wherever it is computed, if its operands are. */
  readonly exact?: boolean;
}

/** Splits one number into small choices; a small number gives the first of everything. */
export class Dice {
  #left: number;
  constructor(number: number) {
    this.#left = number;
  }
  roll(sides: number): number {
    const side = this.#left % sides;
    this.#left = Math.floor(this.#left / sides);
    return side;
  }
  pick<T>(list: readonly T[]): T {
    return list[this.roll(list.length)]!;
  }
}

/** What programs are to be good for. */
export interface Demands {
  /** Elements of one tensor, and multiplications of one product. */
  readonly mostElements: number;
  readonly mostProducts: number;
  /** For f32: no values that grow without bounds, no NaN, no jumps at computed values. */
  readonly tame: boolean;
}
export const forInterpreter: Demands = { mostElements: 2200, mostProducts: 30_000, tame: false };
export const forDevice: Demands = { mostElements: 40_000, mostProducts: 4_000_000, tame: true };

/** A program in the making. */
export class Writing {
  readonly demands: Demands;
  readonly values: Value[] = [];
  readonly #lines: string[] = [];
  readonly #said: Proposal[] = [];
  readonly #needs = new Set<string>();
  #inputs = 0;
  #pending: { readonly value: Value; readonly source: string }[] = [];

  constructor(demands: Demands) {
    this.demands = demands;
  }

  /** From the newest back, so that shrinking keeps programs connected. */
  valueAt(index: number, wanted: (value: Value) => boolean = () => true): Value | null {
    const fits = this.values.filter(wanted);
    return fits.length === 0 ? null : fits[fits.length - 1 - (index % fits.length)]!;
  }

  /** A fresh input; it is declared once a statement that reads it stays. */
  input(shape: Shape, dtype: DType = "f32", source = ""): Value {
    const value: Value = { name: `x${this.#inputs + this.#pending.length}`, type: { dtype, shape }, exact: true };
    this.#pending.push({ value, source: source === "" ? "" : ` = ${source}` });
    return value;
  }

  again(index: number): Proposal | null {
    return this.#said.length === 0 ? null : this.#said[this.#said.length - 1 - (index % this.#said.length)]!;
  }

  declare(): void {
    for (const { value, source } of this.#pending) {
      this.#lines.push(`${value.name}: ${value.type.dtype}[${value.type.shape.join(", ")}]${source}`);
      this.values.push(value);
      this.#inputs++;
    }
    this.#pending = [];
  }

  /** Keeps the statement if the language accepts it and its result has a fitting size. */
  state(proposal: Proposal | null): void {
    const type = proposal && typeOf(proposal);
    const elements = type ? sizeOf(type.shape) : 0;
    const wanted = type && elements <= this.demands.mostElements && type.shape.length <= 6;
    if (!proposal || !type || !wanted) {
      this.#pending = [];
      return;
    }
    this.declare();
    const name = `v${this.#said.length}`;
    this.#lines.push(`${name} = ${named(proposal).replaceAll("&", name)}`);
    for (const need of proposal.needs ?? []) this.#needs.add(need);
    this.#said.push(proposal);
    const exact = proposal.exact === true && proposal.operands.every((operand) => operand.exact);
    this.values.push({ name, type, exact });
  }

  get statements(): number {
    return this.#said.length;
  }

  /** The text; `results` chooses whether and what it returns. */
  text(results: number): string {
    const made = this.values.filter(({ name }) => name.startsWith("v"));
    const lines = [...this.#needs, ...this.#lines];
    if (results > 3) {
      const chosen = made.filter((_, i) => (i + results) % 3 === 0);
      const names = (chosen.length > 0 ? chosen : made.slice(-1)).map(({ name }) => name);
      // A view of a value that is read otherwise, and an input that is a result.
      if (results === 6) names.push(`${made.at(-1)!.name}.reshape(-1)`);
      if (results === 7) names.push(this.values[0]!.name);
      lines.push(`return ${(results === 8 ? [...names, names[0]!] : [...new Set(names)]).join(", ")}`);
    }
    return lines.join("\n");
  }
}

const named = ({ text, operands }: Proposal): string => text.replaceAll(/\$(\d)/g, (_, i) => operands[Number(i)]!.name);

const types = new Map<string, TensorType | null>();

/** The type of a call as the language sees it; null where it has a mistake. */
function typeOf({ text, operands, needs = [] }: Proposal): TensorType | null {
  const declared = operands.map(({ type }, i) => `p${i}: ${type.dtype}[${type.shape.join(", ")}]`);
  const program = [...needs, ...declared, `y = ${text.replaceAll(/\$(\d)/g, "p$1").replaceAll("&", "y")}`].join("\n");
  const known = types.get(program);
  if (known !== undefined) return known;
  const { graph, complete } = parseProgram(program);
  const type =
    (complete && [...graph.nodes.values()].find(({ label, id }) => label === "y" || id === "y")?.type) || null;
  types.set(program, type);
  return type;
}

/** One statement as numbers: which kind, on which values, with which details. Shrinks towards the first kind on the newest value. */
export type Choice = readonly [kind: number, first: number, second: number, detail: number];

export interface Choices {
  readonly extents: readonly number[];
  readonly statements: readonly Choice[];
  readonly results: number;
}

const choicesOf = (kinds: number, results: number): fc.Arbitrary<Choices> =>
  fc.record({
    extents: fc.array(fc.nat({ max: 63 }), { maxLength: 4 }),
    statements: fc.array(
      fc.tuple(fc.nat({ max: kinds - 1 }), fc.nat({ max: 7 }), fc.nat({ max: 7 }), fc.nat({ max: 2 ** 24 })),
      { minLength: 1, maxLength: 12 },
    ),
    results: fc.nat({ max: results }),
  });
export const choicesArbitrary = choicesOf(writers.length, 7);
/** With all kinds of statements, and results that are named twice. */
export const wideChoicesArbitrary = choicesOf(wideWriters.length, 8);

/** The program that the choices describe. */
export function programOf({ extents, statements, results }: Choices, demands: Demands): string {
  const writing = new Writing(demands);
  const shape: number[] = [];
  for (const choice of extents) {
    // One tensor in some thirty has no elements at all.
    // Every fourth axis is as long as the one before, so that what depends on the order of axes is told apart by values alone.
    const empty = choice === 63 && extents[0]! % 2 === 1;
    const extent = empty ? 0 : choice >= 47 && shape.length > 0 ? shape.at(-1)! : EXTENTS[choice % EXTENTS.length]!;
    shape.push(sizeOf(shape) * extent > demands.mostElements / 2 ? 1 : extent);
  }
  writing.input(shape);
  writing.declare();
  for (const [kind, first, second, detail] of statements) {
    const x = writing.valueAt(first)!;
    writing.state(wideWriters[kind]!(writing, x, second, new Dice(detail)));
  }
  if (writing.statements === 0) writing.state({ text: "relu($0)", operands: [writing.values[0]!] });
  return writing.text(results);
}

export const programs = (demands: Demands): fc.Arbitrary<string> =>
  choicesArbitrary.map((choices) => programOf(choices, demands));

/** The graph of a program that must be valid. */
export function graphOf(text: string): Graph {
  const parsed = parseProgram(text);
  if (!parsed.complete) throw new Error(`${parsed.diagnostics.map((d) => d.text).join("\n")}\n${text}`);
  return parsed.graph;
}

/** Nodes that compute something: what a program is measured by. */
export const computedNodes = (graph: Graph): number =>
  [...graph.nodes.values()].filter(({ op }) => !SOURCES.has(op)).length;
const SOURCES = new Set(allOps.filter(({ kind }) => kind === "source").map(({ name }) => name));
