/** @file Derived values, computed once and remembered with what they were computed from. Module constants: pass them to usePlayground. */
import {
  fusionAt,
  type Compilation,
  type DeviceProfile,
  type Fusion,
  type Graph,
  type NodeId,
  type Plan,
  type Step,
  type Sums,
} from "../fusion";
import { cardOf } from "./runs/card";
import { findExample, isTextOf, sizeOfText, type Example } from "../lessons";
import { handText } from "../document";
import type { FinishedRun, PlaygroundState } from "./types";
import { coloursAt, type KernelColours } from "../picture";

/** The last few answers by cursor: stepping back and forth asks for the same ones. */
const MAX_STATES = 24;

function byCursor<T>(compute: (compilation: Compilation, cursor: number) => T): (c: Compilation, cursor: number) => T {
  const caches = new WeakMap<Compilation, Map<number, T>>();
  return (compilation, cursor) => {
    let cache = caches.get(compilation);
    if (!cache) caches.set(compilation, (cache = new Map<number, T>()));
    if (cache.has(cursor)) return cache.get(cursor)!;
    const value = compute(compilation, cursor);
    cache.set(cursor, value);
    if (cache.size > MAX_STATES) cache.delete(cache.keys().next().value!);
    return value;
  };
}

function once<K extends object, T>(compute: (key: K) => T): (key: K) => T {
  const cache = new WeakMap<K, { readonly value: T }>();
  return (key) => {
    const found = cache.get(key);
    if (found) return found.value;
    const value = compute(key);
    cache.set(key, { value });
    return value;
  };
}

const fusionOf = byCursor((compilation, cursor) => fusionAt(compilation, cursor));
const drawnOnly = once((latest: Compilation): Fusion => ({ graph: latest.drawn, regions: new Map() }));

/** The program has holes or nothing in it: it is drawn, but there is no plan. */
export const selectHasHoles = ({ derived: { latest, status } }: PlaygroundState): boolean =>
  status !== "broken" && latest !== null && latest.naive === null && latest.drawn.nodes.size > 0;

/** Nothing was understood because nothing is there. */
export const selectIsEmpty = ({ derived: { latest } }: Pick<PlaygroundState, "derived">): boolean =>
  latest !== null && latest.drawn.nodes.size === 0 && latest.diagnostics.every(({ severity }) => severity !== "error");

/** Graph and regions at the cursor; the drawn graph without regions while the plan waits for holes. Null before the first compilation. */
export function selectFusion(state: PlaygroundState): Fusion | null {
  const { compilation, latest } = state.derived;
  if (latest && (selectHasHoles(state) || selectIsEmpty(state))) return drawnOnly(latest);
  return compilation?.naive ? fusionOf(compilation, state.cursor) : null;
}

/** The plan at the cursor; null while there is none, or while the worker still makes it. */
export function selectPlan(state: PlaygroundState): Plan | null {
  const { compilation, plans } = state.derived;
  if (!compilation?.naive || selectHasHoles(state) || selectIsEmpty(state)) return null;
  if (state.cursor === 0) return compilation.naivePlan;
  return state.cursor >= compilation.steps.length ? compilation.fusedPlan : (plans.get(state.cursor) ?? null);
}

/** Graph and regions of the naive and of the final plan. */
export const selectNaiveFusion = ({ derived: { compilation } }: PlaygroundState): Fusion | null =>
  compilation?.naive ? fusionOf(compilation, 0) : null;
export const selectFinalFusion = ({ derived: { compilation } }: PlaygroundState): Fusion | null =>
  compilation?.naive ? fusionOf(compilation, compilation.steps.length) : null;

/** Whether the program has that value: in the shown state, or before or after all steps. A selection may be left over from an older text. */
export const hasValue = (state: PlaygroundState, node: NodeId): boolean =>
  [selectFusion, selectNaiveFusion, selectFinalFusion].some((of) => of(state)?.graph.nodes.has(node));

/** Totals of the naive plan, of the shown state and of the final plan. */
export interface Score {
  readonly naive: Sums;
  readonly now: Sums;
  readonly end: Sums;
}

const scoreOf = byCursor((compilation, cursor): Score | null => {
  const naive = compilation.naivePlan?.totals;
  if (!naive) return null;
  const { steps } = compilation;
  const end = steps.at(-1)?.totals ?? naive;
  return { naive, now: steps[cursor - 1]?.totals ?? naive, end };
});

/** The compilation that is shown; null while the program has holes or nothing in it, whatever was planned before. */
export const selectPlanned = (state: PlaygroundState): Compilation | null =>
  selectHasHoles(state) || selectIsEmpty(state) ? null : state.derived.compilation;

/** The decision that the cursor shows; null at the naive plan. */
export const selectStep = (state: PlaygroundState): Step | null =>
  selectPlanned(state)?.steps[state.cursor - 1] ?? null;

const NO_STEPS: readonly Step[] = [];
export const selectSteps = (state: PlaygroundState): readonly Step[] => selectPlanned(state)?.steps ?? NO_STEPS;

export function selectScore(state: PlaygroundState): Score | null {
  const compilation = selectPlanned(state);
  return compilation && scoreOf(compilation, state.cursor);
}

/** Bytes that the naive plan holds at its peak; null while there is no plan. */
export function selectNaivePeak(state: PlaygroundState): number | null {
  return selectPlanned(state)?.naivePlan?.totals.peakBytes ?? null;
}

