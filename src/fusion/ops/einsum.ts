/** @file einsum: letters name axes. Two operands at a time become one product of matrices, or of elements where nothing is summed. */
import { sizeOf, type AttrValue, type Checked, type NodeId, type Shape } from "../ir";
import type { GraphBuilder } from "./define";
import { checkAxes, fine, normalAxis, numbersOf, saySizes, wrong, type Failed } from "./shapes";

export interface Equation {
  /** Letters of each operand; axes of `...` are digits from the right. */
  readonly operands: readonly string[];
  readonly result: string;
}

const DOTS = "...";
/** `...` as digits: the last of its axes is 0. */
const dotsOf = (count: number): string => Array.from({ length: count }, (_, i) => count - 1 - i).join("");

/** Reads the equation for operands of these shapes; says what does not fit. */
export function readEquation(text: string, shapes: readonly Shape[]): Checked<Equation> {
  const [left = "", right, extra] = text.replaceAll(/\s+/g, "").split("->");
  const terms = left.split(",");
  if (extra !== undefined || terms.length !== shapes.length)
    return wrong("bad-attr", `${JSON.stringify(text)} names ${terms.length} operands; ${shapes.length} were given.`);
  let widest = 0;
  const operands: string[] = [];
  for (const [i, term] of terms.entries()) {
    const letters = term.replace(DOTS, "");
    if (!/^[A-Za-z]*$/.test(letters))
      return wrong("bad-attr", `${JSON.stringify(term)} is no list of axes: letters, and once "...".`);
    const rest = shapes[i]!.length - letters.length;
    if (rest < 0 || (rest > 0 && letters === term))
      return wrong(
        "shape-mismatch",
        `${JSON.stringify(term)} names ${letters.length} axes; operand ${i + 1} has ${shapes[i]!.length}.`,
      );
    if (rest > 9) return wrong("bad-attr", '"..." can stand for at most nine axes.');
    widest = Math.max(widest, rest);
    operands.push(term.replace(DOTS, dotsOf(rest)));
  }
  const counts = new Map<string, number>();
  for (const letter of operands.join("")) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  const once = Array.from(counts.keys())
    .filter((letter) => /[A-Za-z]/.test(letter) && counts.get(letter) === 1)
    .sort();
  const result = right === undefined ? dotsOf(widest) + once.join("") : right.replace(DOTS, dotsOf(widest));
  const unknown = Array.from(result).find((letter) => !counts.has(letter));
  if (unknown !== undefined || new Set(result).size !== result.length)
    return wrong("bad-attr", `${JSON.stringify(right)} must name axes of the operands, each once.`);
  return checkSizes({ operands, result }, shapes);
}

function checkSizes(equation: Equation, shapes: readonly Shape[]): Checked<Equation> {
  const sizes = new Map<string, number>();
  for (const [i, letters] of equation.operands.entries()) {
    for (const [axis, letter] of Array.from(letters).entries()) {
      const [known, extent] = [sizes.get(letter) ?? 1, shapes[i]![axis]!];
      if (known !== 1 && extent !== 1 && known !== extent)
        return wrong(
          "shape-mismatch",
          `The axis ${letter} has ${known} elements in one operand and ${extent} in another.`,
        );
      sizes.set(letter, known === 1 ? extent : known);
    }
  }
  return fine(equation);
}

interface Term {
  readonly id: NodeId;
  readonly letters: string;
}

/** The result of an equation that was read for exactly these operands. */
export function buildEinsum(b: GraphBuilder, ids: readonly NodeId[], { operands, result }: Equation): NodeId {
  const e = new Einsum(b);
  const terms = ids.map((id, i) => e.diagonal({ id, letters: operands[i]! }));
  let term = terms[0]!;
  for (const [i, other] of terms.entries()) {
    if (i === 0) continue;
    const later = terms
      .slice(i + 1)
      .map(({ letters }) => letters)
      .join("");
    term = e.product(term, other, result + later);
  }
  return e.ordered(e.summed(term, result), result).id;
}

