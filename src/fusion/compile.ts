/** @file Text and options in, compilation out; states and plans between steps by replay. */
import { planFusion } from "./plan";
import type { Compilation, Symbol } from "./compilation";
import { chosenFor, targetOn, generic, positionsOf, type Positions } from "./cost";
import {
  applyPatch,
  bug,
  during,
  draftOf,
  invert,
  type CompileOptions,
  type DeviceProfile,
  type DraftFusion,
  type EdgeId,
  type Fusion,
  type Graph,
  type Plan,
  type Step,
  type Target,
} from "./ir";
import { heldAgainst } from "./assertions";
import { budgetFault } from "./saved-sheet";
import { fuse } from "./fuse";
import { withHints } from "./hints";
import { inTextOrder, naiveState } from "./passes";
import { parseProgram, type Parsed } from "./text";

/** What a new document is compiled with. */
export const defaultOptions: CompileOptions = {
  granularity: "op",
  disabledPasses: [],
  strict: false,
  policy: "cost",
  matmulPolicy: "epilogue",
  groupSize: 1,
  profile: generic,
  forced: [],
  forbidden: [],
};

type Clock = () => number;
const noClock: Clock = () => 0;

/**
 * Parses, plans and generates code. Mistakes in the text are diagnostics; then there are no plans, only what was understood.
 * @param now a clock in milliseconds, for the compile-time chart; without one every duration is 0
 * @param patience how many steps reading may take, in multiples of what an editor grants; without it there is no end
 */
export function compile(text: string, options: CompileOptions, now?: Clock, patience?: number): Compilation {
  const clock = now ?? noClock;
  const start = clock();
  const parsed = during("reading the text", () => parseProgram(text, patience === undefined ? {} : { patience }));
  const symbols = parsed.symbols.map(({ name, node, definition, uses }): Symbol => ({
    name,
    node,
    definition,
    uses: [...uses],
  }));
  const { assertions, updates } = parsed;
  const read = {
    text,
    updates,
    options,
    diagnostics: withHints(parsed.diagnostics, parsed.graph, text),
    symbols,
    assertions,
    parseMillis: clock() - start,
  };
  return parsed.complete && parsed.graph.outputs.length > 0
    ? planned(parsed.graph, read, clock)
    : unplanned(parsed.graph, read);
}

/** The same from a graph that no text was written for. */
export function compileGraph(graph: Graph, options: CompileOptions, now: Clock = noClock): Compilation {
  return planned(
    graph,
    { text: "", updates: [], options, diagnostics: [], symbols: [], assertions: [], parseMillis: 0 },
    now,
  );
}

interface Read extends Pick<Compilation, "text" | "updates" | "options" | "diagnostics" | "symbols"> {
  readonly assertions: Parsed["assertions"];
  readonly parseMillis: number;
}

const unplanned = (drawn: Graph, { text, updates, options, diagnostics, symbols, parseMillis }: Read): Compilation => ({
  text,
  updates,
  options,
  diagnostics,
  symbols,
  goals: [],
  naive: null,
  drawn,
  steps: [],
  naivePlan: null,
  fusedPlan: null,
  millis: { parse: parseMillis, passes: 0, codegen: 0 },
});

function planned(graph: Graph, { parseMillis, assertions, ...read }: Read, clock: Clock): Compilation {
  const { options, text } = read;
  const start = clock();
  const naive = during("the naive plan", () => naiveState(graph, options));
  const { steps, final } = fuse(naive, options);
  const between = clock();
  const target = chosenFor(options);
  const naivePlan = during("kernels of the naive plan", () => planFusion(naive, target, options.profile));
  const fusedPlan = during("kernels of the fused plan", () => planFusion(final, target, options.profile));
  const { goals, faults } = heldAgainst(text, assertions, { naive, final, steps, plan: fusedPlan });
  const over = budgetFault(read, naive.graph, final);
  return {
    ...read,
    diagnostics: [...read.diagnostics, ...faults, ...over],
    goals,
    naive,
    drawn: graph,
    steps,
    naivePlan,
    fusedPlan,
    millis: { parse: parseMillis, passes: between - start, codegen: clock() - between },
  };
}

/** A draft that walks along the steps, and the states that were asked for lately. */
interface Replay {
  readonly draft: DraftFusion;
  cursor: number;
  readonly positions: Positions;
  readonly states: Map<number, Fusion>;
  readonly plans: Map<number, Plan>;
}

/** States remembered for going back and forth; a state costs a copy of the graph. */
const MAX_STATES = 32;
const replays = new WeakMap<Compilation, Replay>();

function replayOf(compilation: Compilation): Replay {
  const known = replays.get(compilation);
  if (known) return known;
  const { naive } = compilation;
  if (!naive) throw bug("a text with mistakes has no states");
  const positions = positionsOf(naive.graph);
  const replay: Replay = {
    draft: draftOf(naive),
    cursor: 0,
    positions,
    states: new Map([[0, naive]]),
    plans: new Map(),
  };
  replays.set(compilation, replay);
  return replay;
}

/**
 * The state after the first `cursor` steps: 0 is the naive plan, `steps.length` the final one. The same object when asked again
 * soon. Throws when the compilation has no plans.
 */
export function fusionAt(compilation: Compilation, cursor: number): Fusion {
  const { steps } = compilation;
  const replay = replayOf(compilation);
  const wanted = Math.max(0, Math.min(steps.length, Math.trunc(cursor)));
  const known = replay.states.get(wanted);
  if (known) return known;
  while (replay.cursor < wanted) {
    const { patch } = steps[replay.cursor++]!;
    if (patch) applyPatch(replay.draft, patch);
  }
  while (replay.cursor > wanted) {
    const { patch } = steps[--replay.cursor]!;
    if (patch) applyPatch(replay.draft, invert(patch));
  }
  const state = inTextOrder(replay.draft, replay.positions);
  remember(replay.states, wanted, state);
  return state;
}

function remember<T>(states: Map<number, T>, cursor: number, value: T): void {
  states.set(cursor, value);
  if (states.size <= MAX_STATES) return;
  for (const oldest of states.keys()) {
    if (oldest === 0) continue;
    states.delete(oldest);
    return;
  }
}

/** The plan of the state after `cursor` steps, for the profile's GPU schedule. */
export function planAt(compilation: Compilation, cursor: number): Plan {
  const { naivePlan, fusedPlan, steps, options } = compilation;
  if (cursor <= 0 && naivePlan) return naivePlan;
  if (cursor >= steps.length && fusedPlan) return fusedPlan;
  const replay = replayOf(compilation);
  const known = replay.plans.get(cursor);
  if (known) return known;
  const plan = planFusion(fusionAt(compilation, cursor), chosenFor(options), options.profile);
  remember(replay.plans, cursor, plan);
  return plan;
}

/**
 * The plan of a state for the machine that will run it: its schedules, as far as the options don't choose them, and its counts.
 * @param profile what times are predicted on, and schedules are chosen by
 */
export const planForTarget = (
  fusion: Fusion,
  target: Target,
  options: CompileOptions,
  profile: DeviceProfile = options.profile,
): Plan => planFusion(fusion, chosenFor(options, targetOn(target, profile)), profile);

/** Every decision that was taken on an edge, in order. */
export const decisionsOn = (compilation: Compilation, edge: EdgeId): Step[] =>
  compilation.steps.filter(({ edges }) => edges.includes(edge));