/** Every refused or accepted decision on an edge, in order. */
export const decisionsOnEdge = (steps: readonly Step[], edge: string): Step[] =>
  steps.filter((step) => step.edge === edge || step.edges.some((decided) => decided === edge));

/** Whether both plans have the same kernels. */
const isAlike = (a: Plan, b: Plan | null): boolean =>
  a === b ||
  (b !== null &&
    a.kernels.length === b.kernels.length &&
    a.kernels.every(({ wgsl }, i) => wgsl === b.kernels[i]!.wgsl));

/** Whether a run timed what the page plans: the same program, planned into the same kernels: other options may make others of it. */
export const isRunOf = (
  run: Pick<FinishedRun, "text" | "planned">,
  compilation: Pick<Compilation, "text" | "naivePlan" | "fusedPlan"> | null,
): boolean =>
  run.text === compilation?.text &&
  (!run.planned ||
    (isAlike(run.planned.naive, compilation.naivePlan) && isAlike(run.planned.fused, compilation.fusedPlan)));

/** A run as it is told at step `cursor`: what was timed of another step is not that one's. */
export const runAt = (run: FinishedRun, cursor: number): FinishedRun =>
  !run.plans.step || run.planned?.cursor === cursor ? run : { ...run, plans: { ...run.plans, step: null } };

/** A run ended somehow, on the GPU or on the CPU. */
export const selectEnded = ({ run, cpuCheck }: Pick<PlaygroundState, "run" | "cpuCheck">): boolean =>
  run.status === "done" || run.status === "failed" || cpuCheck !== null;

const profileOf = once(({ result: { device, roofs } }: FinishedRun): DeviceProfile | null =>
  roofs ? cardOf(device, roofs) : null,
);

/** This device as a profile: roofs and launches that the last run measured. Null before a run. */
export function selectMeasuredProfile({ run }: PlaygroundState): DeviceProfile | null {
  const shown = run.status === "done" ? run.run : run.status === "idle" ? null : run.previous;
  return shown && profileOf(shown);
}

const NO_TEXTS: readonly string[] = [];
const handOf = new WeakMap<Plan, { readonly byHand: object; readonly ids: readonly string[] }>();

/** Ids of the shown kernels that are edited by hand. */
export function selectHandKernels(state: PlaygroundState): readonly string[] {
  const { byHand } = state.document;
  const plan = selectPlan(state);
  if (!byHand || !plan) return NO_TEXTS;
  const known = handOf.get(plan);
  if (known?.byHand === byHand) return known.ids;
  const ids = plan.kernels.flatMap((kernel) => (handText(byHand, kernel) === null ? [] : kernel.id));
  handOf.set(plan, { byHand, ids });
  return ids;
}

export const selectExample = ({ document }: Pick<PlaygroundState, "document">): Example | null =>
  findExample(document.example);

/** A text that has fewer of the example's lines than this share is another program. */
const SAME = 0.5;

/** Whether most lines of `before` are in `text`; their numbers may be others. */
export function isSameProgram(before: string, text: string): boolean {
  if (isRenamed(before, text)) return true;
  const lines = (of: string): string[] =>
    of.split("\n").flatMap((line) => (/^\s*[^#\s]/.test(line) ? line.replace(/\d+/g, "0") : []));
  const [now, theirs] = [new Set(lines(text)), lines(before)];
  return theirs.filter((line) => now.has(line)).length >= theirs.length * SAME;
}

/** Whether `text` is `before` with other names, each wherever it stood: as after a value was renamed. */
function isRenamed(before: string, text: string): boolean {
  const wordsOf = (of: string): readonly string[] => of.replace(/#.*/g, "").match(/[A-Za-z_]\w*|\S/g) ?? [];
  const [theirs, now] = [wordsOf(before), wordsOf(text)];
  const names = new Map<string, string>();
  for (const [i, word] of theirs.entries()) if (!names.has(word)) names.set(word, now[i] ?? "");
  return theirs.length === now.length && theirs.every((word, i) => names.get(word) === now[i]);
}

/** The example as long as most of its lines are there. */
export function selectOpenExample(state: Pick<PlaygroundState, "document">): Example | null {
  const example = selectExample(state);
  return example && isSameProgram(example.text, state.document.text) ? example : null;
}

/** What the program is called: the example that is open, else the model whose weights it has. */
export const selectTitle = (state: Pick<PlaygroundState, "document">): string | null =>
  selectOpenExample(state)?.title ?? state.document.weights?.file ?? null;

/** The program began as an example and is another by now. */
export const selectIsEdited = (state: PlaygroundState): boolean => {
  const example = selectExample(state);
  return example !== null && !isTextOf(example, state.document.text);
};

export const selectSize = (state: PlaygroundState): "S" | "M" | "L" | null => {
  const example = selectOpenExample(state);
  return example && sizeOfText(example, state.document.text);
};

const NO_COLOURS: KernelColours = new Map();
const shownColours = new WeakMap<Compilation, { readonly cursor: number; readonly colours: KernelColours }>();

/** Cached for the shown step. */
export function selectKernelColours({ derived: { compilation }, cursor }: PlaygroundState): KernelColours {
  if (!compilation) return NO_COLOURS;
  const before = shownColours.get(compilation);
  if (before?.cursor === cursor) return before.colours;
  const colours = coloursAt(compilation, cursor);
  shownColours.set(compilation, { cursor, colours });
  return colours;
}

const notOps = new Set(["input", "const", "hole"]);

/** Ops of a graph, without what only names data. */
export const opCount = ({ nodes }: Graph): number => [...nodes.values()].filter(({ op }) => !notOps.has(op)).length;
