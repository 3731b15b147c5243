/** @file What a kernel's statements compute, counted as they are written. */
import { isLoop, type KernelProgram, type Stmt } from "../../src/fusion/kernel/emit/kernel-ir";
import type { OpDef } from "../../src/fusion/ops";

/** How often a thread's statements are met, each times its `weight`, in all threads; edges count as if they were met everywhere. Null where it can't be told. */
function written({ body, workgroups, workgroupSize }: KernelProgram, weight: (stmt: Stmt) => number): number | null {
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
      return sum + times * weight(stmt);
    }, 0);
  const each = within(body, 1);
  return threads === null ? null : each * threads;
}

const isSet = (stmt: Stmt): stmt is Extract<Stmt, { kind: "let" | "var" | "set" }> =>
  stmt.kind === "let" || stmt.kind === "var" || stmt.kind === "set";

/** How often the threads compute an op, on each of four elements apart, times its `weight`. */
export const writtenOps = (program: KernelProgram, weight: (def: OpDef) => number): number | null =>
  written(program, (stmt) => (isSet(stmt) && stmt.value.kind === "op" ? stmt.reg.width * weight(stmt.value.def) : 0));

/** How often the threads load, one element or four. */
export const writtenLoads = (program: KernelProgram): number | null =>
  written(program, (stmt) => Number(isSet(stmt) && stmt.value.kind === "load"));
