/** @file What the loop of a matmul reads: members that only it needs are computed there, at its indices. */
import { isLiteral, node, type Graph, type Node, type NodeId, type Shape } from "../../ir";
import { findOp, type MovementMeaning } from "../../ops";
import type { LoopLine, Spelling } from "./loop-lines";

const inBrackets = (a: string): string => (/ /.test(a) ? `(${a})` : a);

/** `k·32 + l` as its parts, where the last runs within one of the first. */
const parted = (a: string, by: number): readonly [string, string] | null => {
  const found = /^(\w+)·(\d+) \+ (\w+)$/.exec(a);
  return found && Number(found[2]) === by ? [found[1]!, found[3]!] : null;
};

/** Index arithmetic on names, for reading. */
const written = {
  int: (value: number) => String(value),
  add: (a: string, b: string) =>
    b === "0" ? a : a === "0" ? b : b.startsWith("-") ? `${a} - ${b.slice(1)}` : `${a} + ${b}`,
  mul: (a: string, by: number) => (by === 1 || a === "0" ? a : `${inBrackets(a)}·${by}`),
  div: (a: string, by: number) => (by === 1 || a === "0" ? a : (parted(a, by)?.[0] ?? `${inBrackets(a)} / ${by}`)),
  mod: (a: string, by: number) => (a === "0" ? a : (parted(a, by)?.[1] ?? `${inBrackets(a)} % ${by}`)),
  less: (a: string, bound: number) => `${a} < ${bound}`,
  atLeast: (a: string, bound: number) => `${a} ≥ ${bound}`,
  and: (a: string, b: string) => `${a} and ${b}`,
};

/** A member that only moves elements. */
export function movementOf({ op }: Node): MovementMeaning | null {
  const meaning = findOp(op);
  return (meaning && "movement" in meaning && meaning.movement) || null;
}

/** Where the element at `names` of a movement comes from, case by case. */
export function sourcesOf(graph: Graph, found: Node, names: readonly string[]) {
  const inputs = found.inputs.map((id) => node(graph, id).type.shape);
  return movementOf(found)!.source(names, { inputs, output: found.type.shape, attrs: found.attrs }, written);
}

/** `x[j, i]` for a transpose, `a[i, j] if i < 4 else b[i - 4, j]` for a concat. */
export function movedText(
  graph: Graph,
  found: Node,
  names: readonly string[],
  text: (id: NodeId, index: readonly string[]) => string,
): string {
  const cases = sourcesOf(graph, found, names).map(({ when, operand, index }) => {
    const value = text(found.inputs[operand]!, index);
    return when === null ? value : `${value} if ${when}`;
  });
  const rest = cases.at(-1)?.includes(" if ") ? [String(movementOf(found)!.fill?.(found.attrs) ?? 0)] : [];
  return [...cases, ...rest].join(" else ");
}

/** `x[i, j]`, or the name alone where nothing is counted. */
export const at = (name: string, names: readonly string[]): string =>
  names.length === 0 ? name : `${name}[${names.join(", ")}]`;

/** Names of the axes of an operand of `shape` beside those of a result: aligned at the right, extents of 1 stand still. */
export const alignedNames = (shape: Shape, names: readonly string[]): string[] =>
  shape.map((extent, axis) => (extent === 1 ? "0" : names[axis + names.length - shape.length]!));

/** How an op works on its operands. */
export const kindOf = ({ op }: Node): string => findOp(op)?.kind ?? "elementwise";

/** Members from which every path leads into a matmul, and that wait for no other: each is computed where the matmul loads it. */
export function inlinedOf(members: readonly Node[], outputs: ReadonlySet<NodeId>): ReadonlySet<NodeId> {
  const inside = new Set(members.map(({ id }) => id));
  const simple = new Set<NodeId>();
  for (const each of members) {
    const plain = kindOf(each) === "elementwise" || kindOf(each) === "movement";
    if (plain && each.inputs.every((id) => !inside.has(id) || simple.has(id))) simple.add(each.id);
  }
  const inlined = new Set<NodeId>();
  for (const { id } of members.toReversed()) {
    const readers = members.filter(({ inputs }) => inputs.includes(id));
    const all = readers.every((reader) => kindOf(reader) === "contraction" || inlined.has(reader.id));
    if (simple.has(id) && !outputs.has(id) && readers.length > 0 && all) inlined.add(id);
  }
  return inlined;
}

/** A kernel as its matmuls read it. */
export interface Operands {
  readonly graph: Graph;
  readonly inside: ReadonlySet<NodeId>;
  readonly inlined: ReadonlySet<NodeId>;
  readonly spelled: Spelling;
}

/** How the element at `names` reads in a matmul's loop, and the lines that compute it first. */
export function operandAt(operands: Operands, id: NodeId, names: readonly string[], depth: number) {
  const { graph, inside, inlined, spelled } = operands;
  const lines: LoopLine[] = [];
  const done = new Map<string, string>();
  const computed = (found: Node, index: readonly string[]): string => {
    const loads = found.inputs.some((input) => !inside.has(input) && !isLiteral(node(graph, input)));
    const text = movementOf(found)
      ? movedText(graph, found, index, value)
      : spelled(
          found.op,
          found.inputs.map((input) => value(input, alignedNames(node(graph, input).type.shape, index))),
        );
    const isIndex = movementOf(found) && sourcesOf(graph, found, index).every(({ when }) => when === null);
    if (isIndex) return text;
    lines.push({ depth, text: `${found.label} = ${text}`, note: loads ? "from memory" : "", nodes: [found.id] });
    return found.label;
  };
  const value = (from: NodeId, index: readonly string[]): string => {
    const found = node(graph, from);
    if (isLiteral(found)) return String(found.attrs["value"]);
    if (!inlined.has(from)) return inside.has(from) ? found.label : at(found.label, index);
    const key = `${from} ${index.join()}`;
    const known = done.get(key) ?? computed(found, index);
    done.set(key, known);
    return known;
  };
  return { text: value(id, names), lines };
}

/** Matmul, where its result is asked for at `names`: a loop over the shared extent around what feeds it. */
export function contractionLines(operands: Operands, found: Node, names: readonly string[], depth: number): LoopLine[] {
  const [left, right] = found.inputs.map((id) => node(operands.graph, id)) as [Node, Node];
  const [row, column] = [names.at(-2) ?? "0", names.at(-1) ?? "0"];
  const batch = (each: Node): string[] => alignedNames(each.type.shape.slice(0, -2), names.slice(0, -2));
  const shared = left.type.shape.at(-1) ?? 1;
  const a = operandAt(operands, left.id, [...batch(left), row, "p"], depth + 1);
  const b = operandAt(operands, right.id, [...batch(right), "p", column], depth + 1);
  const text = `${found.label} += ${a.text} * ${b.text}`;
  return [
    { depth, text: `for p in ${shared}:`, note: "", nodes: [] },
    ...a.lines,
    ...b.lines,
    { depth: depth + 1, text, note: "in tiles, on chip", nodes: [found.id] },
  ];
}
