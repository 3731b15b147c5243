/** @file Programs at sizes that can be looked at: the same text with smaller numbers, and the numbers of their values. */
import type { Compilation } from "./compilation";
import { valuesInMemory } from "./plan";
import { compile, fusionAt } from "./compile";
import { chosenFor } from "./cost";
import {
  isInput,
  node as nodeOf,
  sizeOf,
  type CompileOptions,
  type Fusion,
  type Graph,
  type NodeId,
  type TensorType,
} from "./ir";
import { foldedData, inputData, runReference } from "./reference";
import { resolveView } from "./kernel";

/** Elements of all values that are computed without a noticeable wait. */
const MAX_ELEMENTS = 2 ** 18;
/** What whole numbers of a text are cut down to, the best to look at first. */
const CUTS = [16, 32, 64, 8, 128, 256, 512, 1024];
/** Where they must keep their ratios: what those above `LEAST` are divided by. */
const FACTORS = [4, 8, 2, 16, 32, 64];
const LEAST = 16;

/** A size constant at the left edge, and any whole number that is no part of a name or of another number. */
const CONSTANT = /^([A-Za-z_]\w*\s*=\s*)(\d+)(?=\s*(?:#.*)?$)/gm;
const WHOLE = /(?<![\w.])\d+(?![\w.])/g;

const cutConstants = (text: string, most: number): string =>
  text.replace(CONSTANT, (_, name: string, n: string) => name + Math.min(Number(n), most));
const cutNumbers = (text: string, most: number): string =>
  text.replace(WHOLE, (n) => String(Math.min(Number(n), most)));

const divided = (text: string, by: number): string =>
  text.replace(WHOLE, (n) => (Number(n) > LEAST ? String(Math.max(1, Math.round(Number(n) / by))) : n));

export interface SmallProgram {
  readonly compilation: Compilation;
  /** Its numbers were made smaller. */
  readonly smaller: boolean;
}

const elementsOf = ({ nodes }: Graph): number =>
  [...nodes.values()].reduce((sum, { type }) => sum + sizeOf(type.shape), 0);
const isSmall = (graph: Graph): boolean => elementsOf(graph) <= MAX_ELEMENTS;

/** The program itself where it is small, then smaller ones that still compile, the best to look at first. */
export function* smallPrograms(compilation: Compilation): Generator<SmallProgram> {
  const { text, options } = compilation;
  if (compilation.naive && isSmall(compilation.naive.graph)) yield { compilation, smaller: false };
  const seen = new Set([text]);
  const ways = [
    ...[cutNumbers, cutConstants].flatMap((cut) => CUTS.map((most) => cut(text, most))),
    ...FACTORS.map((by) => divided(text, by)),
  ];
  for (const made of ways) {
    if (seen.has(made)) continue;
    seen.add(made);
    const small = compiledOnce(made, options);
    if (small.naive && isSmall(small.naive.graph)) yield { compilation: small, smaller: true };
  }
}

/** What a number of a text is divided by at once; two numbers that depend on each other change together. */
const DIVISORS = [2, 4];

const numbersOf = (text: string): number[] =>
  [...new Set([...text.matchAll(WHOLE)].map(([n]) => Number(n)))].toSorted((a, b) => b - a);

const replaced = (text: string, changes: ReadonlyMap<number, number>): string =>
  text.replace(WHOLE, (n) => String(changes.get(Number(n)) ?? n));

/** The text with every occurrence of a number divided, or of two numbers. */
function* pairsDivided(text: string): Generator<string> {
  const changes = numbersOf(text).flatMap((n) =>
    DIVISORS.flatMap((by) => (n % by === 0 ? [[n, n / by] as const] : [])),
  );
  for (const [i, a] of changes.entries())
    for (const b of changes.slice(i + 1)) if (a[0] !== b[0]) yield replaced(text, new Map([a, b]));
}

/**
 * Where no cut of all numbers will do: one number after the other is halved, as long as the program can be planned and
 * `keeps` what it is looked at for. Those that are small are yielded, the largest first.
 */
export function* halvedPrograms(
  compilation: Compilation,
  keeps: (small: Compilation) => boolean,
): Generator<SmallProgram> {
  let { text } = compilation;
  let elements = compilation.naive ? elementsOf(compilation.naive.graph) : 0;
  /** Goes on with that text if it is one to go on with. */
  const takes = (made: string): boolean => {
    const small = compiledOnce(made, compilation.options);
    const left = small.naive ? elementsOf(small.naive.graph) : Infinity;
    if (left >= elements || !keeps(small)) return false;
    [text, elements] = [made, left];
    return true;
  };
  const now = (): SmallProgram[] =>
    elements > MAX_ELEMENTS ? [] : [{ compilation: compiledOnce(text, compilation.options), smaller: true }];
  for (let goes = true; goes;) {
    goes = false;
    for (const n of numbersOf(text))
      for (let half = n / 2; half >= 1 && half % 1 === 0; half /= 2) {
        if (!takes(replaced(text, new Map([[2 * half, half]])))) break;
        goes = true;
        yield* now();
      }
    if (goes) continue;
    for (const made of pairsDivided(text)) {
      goes = takes(made);
      if (goes) break;
    }
    if (goes) yield* now();
  }
}

const compilations = new WeakMap<CompileOptions, Map<string, Compilation>>();

/** One kernel after the other is looked at: each text is planned once. */
function compiledOnce(text: string, options: CompileOptions): Compilation {
  const known = compilations.get(options) ?? new Map<string, Compilation>();
  compilations.set(options, known);
  const made = known.get(text) ?? compile(text, options);
  known.set(text, made);
  return made;
}

/** What inputs and folded constants of `fusion` hold, row-major. */
export function dataFor({ graph }: Fusion): Map<NodeId, Float64Array> {
  const inputs = new Map(
    [...graph.nodes.values()].flatMap((node) =>
      isInput(node) && !node.recipe ? [[node.id, Float64Array.from(inputData(node))] as const] : [],
    ),
  );
  return new Map([...inputs, ...foldedData(graph, inputs)]);
}

/** Numbers are row-major; bool is 0 and 1. */
export interface ShownValues {
  readonly node: NodeId;
  readonly type: TensorType;
  /** The program's numbers were made smaller. */
  readonly smaller: boolean;
  /** In f64, op by op. */
  readonly reference: Float64Array;
  /** What the naive plan and the shown one store, in f32; null where a plan does not store the value. */
  readonly naive: Float64Array | null;
  readonly shown: Float64Array | null;
}

/**
 * The numbers of node `id`.
 * @param cursor steps applied in the shown state
 * @returns null where no smaller size could be found, or the small program has no such node
 */
export function valuesAt(compilation: Compilation, cursor: number, id: NodeId): ShownValues | null {
  for (const { compilation: small, smaller } of smallPrograms(compilation)) {
    const { steps } = small;
    const last = compilation.steps.length;
    const states = [
      fusionAt(small, cursor === last ? steps.length : Math.min(cursor, steps.length)),
      fusionAt(small, 0),
      fusionAt(small, steps.length),
    ] as const;
    const known = states.find(({ graph }) => graph.nodes.has(id));
    if (!known) continue;
    const { graph } = known;
    const reference = runReference(graph, dataFor(known), { keep: new Set([id]) }).get(id)!.data;
    return {
      node: id,
      type: nodeOf(graph, id).type,
      smaller,
      reference,
      naive: storedBy(states[1], small, id),
      shown: storedBy(states[0], small, id),
    };
  }
  return null;
}

/** What a state's plan holds of a value when all its kernels have run. */
function storedBy(fusion: Fusion, { options }: Compilation, id: NodeId): Float64Array | null {
  if (!fusion.graph.nodes.has(id)) return null;
  const stored = valuesInMemory(fusion, chosenFor(options), options.profile, dataFor(fusion));
  const found = stored.get(id) ?? stored.get(resolveView(fusion.graph, id));
  // A view that repeats what it looks at has no numbers of its own.
  return found?.length === sizeOf(nodeOf(fusion.graph, id).type.shape) ? found : null;
}
