/** @file An iteration limit for every loop that might not end, written into the text before it goes to a GPU. */
import { loopsIn, type TextLoop } from "./counted";
import { faultAt, type Fault, type Token } from "./scan";
import type { KernelShape, TextFunction } from "./shape";

/** Where the text that runs differs from the text that was written: same lines, later columns. */
export interface Guarded {
  readonly wgsl: string;
  /** Loops that count their iterations. */
  readonly limited: number;
  /** Where an error of `wgsl` is in the text as it was written; lines and columns from 1. */
  readonly written: (line: number, column: number) => { readonly line: number; readonly column: number };
}

interface Insertion {
  readonly at: number;
  readonly text: string;
}

/** A name that the text does not use. */
function freeName(text: string, wanted: string): string {
  let name = wanted;
  while (text.includes(name)) name += "_";
  return name;
}

/** Calls that every thread of a workgroup must reach: a counter in such a loop must not differ from thread to thread. */
const MEETS = /^(?:workgroupBarrier|storageBarrier|textureBarrier|workgroupUniformLoad|subgroup\w+|quad\w+)$/;

/** How often a function may run for each thread, from its calls; Infinity where it calls itself. */
function runsOf(tokens: readonly Token[], { functions, constants }: KernelShape, limit: number) {
  const known = new Map<string, number>();
  const open = new Set<string>();
  const runs = (name: string): number => {
    if (open.has(name)) return Infinity;
    const before = known.get(name);
    if (before !== undefined) return before;
    open.add(name);
    let total = 0;
    for (const caller of functions) {
      if (caller.entry && caller.name === name) total += 1;
      const loops = loopsIn(tokens, caller.open, caller.close, constants);
      for (let at = caller.open; at < caller.close; at++)
        if (tokens[at]!.text === name && tokens[at + 1]?.text === "(")
          total += runs(caller.name) * iterationsAt(at, loops, limit);
    }
    open.delete(name);
    known.set(name, total);
    return total;
  };
  return runs;
}

/** Turns of all loops around a token. */
const iterationsAt = (at: number, loops: readonly TextLoop[], limit: number): number =>
  loops.reduce((turns, { open, close, trips }) => (open <= at && at < close ? turns * (trips ?? limit) : turns), 1);

/** The body with its limits; or the loop that can't be limited. */
function limits(
  text: string,
  tokens: readonly Token[],
  shape: KernelShape,
  limit: number,
  flag: string | null,
): { readonly insertions: Insertion[]; readonly own: string[] } | Fault {
  const insertions: Insertion[] = [];
  const own: string[] = [];
  const runs = runsOf(tokens, shape, limit);
  const left = freeName(text, "turns_left");
  let serial = 0;
  for (const each of shape.functions) {
    const loops = loopsIn(tokens, each.open, each.close, shape.constants);
    const calls = runs(each.name);
    const meets = tokens.slice(each.open, each.close).some((token) => MEETS.test(token.text));
    for (const loop of loops) {
      if (loop.trips !== null && calls * iterationsAt(loop.open, loops, limit) <= limit) continue;
      if (loop.close >= tokens.length) return faultAt(text, tokens[loop.at]!.start, "This loop's body has no end.");
      if (!each.entry && meets)
        return faultAt(
          text,
          tokens[loop.at]!.start,
          `The turns of this loop can't be limited, because ${each.name} also waits for other threads. Write the loop in the kernel itself.`,
        );
      const name = `${left}_${++serial}`;
      own.push(name);
      // The kernel's own counters are its variables, so that what is the same for all threads stays so. A helper's last
      // from call to call.
      if (each.entry) insertions.push({ at: tokens[each.open]!.end, text: ` var ${name} = ${limit}u;` });
      else insertions.push({ at: tokens.at(-1)!.end, text: ` var<private> ${name}: u32 = ${limit}u;` });
      const hit = flag === null ? "" : ` ${flag} = 1u;`;
      const check = ` if (${name} == 0u) {${hit} break; } ${name} -= 1u;`;
      insertions.push({ at: tokens[loop.open]!.end, text: check });
    }
  }
  return { insertions, own };
}

/** Only tokens, where they stood; comments and everything else become blanks. */
function bare(text: string, tokens: readonly Token[]): string {
  let code = "";
  let at = 0;
  for (const { start, end } of tokens) {
    code += text.slice(at, start).replaceAll(/[^\n]/g, " ") + text.slice(start, end);
    at = end;
  }
  return `${code}\n`;
}

/** Outer first and in order, so that offsets hold. */
function inserted(code: string, insertions: readonly Insertion[]): Pick<Guarded, "wgsl" | "written"> {
  const sorted = insertions.toSorted((a, b) => a.at - b.at);
  let [wgsl, at] = ["", 0];
  for (const each of sorted) {
    wgsl += code.slice(at, each.at) + each.text;
    at = each.at;
  }
  wgsl += code.slice(at);
  const lineOf = (offset: number): number => code.slice(0, offset).split("\n").length;
  const columnOf = (offset: number): number => offset - code.lastIndexOf("\n", offset - 1);
  const positions = sorted.map((each) => ({
    line: lineOf(each.at),
    column: columnOf(each.at),
    length: each.text.length,
  }));
  return {
    wgsl,
    written(line, column) {
      let own = column;
      for (const position of positions)
        if (position.line === line && own > position.column) own = Math.max(position.column, own - position.length);
      return { line, column: Math.max(1, own) };
    },
  };
}

/**
 * The text with its limits.
 * @param limit turns that each loop may take for one thread
 * @param flag binding number of a word that a loop sets to 1 when it reaches its limit; null: none
 */
export function guard(
  text: string,
  tokens: readonly Token[],
  shape: KernelShape,
  limit: number,
  flag: number | null,
): Guarded | Fault {
  const name = freeName(text, "limit_reached");
  const found = limits(text, tokens, shape, limit, flag === null ? null : name);
  if ("line" in found) return found;
  const { insertions, own } = found;
  const declared =
    flag === null || own.length === 0
      ? []
      : [{ at: tokens.at(-1)!.end, text: ` @group(0) @binding(${flag}) var<storage, read_write> ${name}: u32;` }];
  return { ...inserted(bare(text, tokens), [...insertions, ...declared]), limited: own.length };
}

/** The entry point that is named so, or the only one. */
export const entryOf = ({ functions }: KernelShape, name: string): TextFunction | undefined => {
  const entries = functions.filter(({ entry }) => entry);
  return entries.find((each) => each.name === name) ?? (entries.length === 1 ? entries[0] : undefined);
};