class Einsum {
  private steps = 0;
  private readonly b: GraphBuilder;

  constructor(b: GraphBuilder) {
    this.b = b;
  }

  private op(
    part: string,
    op: string,
    inputs: readonly NodeId[],
    attrs: Parameters<GraphBuilder["op"]>[3] = {},
  ): NodeId {
    return this.b.op(`${part}_${this.steps++}`, op, inputs, attrs);
  }
  private shape({ id }: Term): Shape {
    return this.b.typeOf(id).shape;
  }
  private size(term: Term, letter: string): number {
    return this.shape(term)[term.letters.indexOf(letter)]!;
  }
  private reshaped(term: Term, shape: Shape, letters: string): Term {
    const same = this.shape(term).join() === shape.join();
    return { id: same ? term.id : this.op("shaped", "reshape", [term.id], { shape }), letters };
  }

  /** Axes in another order. */
  ordered(term: Term, letters: string): Term {
    if (letters === term.letters) return term;
    const perm = Array.from(letters).map((letter) => term.letters.indexOf(letter));
    return { id: this.op("transposed", "transpose", [term.id], { perm, dim1: null }), letters };
  }

  /** A letter that one operand names twice: only elements where both indices are equal. */
  diagonal(term: Term): Term {
    const twice = Array.from(term.letters).find((letter, i) => term.letters.indexOf(letter) !== i);
    if (twice === undefined) return term;
    const twins = Array.from(term.letters)
      .flatMap((letter, axis) => (letter === twice ? [axis] : []))
      .slice(0, 2);
    const rest = Array.from(term.letters).flatMap((_, axis) => (twins.includes(axis) ? [] : [axis]));
    const shape = this.shape(term);
    const moved = this.op("transposed", "transpose", [term.id], { perm: [...rest, ...twins], dim1: null });
    const n = shape[twins[0]!]!;
    const flat = this.op("flat", "reshape", [moved], { shape: [...rest.map((axis) => shape[axis]!), n * n] });
    const cut = { start: [0], stop: [n * n], step: [n + 1], axes: [rest.length] };
    const letters = rest.map((axis) => term.letters[axis]!).join("") + twice;
    return this.diagonal({ id: this.op("diagonal", "slice", [flat], cut), letters });
  }

  /** Sums what nobody needs any more. */
  summed(term: Term, needed: string): Term {
    const axes = Array.from(term.letters).flatMap((letter, axis) => (needed.includes(letter) ? [] : [axis]));
    if (axes.length === 0) return term;
    const letters = Array.from(term.letters)
      .filter((letter) => needed.includes(letter))
      .join("");
    return { id: this.op("sum", "sum", [term.id], { axes, keepdims: false }), letters };
  }

  /** A shared axis with one element on one side only stands for all: it is dropped there. */
  private narrowed(term: Term, other: Term): Term {
    const own = Array.from(term.letters).filter(
      (letter) => !(other.letters.includes(letter) && this.size(term, letter) === 1 && this.size(other, letter) > 1),
    );
    if (own.length === term.letters.length) return term;
    return this.reshaped(
      term,
      own.map((letter) => this.size(term, letter)),
      own.join(""),
    );
  }

