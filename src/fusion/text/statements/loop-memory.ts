/** @file What one iteration of a loop writes in place, and whether all of them can do so as one loop. */
import type { Interpreter } from "../interpreter";
import { wholeOf } from "../calls/memory";
import { openTrial } from "../trial";
import type { Value } from "../values/values";

/** A tensor that is carried: before the loop, what stands for it in the iteration, and what the iteration ends with. */
export interface CarriedValue {
  readonly outer: Value;
  readonly standIn: Value;
  readonly end: Value;
}

/**
 * Watches an iteration that is about to be read.
 * @returns what says, after it, which carried tensors it writes in place; null where the iterations have to be written out, because what
 * they write is read under another name, or is no carried tensor
 */
export function watchMemory(
  interpreter: Interpreter,
): (carried: readonly CarriedValue[], appended: readonly Value[]) => readonly CarriedValue[] | null {
  const { memory } = interpreter;
  if (!memory) return () => [];
  const trial = openTrial(interpreter);
  const size = memory.later.size;
  const around = memory.reads;
  const reads = new Set<Value>();
  memory.reads = reads;
  return (carried, appended) => {
    memory.reads = around;
    for (const value of reads) around?.add(value);
    const written = [...memory.later.keys()].slice(size);
    const own = trial.made();
    if (written.some((value) => value.kind === "tensor" && !own.has(value.node))) return null;
    const inPlace = carried.filter(({ standIn }) => memory.later.has(standIn));
    const wholes = new Set([...reads].map((value) => wholeOf(interpreter, value)));
    const isPlain = ({ outer, standIn, end }: CarriedValue): boolean => {
      let last = standIn;
      for (let next = memory.later.get(last); next; next = memory.later.get(last)) last = next;
      return last === end && !wholes.has(outer) && !appended.includes(end);
    };
    return inPlace.every(isPlain) ? inPlace : null;
  };
}
