/** @file One kernel with several outputs, for a value that is stored anyway and for kernels that read the same tensor. */
import {
  edgeId,
  extended,
  type EdgeId,
  isInput,
  node,
  type NodeId,
  type Region,
  type RegionId,
  type Shape,
  sizeOf,
  type Verdict,
} from "../ir";
import type { Answer, Candidate, FusionPass } from "./driver/define";
import { costOf, joiningRewrite, legalMerge, mergeCandidate, patchOf } from "./driver/merge";
import { isIndexMap } from "./driver/read-in-place";
import { together } from "./driver/together";
import { figuresIn, valuesReadBy } from "../cost";
import { isFreeView, matmulSizes, type RegionForm } from "../kernel";
import type { Planner } from "./driver/planner";
import { countOf, nameOf, namesOf, no, STRICT_OFF } from "./driver/sentences";
import { judge, policyOnContraction, prologueVerdict } from "./profitability/profitability";
import {
  aboutRecomputed,
  aboutRoom,
  leavingWords,
  RECOMPUTED,
  recomputedOutputs,
  withRoom,
  WITH_ROOM,
} from "./rows/recomputed-output";
import { SECOND_LOOK, secondLooks } from "./rows/second-look";
import { SUM_OF_PRODUCTS, sumsOfProducts, takesAsItPasses } from "./rows/sum-of-products";
import { SUM_OF_ROWS, sumsOfRows } from "./rows/sum-of-rows";
import { titled } from "./catalogue";

export const multiOutput: FusionPass = {
  ...titled("multi-output"),
  *match(planner) {
    yield* withReaders(planner, planner.inOrder());
    const grown = yield* siblings(planner);
    const around = new Set<RegionId>();
    for (const id of grown)
      if (planner.regions.has(id)) [id, ...planner.producersOf(id)].forEach((each) => around.add(each));
    yield* withReaders(
      planner,
      [...around].toSorted((a, b) => planner.order.at(a) - planner.order.at(b)),
    );
    yield* withReaders(planner, yield* sumsOfRows(planner));
    yield* sumsOfProducts(planner);
    yield* besides(planner);
    if (yield* recomputedOutputs(planner)) yield* siblings(planner);
    yield* secondLooks(planner);
  },
  legal: (planner, candidate) => (candidate.rewrite ? joiningRewrite.legal : legalPlain)(planner, candidate),
  cost: (planner, candidate) => (candidate.rewrite ? joiningRewrite.cost : costOf)(planner, candidate),
  profitability(planner, candidate, delta) {
    if (candidate.rule === SUM_OF_ROWS) {
      const doing = `Folding each row for ${nameOf(planner.graph, candidate.nodes[1]!)} as it passes by`;
      return planner.supposing(patchOf(candidate), () => judge(planner, candidate, delta, doing, true));
    }
    if (candidate.rule === SUM_OF_PRODUCTS) {
      const [contraction, other] = candidate.nodes.map((id) => nameOf(planner.graph, id));
      const doing = `Adding up the products of ${contraction} in the kernel of ${other}`;
      return planner.supposing(patchOf(candidate), () => judge(planner, candidate, delta, doing, true));
    }
    const refusal =
      policyOnContraction(planner, candidate) ?? prologueVerdict(planner, candidate) ?? byPolicy(planner, candidate);
    if (refusal) return refusal;
    const opinion = judge(planner, candidate, delta, doing(planner, candidate), true);
    if (candidate.rule !== RECOMPUTED || !opinion.ok) return opinion;
    return extended(opinion, { text: `${opinion.text}${leavingWords(planner, candidate)}` });
  },
  apply: (_planner, candidate) => patchOf(candidate),
};

/** What one kernel could compute if a contraction were added up in another order is refused for that. */
function legalPlain(planner: Planner, candidate: Candidate): Verdict {
  const verdict = legalMerge(planner, candidate);
  if (verdict.ok || candidate.rule !== "siblings" || !planner.options.strict) return verdict;
  const [a, b] = candidate.remove;
  const pair = takesAsItPasses(planner, a!, b!) ? [a!, b!] : takesAsItPasses(planner, b!, a!) ? [b!, a!] : null;
  if (!pair) return verdict;
  const [contraction, other] = pair.map(({ outputs }) => namesOf(planner.graph, outputs));
  const text = `As a sum of products, ${contraction} would take each element where ${other} has read it; its sums would be taken in another order, and strict mode forbids that.`;
  return no("L_STRICT", candidate.nodes, text, STRICT_OFF);
}