  product(first: Term, second: Term, needed: string): Term {
    const left = this.summed(this.narrowed(first, second), needed + second.letters);
    const right = this.summed(this.narrowed(second, first), needed + left.letters);
    const both = Array.from(left.letters).filter((letter) => right.letters.includes(letter));
    const batch = both.filter((letter) => needed.includes(letter));
    const inner = both.filter((letter) => !needed.includes(letter));
    const rows = Array.from(left.letters).filter((letter) => !both.includes(letter));
    const columns = Array.from(right.letters).filter((letter) => !both.includes(letter));
    const sizes = (term: Term, letters: readonly string[]): number[] =>
      letters.map((letter) => this.size(term, letter));
    const letters = [...batch, ...rows, ...columns].join("");
    if (inner.length === 0) {
      const a = this.ordered(left, [...batch, ...rows].join(""));
      const c = this.ordered(right, [...batch, ...columns].join(""));
      const wide = this.reshaped(a, [...sizes(a, batch), ...sizes(a, rows), ...columns.map(() => 1)], letters);
      const tall = this.reshaped(c, [...sizes(c, batch), ...rows.map(() => 1), ...sizes(c, columns)], letters);
      return { id: this.op("product", "mul", [wide.id, tall.id]), letters };
    }
    const a = this.ordered(left, [...batch, ...rows, ...inner].join(""));
    const c = this.ordered(right, [...batch, ...inner, ...columns].join(""));
    const [outer, m, k, n] = [sizes(a, batch), sizes(a, rows), sizes(a, inner), sizes(c, columns)];
    const [x, y] = [
      this.reshaped(a, [...outer, sizeOf(m), sizeOf(k)], ""),
      this.reshaped(c, [...outer, sizeOf(k), sizeOf(n)], ""),
    ];
    const made = { id: this.op("matmul", "matmul", [x.id, y.id]), letters: "" };
    return this.reshaped(made, [...outer, ...m, ...n], letters);
  }
}

/** `dims` of a tensordot, one number or both lists after each other, as axes of the left operand followed by those of the right. */
export function pairedAxes(dims: AttrValue | undefined, rank: number): readonly number[] {
  const given = numbersOf(dims);
  if (given.length !== 1) return given;
  const count = Array.from({ length: given[0]! }, (_, i) => i);
  return [...count.map((i) => rank - given[0]! + i), ...count];
}

const letterAt = (i: number): string => String.fromCharCode(97 + i);

/** Letters of both operands and the result: paired axes share one. */
function lettersOf(left: Shape, right: Shape, axes: readonly number[]): Equation {
  const half = axes.length / 2;
  const own = axes.slice(0, half).map((axis) => normalAxis(axis, left.length));
  const other = axes.slice(half).map((axis) => normalAxis(axis, right.length));
  const first = left.map((_, axis) => letterAt(axis));
  const second = right.map((_, axis) =>
    other.includes(axis) ? first[own[other.indexOf(axis)]!]! : letterAt(left.length + axis),
  );
  const free = [
    ...first.filter((_, axis) => !own.includes(axis)),
    ...second.filter((_, axis) => !other.includes(axis)),
  ];
  return { operands: [first.join(""), second.join("")], result: free.join("") };
}

/** Both lists of axes exist, are as long as each other, and pair equal sizes. */
export function checkTensordot(
  left: Shape,
  right: Shape,
  axes: readonly number[],
  names: readonly string[],
): Failed | null {
  const half = axes.length / 2;
  if (!Number.isInteger(half) || left.length + right.length > 26)
    return wrong("bad-attr", "tensordot needs as many axes of one operand as of the other.");
  const bad =
    checkAxes(axes.slice(0, half), left, names[0] ?? "a") ?? checkAxes(axes.slice(half), right, names[1] ?? "b");
  if (bad) return bad;
  const odd = axes.slice(0, half).findIndex((axis, i) => left.at(axis) !== right.at(axes[half + i]!));
  return odd < 0
    ? null
    : wrong(
        "shape-mismatch",
        `${saySizes(names, [left, right])}: the summed axes have ${left.at(axes[odd]!)} and ${right.at(axes[half + odd]!)} elements.`,
      );
}

/** Σ over the paired axes, which `checkTensordot` accepted. */
export const buildTensordot = (b: GraphBuilder, left: NodeId, right: NodeId, axes: readonly number[]): NodeId =>
  buildEinsum(b, [left, right], lettersOf(b.typeOf(left).shape, b.typeOf(right).shape, axes));
