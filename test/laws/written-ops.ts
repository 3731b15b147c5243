/** @file What a kernel's statements compute, counted as they are written. */
import { isLoop, type KernelProgram, type Stmt } from "../../src/fusion/kernel/emit/kernel-ir";
import type { OpDef } from "../../src/fusion/ops";

/** FLOP of an op on one element. */
export const flopsOfOp = ({ flopsPerElement }: OpDef): number => flopsPerElement;

/**
 * How often a thread's statements compute an op, times its `weight`, in all threads; edges count as if they were met everywhere. Null
 * where it can't be told.
 */
export function writtenOps(
  { body, workgroups, workgroupSize }: KernelProgram,
  weight: (def: OpDef) => number,
): number | null {
  let threads: number | null = [...workgroups, ...workgroupSize].reduce((product, each) => product * each, 1);
  const within = (block: readonly Stmt[], times: number): number =>
    block.reduce((sum, stmt) => {
      if (stmt.kind === "guard") {
        const { when } = stmt;
        const [only, ...others] = when.kind === "less" ? when.index.terms : [];
        const isThread = only?.by === 1 && only.atom.kind === "var" && only.atom.builtin === "gid.x";
        threads = when.kind === "less" && isThread && others.length === 0 && threads !== null ? when.bound : null;
        return sum;
      }
      if (stmt.kind === "if") return sum + within(stmt.body, times) + within(stmt.otherwise, times);
      if (isLoop(stmt)) return sum + within(stmt.body, stmt.kind === "for" ? times * stmt.count : times);
      const isSet = stmt.kind === "let" || stmt.kind === "var" || stmt.kind === "set";
      return isSet && stmt.value.kind === "op" ? sum + times * stmt.reg.width * weight(stmt.value.def) : sum;
    }, 0);
  const each = within(body, 1);
  return threads === null ? null : each * threads;
}