function doing(planner: Planner, candidate: Candidate): string {
  const { rule, nodes, remove, add } = candidate;
  const { graph } = planner;
  if (rule === SECOND_LOOK)
    return `Computing ${namesOf(graph, remove[0]!.outputs)} where ${remove[0]!.outputs.length === 1 ? "it is" : "they are"} read`;
  if (rule === RECOMPUTED) return aboutRecomputed(planner, candidate);
  if (rule === WITH_ROOM) return aboutRoom(planner, { nodes, remove });
  if (rule === "siblings") {
    const shared = sharedReads(planner, remove[0]!, remove[1]!)[0];
    return `Reading ${shared === undefined ? "the input" : nameOf(graph, shared)} once for ${namesOf(graph, [...remove[0]!.outputs, ...remove[1]!.outputs])}`;
  }
  if (rule === "beside") return `Launching ${namesOf(graph, [...remove[0]!.outputs, ...remove[1]!.outputs])} together`;
  const stored = remove[0]!.outputs.filter((id) => add[0]!.outputs.includes(id));
  const first = namesOf(graph, nodes.slice(0, 1));
  if (stored.length > 0)
    return `Storing ${namesOf(graph, stored)} from the kernel that goes on to ${namesOf(graph, nodes.slice(1))}`;
  const readers = planner.readersOf(remove[0]!.id).filter((id) => remove.some((region) => region.id === id));
  return `One kernel for ${first} and its ${countOf(readers.length, "reader")}`;
}

/** Policies other than `cost` and `multi` decide about shared values, not about results. */
function byPolicy(planner: Planner, { rule, remove, nodes }: Candidate): Verdict | null {
  const { policy } = planner.options;
  if (policy === "cost" || policy === "multi") return null;
  const shared =
    rule === "siblings" || rule === "beside"
      ? policy === "materialise"
        ? sharedReads(planner, remove[0]!, remove[1]!).some((value) => !isInput(node(planner.graph, value)))
        : remove[0]!.members.some((id) => remove[1]!.members.includes(id))
      : planner.readersOf(remove[0]!.id).length > 1;
  if (!shared) return null;
  const how = policy === "materialise" ? "to store shared values" : "to recompute shared values in each reader";
  const kernels = namesOf(planner.graph, nodes);
  return no("U_USER_BARRIER", nodes, `You chose ${how}, so the kernels of ${kernels} stay apart.`, {
    remedy: "Options, Shared values: One kernel with several results.",
    remedyOptions: { policy: "multi" },
  });
}

/** A producer with all of its readers, else with each one that takes it. */
function* withReaders(planner: Planner, ids: readonly RegionId[]): Generator<Candidate, void, Answer> {
  const queue = [...ids];
  for (let i = 0; i < queue.length; i++) {
    const id = queue[i]!;
    const producer = planner.regions.get(id);
    if (!producer || planner.isView(producer) || isIndexMap(planner, producer)) continue;
    const readers = planner.readersOf(id).filter((reader) => !planner.isView(planner.region(reader)));
    if (readers.length === 0) continue;
    if (readers.length > 1) {
      const all = together(
        planner,
        producer,
        readers.map((reader) => planner.region(reader)),
      );
      if ((yield all).accepted) {
        queue.push(id);
        continue;
      }
    }
    for (const reader of readers) {
      if (!planner.regions.has(reader)) continue;
      const pair = together(planner, planner.region(id), [planner.region(reader)]);
      const { accepted, code } = yield pair;
      if (!accepted) {
        const roomy = code === "L_BINDINGS" ? withRoom(planner, pair) : null;
        if (!roomy || !(yield roomy).accepted) continue;
      }
      queue.push(id);
      break;
    }
  }
}

/** A read counts for a kernel from this share of its largest access on: what is smaller is no reason to join. */
const LARGE_SHARE = 1 / 4;

/** Stored values that make up much of what the kernel moves. */
function largeReads(planner: Planner, region: Region): NodeId[] {
  const facts = planner.factsOf(region);
  const { reads, writes } = figuresIn(facts).traffic;
  const largest = [...reads, ...writes].reduce((most, { bytes }) => Math.max(most, bytes), 0);
  return valuesReadBy(facts).filter((_, i) => reads[i]!.bytes > 0 && reads[i]!.bytes >= LARGE_SHARE * largest);
}

/** Large reads of both. */
function sharedReads(planner: Planner, a: Region, b: Region): NodeId[] {
  const second = new Set(largeReads(planner, b));
  return largeReads(planner, a).filter((value) => second.has(value));
}

/** Kernels over the same space that read the same large tensor. */
function* siblings(planner: Planner): Generator<Candidate, RegionId[], Answer> {
  const keysOf = (region: Region): string[] => {
    const { schedule } = planner.figuresOf(region);
    const { form } = planner.factsOf(region);
    if (form === null || schedule.dispatches === 0) return [];
    return largeReads(planner, region).map((value) => `${value}|${spaceOver(planner, form, value).join()}`);
  };
  return yield* neighboursBy(planner, planner.inOrder(), keysOf, (a, b) => siblingPair(planner, a, b));
}

