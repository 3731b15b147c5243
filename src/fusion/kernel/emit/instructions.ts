/** @file What one thread of a kernel executes, counted from its statements: loops by their iterations, both ways of a branch. */
import { isLoop, type KernelProgram, type Loop, type Stmt } from "./kernel-ir";

/** Statements that a thread runs through at most. A vector of four counts once: it is one instruction to write and to read. */
export interface InstructionCounts {
  readonly loads: number;
  readonly stores: number;
  /** Reads and writes of workgroup memory. */
  readonly shared: number;
  readonly arithmetic: number;
  readonly barriers: number;
  /** Branches, and iterations of loops. */
  readonly branches: number;
}

type Sort = keyof InstructionCounts;

/** Kinds of expressions that compute nothing: they name, widen or pick what is there. */
const FREE: ReadonlySet<string> = new Set(["splat", "part", "pack", "reg", "literal", "index"]);

function sortsOf(stmt: Stmt): readonly Sort[] {
  switch (stmt.kind) {
    case "let":
    case "set":
      if (stmt.value.kind === "load") return ["loads"];
      if (stmt.value.kind === "loadShared") return ["shared"];
      return FREE.has(stmt.value.kind) ? [] : ["arithmetic"];
    case "store":
    case "storePair":
      return ["stores"];
    case "fetchAtomic":
      return ["loads", "stores", "arithmetic"];
    case "takeNumber":
      return [...Array.from({ length: 3 * stmt.bits + 12 }, () => "arithmetic" as const), "shared", "branches"];
    case "storeShared":
    case "addShared":
      return ["shared"];
    case "foldShared":
      return ["shared", "shared", "shared", "arithmetic"];
    case "exchangePair":
      return ["shared", "shared", "shared", "shared", "arithmetic", "branches"];
    case "wait":
      return ["arithmetic", "branches", "shared", "shared"];
    case "retainNone":
      return [];
    case "retain":
      return Array.from({ length: 5 * stmt.list.count }, () => "arithmetic" as const);
    case "takeRetained":
      return Array.from({ length: 8 * Math.log2(stmt.list.lanes) + 2 * stmt.list.count }, () => "arithmetic" as const);
    case "noneWait":
      return ["shared"];
    case "countWaiting":
      return ["barriers", "barriers", "barriers", "shared", "shared", "branches"];
    case "merge":
      // Two loads, a comparison and a branch for each halving of what is left of the shorter run; three more comparisons at the end.
      return Array.from(
        { length: Math.ceil(Math.log2(stmt.left.max + 1)) + 1 },
        () => ["loads", "loads", "arithmetic", "branches"] as const,
      ).flat();
    case "barrier":
      return ["barriers"];
    case "guard":
    case "if":
      return ["branches"];
    case "for":
    case "halve":
    case "double":
    case "range":
    case "subgroups":
    case "var":
    case "bind":
    case "bindValue":
    case "comment":
      return [];
  }
}

/** Iterations of a loop; one that halves or doubles takes as many as its largest extent has bits. */
function iterationsOf(stmt: Loop): number {
  if (stmt.kind === "for") return stmt.count;
  if (stmt.kind === "range") return Math.ceil((stmt.limit.max - 1) / stmt.step);
  return Math.floor(Math.log2(Math.max(1, stmt.kind === "halve" ? stmt.from.max : stmt.limit.max - 1))) + 1;
}

/** Counts for one thread of `program`. */
export function instructionCounts({ body }: KernelProgram): InstructionCounts {
  const counts = { loads: 0, stores: 0, shared: 0, arithmetic: 0, barriers: 0, branches: 0 };
  const open: { readonly block: readonly Stmt[]; readonly times: number }[] = [{ block: body, times: 1 }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { block, times } = next;
    for (const stmt of block) {
      for (const sort of sortsOf(stmt)) counts[sort] += times;
      if (stmt.kind === "if") open.push({ block: stmt.body, times }, { block: stmt.otherwise, times });
      if (isLoop(stmt)) {
        const iterations = iterationsOf(stmt);
        counts.branches += times * iterations;
        open.push({ block: stmt.body, times: times * iterations });
      }
    }
  }
  return counts;
}
