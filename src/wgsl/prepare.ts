/** @file A hand-written kernel made ready for a plan: its interface and its sizes against the limits, its loops limited. */
import type { Kernel, Target } from "../fusion";
import { entryOf, guard, type Guarded } from "./guard";
import { faultAt, isFault, tokensOf, type Fault, type Token } from "./scan";
import { shapeOf, workgroupsIn, wholeNumber, type KernelShape, type TextFunction } from "./shape";

export interface Prepared {
  /** The generated kernel with the text that runs instead. */
  readonly kernel: Kernel;
  /** The same with a word at binding `flag` that says when a loop reached its limit; null where no loop needs one. */
  readonly watched: { readonly kernel: Kernel; readonly flag: number; readonly guarded: Guarded } | null;
  readonly guarded: Guarded;
  /** Turns that each loop may take for one thread. */
  readonly limit: number;
}

type Triple = readonly [number, number, number];

/** Turns of all threads together that a device does within a second or so. */
const TURNS = { gpu: 2 ** 36, software: 2 ** 28 };
/** Turns that any loop may take. */
const LEAST_TURNS = 1024;
/** A hand-written kernel may need several turns for what the generated one does in a FLOP or a load. */
const TURNS_A_FLOP = 4;

const product = (extents: readonly number[]): number => extents.reduce((all, each) => all * each, 1);

/** Turns that a loop of one thread may take, where `threads` run: what the device can do, and what the kernel has to do. */
export function turnLimit(kernel: Kernel, threads: number, software: boolean): number {
  const elements = [...kernel.reads, ...kernel.writes].reduce((sum, { bytes }) => sum + bytes / 4, 0);
  const all = TURNS[software ? "software" : "gpu"] + TURNS_A_FLOP * (kernel.flops + elements);
  return Math.min(2 ** 31, LEAST_TURNS + Math.ceil(all / Math.max(1, threads)));
}

const ORDER = ["x", "y", "z"] as const;

/** Its workgroup size in numbers. */
function sizeOf(entry: TextFunction, { constants }: KernelShape): Triple | null {
  const [x, y, z] = [0, 1, 2].map((at) =>
    wholeNumber(entry.workgroupSize[at] ?? (at > 0 ? "1" : undefined), constants),
  );
  return x !== null && x !== undefined && y !== null && y !== undefined && z !== null && z !== undefined
    ? [x, y, z]
    : null;
}

function checkBindings(text: string, shape: KernelShape, kernel: Kernel): Fault[] {
  const faults: Fault[] = [];
  const wanted = new Map(kernel.bindings.map((each) => [each.binding, each]));
  const seen = new Set<number>();
  for (const { binding, group, access, name, at } of shape.bindings) {
    const own = wanted.get(binding);
    const say = (words: string): void => void faults.push(faultAt(text, at, words));
    if (group !== 0) say(`${name} is in group ${group}; the page binds group 0 alone.`);
    else if (!own) {
      const all = kernel.bindings.map((each) => `${each.binding} ${each.name}`).join(", ");
      say(`${name} asks for binding ${binding}; this kernel has ${all}.`);
    } else if (own.access !== access)
      say(`Binding ${binding} is ${own.name}, which is bound as ${own.access}, not as ${access}.`);
    if (seen.has(binding)) say(`Binding ${binding} is declared twice.`);
    seen.add(binding);
  }
  return faults;
}

function checkSizes(
  text: string,
  shape: KernelShape,
  entry: TextFunction,
  size: Triple,
  workgroups: Triple,
  target: Target,
): Fault[] {
  const say = (words: string): Fault => faultAt(text, entry.at, words);
  const faults: Fault[] = [];
  const threads = product(size);
  if (threads < 1 || threads > target.maxWorkgroupSize)
    faults.push(say(`${threads} threads in a workgroup; this device allows 1 to ${target.maxWorkgroupSize}.`));
  if (size[2] > 64) faults.push(say(`The workgroup is ${size[2]} threads deep; WebGPU allows 64.`));
  for (const [i, count] of workgroups.entries())
    if (count < 1 || count > target.maxWorkgroupsPerDimension)
      faults.push(
        say(`${count} workgroups along ${ORDER[i]}; this device allows 1 to ${target.maxWorkgroupsPerDimension}.`),
      );
  if ((shape.workgroupBytes ?? 0) > target.maxWorkgroupBytes)
    faults.push(say(`${shape.workgroupBytes} bytes of workgroup memory; this device has ${target.maxWorkgroupBytes}.`));
  return faults;
}