/** What a kernel iterates over as it reads a value: a contraction that uses each element once goes over the value itself, as a sum does. */
function spaceOver({ graph }: Planner, { contraction, space }: RegionForm, value: NodeId): Shape {
  if (contraction === null) return space;
  const { batch, m, n, k } = matmulSizes(graph, contraction);
  const { shape } = node(graph, value).type;
  return batch * m * n * k === sizeOf(shape) ? shape : space;
}

/**
 * Elementwise kernels, of whatever sizes, that read the same value or do the same, and those that take less time than their launch: one
 * launch has workgroups for each. Those that wait for one another are left to the rules of producers and readers.
 */
function* besides(planner: Planner): Generator<Candidate, void, Answer> {
  const keysOf = (region: Region): string[] => {
    const facts = planner.factsOf(region);
    const { form, schedule } = figuresIn(facts);
    // One value or few of each of several tensors: a launch takes longer than the work.
    if (form && form.reductions.length > 0 && form.contraction === null && schedule.workgroups === 1)
      return [`folds ${form.space.join()} ${doings(planner, region)}`];
    if (form?.template !== "pointwise" || schedule.variant !== "flat") return [];
    return [...valuesReadBy(facts).map((value) => `reads ${value}`), `does ${doings(planner, region)}`];
  };
  const pair = (a: Region, b: Region): Candidate | null => {
    const waits = planner.producersOf(b.id).includes(a.id) || planner.producersOf(a.id).includes(b.id);
    if (waits || planner.order.returns([a.id, b.id]).found) return null;
    const nodes = [a.outputs[0]!, b.outputs[0]!];
    return mergeCandidate(planner, "beside", [a, b], { edges: [], nodes, id: a.id });
  };
  const size = (id: RegionId): number => planner.figuresOf(planner.region(id)).form!.rows;
  const bySize = (keys: (region: Region) => readonly string[]): RegionId[] =>
    planner
      .inOrder()
      .filter((id) => keys(planner.region(id)).length > 0)
      .toSorted((a, b) => size(a) - size(b));
  yield* neighboursBy(planner, bySize(keysOf), keysOf, pair);
  // What takes less time than its launch shares one with whatever else there is.
  const isShort = (region: Region): boolean => {
    const { workMicros, launchMicros } = planner.figuresOf(region).time;
    return workMicros < launchMicros;
  };
  const isFlat = (region: Region): readonly string[] =>
    planner.figuresOf(region).schedule.variant === "flat" ? ["flat"] : [];
  yield* neighboursBy(planner, bySize(isFlat), isFlat, (a, b) => (isShort(a) || isShort(b) ? pair(a, b) : null));
}

/** The ops of a region in order, without what they are called. */
const doings = (planner: Planner, { members }: Region): string =>
  members.flatMap((id) => (isFreeView(node(planner.graph, id)) ? [] : [node(planner.graph, id).op])).join();

/** Buckets by key, then neighbours in a bucket. Returns what grew. */
function* neighboursBy(
  planner: Planner,
  ids: readonly RegionId[],
  keysOf: (region: Region) => readonly string[],
  pairOf: (a: Region, b: Region) => Candidate | null,
): Generator<Candidate, RegionId[], Answer> {
  const buckets = new Map<string, RegionId[]>();
  for (const id of ids) {
    for (const key of keysOf(planner.region(id))) {
      const bucket = buckets.get(key);
      if (bucket) bucket.push(id);
      else buckets.set(key, [id]);
    }
  }
  const joined = new Map<RegionId, RegionId>();
  const now = (id: RegionId): RegionId => {
    let at = id;
    for (let next = joined.get(at); next !== undefined; next = joined.get(at)) at = next;
    return at;
  };
  const grown: RegionId[] = [];
  for (const bucket of buckets.values()) {
    let held: RegionId | null = null;
    for (const each of bucket) {
      const id = now(each);
      if (held !== null) held = now(held);
      if (held === null || held === id || !planner.regions.has(id) || !planner.regions.has(held)) {
        held = id;
        continue;
      }
      const pair = pairOf(planner.region(held), planner.region(id));
      if (!pair || !(yield pair).accepted) {
        held = id;
        continue;
      }
      joined.set(id, held);
      grown.push(held);
    }
  }
  return grown;
}

function siblingPair(planner: Planner, a: Region, b: Region): Candidate {
  const shared = new Set(sharedReads(planner, a, b));
  const edges: EdgeId[] = [];
  for (const region of [a, b]) {
    for (const member of region.members) {
      node(planner.graph, member).inputs.forEach((input, operand) => {
        if (shared.has(input)) edges.push(edgeId(input, member, operand));
      });
    }
  }
  const nodes = [a.outputs[0]!, b.outputs[0]!];
  return mergeCandidate(planner, "siblings", [a, b], { edges: [...new Set(edges)], nodes, id: a.id });
}
