/** @file What a loop goes through, as one item for all iterations: numbers that grow evenly, rows of tensors, and tuples of these. */
import type { NodeId } from "../../ir";
import type { Interpreter } from "../interpreter";
import { type Operand, tensorValue, type Value } from "../values/values";
import type { Given } from "./one-loop";
import { rowIn } from "./loop-rows";
import { walkOf, type Walked } from "./loop-reading";

export interface Pattern {
  /** Tensors of which each iteration has a row. */
  readonly rows: readonly Walked[];
  /** Whether iterations are told apart by a number. */
  readonly number: true | null;
  /** The item of any iteration. */
  readonly item: (given: Given) => Value;
  /** The rows that were taken one by one are read by nobody. */
  readonly spareItems: () => void;
}

type Part = (given: Given) => Value;

const loose = (value: Value): Operand => ({ value, path: "", expr: null });

/** The items as one; null where they have nothing in common. */
export function patternOf(interpreter: Interpreter, items: readonly Value[]): Pattern | null {
  const rows: Walked[] = [];
  const taken: NodeId[] = [];
  let number: true | null = null;
  const numbers = (values: readonly Extract<Value, { kind: "number" }>[]): Part | null => {
    const [first, second] = values.map(({ value }) => value) as [number, number];
    if (values.every(({ value }) => value === first)) return () => values[0]!;
    const step = second - first;
    if (values.some(({ value, whole }, i) => !whole || value !== first + i * step)) return null;
    number = true;
    return ({ number: numbered }) => numbered(first, step);
  };
  const tensors = (nodes: readonly NodeId[]): Part | null => {
    const [first] = nodes;
    if (first === undefined) return null;
    if (nodes.every((node) => node === first)) return () => tensorValue(first);
    const found = nodes.map((node) => rowIn(interpreter, node));
    const [source] = found;
    if (!source || found.some((row) => row?.node !== source.node || row.axis !== source.axis)) return null;
    const walk = walkOf(found.map((row) => row!.at));
    if (!walk) return null;
    const { node, axis } = source;
    const at = rows.push({ name: interpreter.nodes.get(node)!.label, node, axis, walk }) - 1;
    taken.push(...nodes);
    return ({ rows: given }) => tensorValue(given[at]!);
  };
  const part = (values: readonly Value[]): Part | null => {
    const [first] = values;
    const of = <K extends Value["kind"]>(kind: K): Extract<Value, { kind: K }>[] | null => {
      const same = values.filter((value): value is Extract<Value, { kind: K }> => value.kind === kind);
      return same.length === values.length ? same : null;
    };
    if (first?.kind === "number") {
      const own = of("number");
      return own && numbers(own);
    }
    if (first?.kind === "tensor") return tensors((of("tensor") ?? []).map(({ node }) => node));
    const lists = of("sequence");
    if (first?.kind !== "sequence" || !lists || lists.some(({ items: own }) => own.length !== first.items.length))
      return null;
    const parts = first.items.map((_, i) => part(lists.map(({ items: own }) => own[i]!.value)));
    if (parts.includes(null)) return null;
    return (given) => ({ ...first, items: parts.map((each) => loose(each!(given))) });
  };
  if (items.length < 2) return null;
  const item = part(items);
  if (!item) return null;
  const spareItems = (): void => {
    for (const id of taken) for (const each of [id, interpreter.nodes.get(id)!.inputs[0]!]) interpreter.spare.add(each);
  };
  return { rows, number, item, spareItems };
}