const spelled = (extents: readonly number[]): string => extents.join(" × ");

/** The generated kernel's workgroups are as many as its threads need: where a text has others, it has to say how many it needs. */
function unknownGrid(
  text: string,
  entry: TextFunction,
  size: Triple,
  { workgroupSize, workgroups }: Kernel,
): Fault | null {
  if (size.every((extent, axis) => extent === workgroupSize[axis])) return null;
  const as = workgroups.map((count, axis) => Math.ceil((count * workgroupSize[axis]!) / size[axis]!));
  const words = `A workgroup has ${spelled(size)} threads here and ${spelled(workgroupSize)} in the generated kernel: say how many are launched, in a comment such as // workgroups: ${spelled(as)}`;
  return faultAt(text, entry.at, words);
}

/**
 * A hand-written kernel instead of `kernel`; or what is wrong with it, in order of the text. Types and names are the
 * business of the device's own compiler.
 */
export function prepare(kernel: Kernel, text: string, target: Target, software: boolean): Prepared | readonly Fault[] {
  const tokens = tokensOf(text);
  if (isFault(tokens)) return [tokens];
  const shape = shapeOf(tokens);
  const entry = entryOf(shape, kernel.name);
  if (!entry) return [faultAt(text, 0, `There is no @compute function, or several and none is called ${kernel.name}.`)];
  const size = sizeOf(entry, shape);
  if (!size)
    return [
      faultAt(text, entry.at, "@workgroup_size needs whole numbers, or constants of this text that are numbers."),
    ];
  const said = workgroupsIn(text);
  const workgroups = said ?? kernel.workgroups;
  const unknown = said || product(size) < 1 ? null : unknownGrid(text, entry, size, kernel);
  const faults = [
    ...checkBindings(text, shape, kernel),
    ...checkSizes(text, shape, entry, size, workgroups, target),
    ...(unknown ? [unknown] : []),
  ].toSorted((a, b) => a.line - b.line);
  if (faults.length > 0) return faults;
  const limit = turnLimit(kernel, product(size) * product(workgroups), software);
  const guarded = guard(text, tokens, shape, limit, null);
  if ("column" in guarded) return [guarded];
  const own: Kernel = {
    ...kernel,
    name: entry.name,
    schedule: `Edited by hand: ${product(workgroups)} workgroups of ${product(size)} threads.`,
    workgroupSize: size,
    workgroups,
    workgroupBytes: shape.workgroupBytes ?? kernel.workgroupBytes,
    wgsl: guarded.wgsl,
    lines: [],
  };
  return { kernel: own, watched: watchedOf(own, text, tokens, shape, target, guarded, limit), guarded, limit };
}

/** The same with a word that says when a loop reached its limit, where the device has a binding left for it. */
function watchedOf(
  own: Kernel,
  text: string,
  tokens: readonly Token[],
  shape: KernelShape,
  { maxBindings }: Target,
  { limited }: Guarded,
  limit: number,
): Prepared["watched"] {
  const stored = own.bindings.filter(({ access }) => access !== "uniform").length;
  if (limited === 0 || stored >= maxBindings) return null;
  const flag = Math.max(-1, ...own.bindings.map(({ binding }) => binding)) + 1;
  const watching = guard(text, tokens, shape, limit, flag);
  return "column" in watching ? null : { kernel: { ...own, wgsl: watching.wgsl }, flag, guarded: watching };
}
