/** @file The iteration that stands for all of a loop's while it is read: what its numbers are in each, and the rows that it writes. */
import type { NodeId } from "../../ir";
import { opDef } from "../../ops";
import type { AnyIteration, Interpreter } from "../interpreter";

/** What whole numbers are in each of `iterations`, of which `number` is 0, 1, … */
export function numbersIn(
  interpreter: Interpreter,
  number: NodeId | null,
  iterations: number,
): AnyIteration["numbersOf"] {
  const known = new Map<NodeId, readonly number[] | null>();
  const all = (of: (at: number) => number): readonly number[] => Array.from({ length: iterations }, (_, at) => of(at));
  const counted = (id: NodeId): readonly number[] | null => {
    const { op, type, attrs, inputs } = interpreter.nodes.get(id)!;
    if (id === number) return all((at) => at);
    const { kind, scalar } = opDef(op);
    if (kind === "source" && "value" in attrs) return all(() => Number(attrs["value"]));
    if (kind !== "elementwise" || !scalar || scalar.usesIndex || type.shape.length > 0) return null;
    const operands = inputs.map(numbersOf);
    if (operands.includes(null)) return null;
    const round = (value: number): number =>
      type.dtype === "i32" ? value | 0 : type.dtype === "bool" ? Number(value !== 0) : value;
    const rule = type.dtype === "i32" && scalar.int ? scalar.int.bind(scalar) : scalar.js.bind(scalar);
    return all((at) =>
      round(
        rule(
          operands.map((list) => list![at]!),
          attrs,
        ),
      ),
    );
  };
  const numbersOf = (id: NodeId): readonly number[] | null => {
    const found = known.get(id);
    if (found !== undefined) return found;
    const answer = counted(id);
    known.set(id, answer);
    return answer;
  };
  return numbersOf;
}

/**
 * Whether a condition on the iteration's number holds in the first of all iterations, and from there on in as many as are noted in
 * `alike`; null of any other condition.
 */
export function holdsAtFirst({ anyIteration }: Interpreter, test: NodeId): boolean | null {
  const numbers = anyIteration?.numbersOf(test);
  if (!anyIteration || !numbers) return null;
  const other = numbers.findIndex((each) => (each !== 0) !== (numbers[0] !== 0));
  if (other >= 0) anyIteration.alike = Math.min(anyIteration.alike, other);
  return numbers[0] !== 0;
}

/** The most, up to `count`, of which `holds` is true; what holds of some holds of fewer, and of one. */
export function longestStart(count: number, holds: (some: number) => boolean): number {
  if (holds(count)) return count;
  let [least, most] = [1, count];
  while (most - least > 1) {
    const middle = (least + most) >> 1;
    if (holds(middle)) least = middle;
    else most = middle;
  }
  return least;
}
