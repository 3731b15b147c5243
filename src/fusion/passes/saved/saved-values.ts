/**
 * @file What a backward pass needs of the forward pass is saved, recomputed, inverted from a result, or saved as one bit an element
 * (docs/decisions/0010-saved-values.md). Where the two passes run apart, this decides what goes through memory between them.
 */
import {
  bytesOf,
  isSource,
  node,
  type Node,
  type NodeId,
  type SavedValues,
  type Verdict,
  freshRegionId,
  type Patch,
  type Region,
  type RegionId,
} from "../../ir";
import { isFreeView, neededBy } from "../../kernel";
import type { Answer, Candidate, CostDelta, FusionPass, Opinion } from "../driver/define";
import type { Proposal } from "../driver/rule";
import { addedApart, rounds } from "../driver/strict-order";
import { costOf, patchOf } from "../driver/merge";
import type { Planner } from "../driver/planner";
import { type Rewriter, openRewriter } from "../driver/rewriter";
import { noKernel, propose } from "../driver/rewriting";
import { settledBy, timeOf, weigh } from "../profitability/weigh";
import { nameOf, namesOf, no, showBytes, showFlops, yes } from "../driver/sentences";
import { savedOf, type Inverted, type Wanted } from "./choose";
import { NodeFactory } from "./node-factory";
import { isLate, type SavedSet, partitionOf, type Partition } from "./partition";
import { wantedOf } from "./wanted";
import { fitsBits, isExpensive, recomputeFlops, savedBytes } from "./recompute-cost";
import { titled } from "../catalogue";

export const savedValues: FusionPass = {
  ...titled("saved-values"),
  *match(planner) {
    const asked = askedOf(planner);
    if (!asked) return;
    const sides = partitionOf(planner.graph);
    if (!sides) return;
    const { wanted: asAsked, refused } = wantedOf(planner.graph, sides, asked, planner.options.strict);
    const rewriter = splittingRewriter(planner);
    // Taken before anything is rewritten: the sides are those of the graph as written.
    const saved = savedOf(planner.graph, sides, asAsked);
    const overruled = [...saved.dropped].filter(([id]) => asAsked.choices.has(id));
    const choices = new Map(asAsked.choices);
    for (const [id, copied] of overruled) {
      choices.delete(id);
      refused.push({ value: id, verdict: notTwice(planner.graph, id, copied) });
    }
    const wanted = { ...asAsked, choices };
    for (const { value, verdict } of refused)
      yield* propose(planner, rewriter, {
        rule: "choice",
        change: null,
        verdict,
        nodes: [value, ...readersLate(planner, rewriter, value).slice(0, 1)],
      });
    const work: Work = { planner, rewriter, sides, wanted, saved, again: new Map(), copies: new Set() };
    yield* ahead(work);
    for (const value of crossing(work)) yield* decided(work, value);
  },
  legal(planner, candidate) {
    const { nodes, rewrite } = candidate;
    const refused = noKernel(planner, candidate);
    if (refused) return refused;
    const reordered = planner.options.strict ? inAnotherOrder(planner, candidate) : null;
    if (reordered) return reordered;
    const isLegality = rewrite!.verdict.code.startsWith("L_");
    return isLegality
      ? rewrite!.verdict
      : yes("A_PATTERN", nodes, "Saved or recomputed, the backward pass reads the same value.");
  },
  cost: (planner, candidate) => planner.supposing(patchOf(candidate), () => costOf(planner, candidate)),
  profitability: (_planner, candidate, delta) => bytesAgainstTime(candidate, delta),
  apply: (_planner, candidate) => patchOf(candidate),
};

/** In strict mode a sum is recomputed only in the order of the original: a refusal where a kernel would add it up in another. */
function inAnotherOrder(planner: Planner, candidate: Candidate): Verdict | null {
  const { graph } = planner;
  const patch = patchOf(candidate);
  const isLike = (id: NodeId, op: string): boolean => graph.nodes.get(id)?.op === op;
  const added = patch.addedNodes.filter(({ id }) => !graph.nodes.has(id));
  const pairs = added.flatMap(({ id, op, origins }) => {
    const of = origins.find((origin) => isLike(origin, op));
    return of === undefined || !rounds(graph, of) ? [] : [[of, id] as const];
  });
  if (pairs.length === 0) return null;
  const holding = (id: NodeId): Region[] =>
    [...patch.addedRegions, ...planner.regions.values()].filter(({ members }) => members.includes(id));
  return planner.supposing(patch, () => addedApart(planner, pairs, holding));
}

/** What the new value stands for, in the words of a bar. */
const WAYS: Readonly<Record<string, string>> = {
  bits: "saved as bits",
  f16: "saved as f16",
  ahead: "its test saved",
  invert: "inverted",
  recompute: "recomputed",
};

/** Bytes saved for the backward pass against predicted time: the bytes decide, and the time is what they cost. */
function bytesAgainstTime(candidate: Candidate, { apart, fused }: CostDelta): Opinion {
  const { rule, rewrite } = candidate;
  const { verdict } = rewrite!;
  const { bytesSavedBefore, bytesSavedAfter } = verdict.numbers ?? {};
  if (!verdict.ok || bytesSavedBefore === undefined || bytesSavedAfter === undefined) return verdict;
  const ways = [
    { what: "saved", ...apart, bytes: bytesSavedBefore },
    { what: WAYS[rule] ?? "recomputed", ...fused, bytes: bytesSavedAfter },
  ];
  const isChosen = verdict.code === "U_FORCE" || bytesSavedAfter >= bytesSavedBefore;
  const weighed = isChosen ? settledBy("choice", ways, true) : weigh("memory", ways);
  return { ...verdict, text: `${verdict.text} Predicted: ${timeOf(fused, apart)}.`, weighed };
}

/** What the options say; a checkpoint in the text asks by itself. */
function askedOf({ graph, options }: Planner): SavedValues | null {
  const { savedValues: asked } = options;
  if (asked && (asked.policy !== undefined || Object.keys(asked.choices).length > 0 || asked.apart)) return asked;
  return [...graph.nodes.values()].some(({ segment }) => segment !== undefined) ? { apart: false, choices: {} } : null;
}

interface Work {
  readonly planner: Planner;
  readonly rewriter: Rewriter;
  readonly sides: Partition;
  readonly wanted: Wanted;
  readonly saved: SavedSet;
  /** Recomputed values, by what they recompute. */
  readonly again: Map<NodeId, NodeId>;
  /** What they are again. */
  readonly copies: Set<NodeId>;
}

const readersLate = (planner: Planner, rewriter: Rewriter, id: NodeId): NodeId[] =>
  [...rewriter.readersOf(id)]
    .filter((reader) => isLate(node(planner.graph, reader)))
    .toSorted((a, b) => planner.position(a) - planner.position(b));

/** Values of the forward pass that backward nodes read, the earliest read first. */
function crossing({ planner, rewriter, sides }: Work): NodeId[] {
  const { graph } = planner;
  const first = (id: NodeId): number => planner.position(readersLate(planner, rewriter, id)[0]!);
  const found = sides.primals.filter(
    (id) => graph.nodes.has(id) && !isLate(node(graph, id)) && readersLate(planner, rewriter, id).length > 0,
  );
  return found.toSorted((a, b) => first(a) - first(b) || planner.position(a) - planner.position(b));
}

/** Tests that are taken in the forward pass, so that only their answers are saved: as bits, where words come out even. */
function* ahead(work: Work): Generator<Candidate, void, Answer> {
  const { planner, rewriter, saved } = work;
  for (const id of work.sides.primals) {
    const n = planner.graph.nodes.get(id);
    if (!n || !saved.ids.has(id)) continue;
    const form = fitsBits(n) ? "bits" : work.wanted.choices.get(id) === "f16" ? "f16" : null;
    if (form === null && !saved.early.has(id)) continue;
    const readers = readersLate(planner, rewriter, id);
    if (readers.length === 0 || isInsideKernel(work, id, readers)) continue;
    yield* propose(planner, rewriter, takenAhead(work, n, readers, form));
  }
}

/**
 * Whether the value lies inside a kernel: one of its readers is part of what computes it, or what a copy of it would read. What lies
 * inside is never written, so nothing is saved.
 */
function isInsideKernel(
  { planner: { graph }, rewriter, saved }: Work,
  id: NodeId,
  readers: readonly NodeId[],
): boolean {
  const homes = new Set(readers.flatMap((reader) => rewriter.regionsOf(reader)));
  const isInside = (each: NodeId): boolean => rewriter.regionsOf(each).some((home) => homes.has(home));
  const copied = new Set([id]);
  for (const each of copied) {
    if (!isLate(node(graph, each))) continue;
    if (!saved.early.has(each)) {
      if (isInside(each)) return true;
      continue;
    }
    for (const input of node(graph, each).inputs) copied.add(input);
  }
  return false;
}

function takenAhead(
  { planner, rewriter, sides, saved }: Work,
  n: Node,
  readers: readonly NodeId[],
  form: "bits" | "f16" | null,
): Proposal {
  const { graph } = planner;
  const factory = new NodeFactory(graph, isLate(n) ? n.id : readers[0]!, "kept");
  const early = new Map<NodeId, NodeId>();
  const isCopied = (id: NodeId): boolean => isLate(node(graph, id)) && saved.early.has(id);
  const needed = new Set([n.id].filter(isCopied));
  for (const id of needed) for (const input of node(graph, id).inputs) if (isCopied(input)) needed.add(input);
  for (const id of sides.primals) {
    if (!needed.has(id)) continue;
    const own = node(graph, id);
    early.set(
      id,
      factory.copy(
        own,
        own.inputs.map((input) => early.get(input) ?? input),
        false,
      ),
    );
  }
  const value = early.get(n.id) ?? n.id;
  const stands =
    form === "bits"
      ? factory.unpacked(factory.packed(value, n), n)
      : form === "f16"
        ? factory.widened(factory.halved(value, n), n)
        : value;
  const rewired = readers.map((id) => rereads(graph, id, n.id, stands));
  // A result is still computed where it was.
  const gone = isLate(n) && !planner.isOutput(n.id) ? [n.id] : [];
  const change = { ...rewriter.replaced(gone, [...factory.made, ...rewired]), ownRegions: factory.computed() };
  const [whole, bytes] = [bytesOf(n.type), savedBytes(n, form === "f16" ? form : undefined)];
  const from = n.inputs.filter((id) => !isSource(node(graph, id)));
  const of =
    from.length === 0 || form === "f16" ? whole : Math.max(whole, ...from.map((id) => bytesOf(node(graph, id).type)));
  const text =
    form === "f16"
      ? `${nameOf(graph, n.id)} is saved as f16: ${showBytes(bytes)} instead of ${showBytes(whole)}, and the backward pass reads it rounded to 11 bits.`
      : form === "bits"
        ? `The backward pass only needs to know where ${nameOf(graph, n.id)} is true: one bit per element, ${showBytes(bytes)} instead of the ${showBytes(of)} of ${namesOf(graph, from.length > 0 ? from : [n.id])}.`
        : `${nameOf(graph, n.id)} is computed in the forward pass, so that only its ${showBytes(bytes)} are saved.`;
  const nodes = [...(form === "f16" ? [] : from.slice(0, 1)), n.id, ...readers.slice(0, 1)];
  return {
    rule: form ?? "ahead",
    change,
    nodes,
    verdict: yes("A_BYTES", nodes, text, {
      numbers: {
        bytesSavedBefore: of,
        bytesSavedAfter: bytes,
      },
    }),
  };
}

const rereads = (graph: Planner["graph"], reader: NodeId, from: NodeId, to: NodeId): Node => {
  const n = node(graph, reader);
  return { ...n, inputs: n.inputs.map((input) => (input === from ? to : input)) };
};

/** One value that the backward pass reads: saved, and why; or recomputed. */
function* decided(work: Work, id: NodeId): Generator<Candidate, void, Answer> {
  const { planner, rewriter, saved } = work;
  if (!planner.graph.nodes.has(id)) return;
  const readers = readersLate(planner, rewriter, id).filter((reader) => !work.copies.has(reader));
  if (readers.length === 0) return;
  if (isFreeView(node(planner.graph, id)) && saved.ids.has(behind(planner, id))) return;
  if (saved.ids.has(id)) yield* propose(planner, rewriter, keeping(work, id, readers));
  else {
    const { made, ...proposal } = makingAgain(work, id, readers);
    if (!(yield* propose(planner, rewriter, proposal))) forget(work, made);
  }
}

/** Copies that were not made after all. */
function forget({ again, copies }: Work, made: readonly NodeId[]): void {
  for (const id of made) {
    copies.delete(again.get(id)!);
    again.delete(id);
  }
}

const behind = ({ graph }: Planner, id: NodeId): NodeId => {
  let at = id;
  while (isFreeView(node(graph, at))) at = node(graph, at).inputs[0]!;
  return at;
};

/** With what it recomputes. */
function makingAgain(
  work: Work,
  id: NodeId,
  readers: readonly NodeId[],
): Proposal & { readonly made: readonly NodeId[] } {
  const { planner, rewriter, wanted, saved, again, copies } = work;
  const { graph } = planner;
  const factory = new NodeFactory(graph, readers[0]!, "again");
  const made: NodeId[] = [];
  let flops = 0;
  const standsFor = (value: NodeId): NodeId => {
    const open = [value];
    while (open.length > 0) {
      const current = open.at(-1)!;
      const inverted = inverseOf(current);
      const own = node(graph, current);
      const inputs = inverted?.inputs ?? own.inputs;
      const waiting = atHand(current) ? [] : inputs.filter((input) => !atHand(input) && !again.has(input));
      if (waiting.length > 0 && !again.has(current)) {
        open.push(...waiting);
        continue;
      }
      open.pop();
      if (atHand(current) || again.has(current)) continue;
      const mapped = inputs.map((input) => again.get(input) ?? input);
      const copy = inverted ? factory.inverse({ ...inverted, inputs: mapped }, own) : factory.copy(own, mapped, true);
      again.set(current, copy);
      copies.add(copy);
      made.push(current);
      flops += inverted ? 1 : recomputeFlops(graph, current);
    }
    return again.get(value)!;
  };
  const atHand = (value: NodeId): boolean =>
    isSource(node(graph, value)) || isLate(node(graph, value)) || saved.ids.has(value);
  /** How it follows from a later value, where that is saved or follows from one that is. */
  const inverseOf = (value: NodeId): Inverted | undefined => {
    const found = wanted.inverted.get(value);
    let from = found;
    while (from && !atHand(from.result)) from = wanted.inverted.get(from.result);
    return from && found;
  };
  const stands = standsFor(id);
  const rewired = readers.map((reader) => rereads(graph, reader, id, stands));
  const change = { ...rewriter.replaced([], [...factory.made, ...rewired]), ownRegions: factory.computed() };
  const bytes = bytesOf(node(graph, id).type);
  const nodes = [id, ...readers.slice(0, 1)];
  const inverted = inverseOf(id);
  const numbers = { bytesSavedBefore: bytes, bytesSavedAfter: 0, flopsAdded: flops };
  // What else is computed on the way; by itself it has been named.
  const others = namesOf(graph, made);
  const reader = nameOf(graph, nodes.at(-1)!);
  const behind = others === nameOf(graph, id) ? "" : `${others}, `;
  const text = inverted
    ? `${nameOf(graph, id)} is computed back from ${nameOf(graph, inverted.result)} by \`${inverted.op}\` for ${reader}, so its ${showBytes(bytes)} need not be saved. Digits that ${nameOf(graph, inverted.result)} has lost are missing in it too.`
    : made.length === 0
      ? `${nameOf(graph, id)} is recomputed in the backward pass already, and ${reader} reads that, so its ${showBytes(bytes)} need not be saved.`
      : `The backward pass recomputes ${nameOf(graph, id)} for ${reader} (${behind}${showFlops(flops)}), so its ${showBytes(bytes)} need not be saved.`;
  return {
    made,
    rule: inverted ? "invert" : "recompute",
    change,
    nodes,
    verdict: yes(wanted.choices.has(id) ? "U_FORCE" : "A_BYTES", nodes, text, { numbers }),
  };
}

/** Why a value is not saved, though somebody chose so. */
const notTwice = (graph: Planner["graph"], id: NodeId, copied: NodeId): Verdict =>
  no(
    "L_SAVED",
    [id],
    `${nameOf(graph, id)} is not saved: the backward pass tests it against ${nameOf(graph, copied)}, which is recomputed. A recomputed value can differ in its last bit, so both must come from one copy.`,
    { remedy: `Saving ${nameOf(graph, copied)} too.` },
  );

/** Why a value is saved. */
function keeping({ planner, wanted }: Work, id: NodeId, readers: readonly NodeId[]): Proposal {
  const { graph } = planner;
  const [name, bytes, flops] = [nameOf(graph, id), bytesOf(node(graph, id).type), recomputeFlops(graph, id)];
  const nodes = [id, ...readers.slice(0, 1)];
  const numbers = { bytes, flops };
  const refusal = (code: Verdict["code"], text: string, remedy: string): Proposal => ({
    rule: "keep",
    change: null,
    nodes,
    verdict: no(code, nodes, text, { numbers, remedy }),
  });
  const reading = `${nameOf(graph, readers[0]!)} reads ${name} in the backward pass`;
  if (wanted.choices.has(id))
    return refusal(
      "U_USER_BARRIER",
      `You chose to save ${name}: ${showBytes(bytes)}.`,
      "Options, Saved values: another choice for it.",
    );
  const giving = [...wanted.inverted].find(([, { inputs }]) => inputs.includes(id));
  if (giving)
    return refusal(
      "L_SAVED",
      `${name} is saved (${showBytes(bytes)}), because ${nameOf(graph, giving[0])} is computed back from it.`,
      `Saving ${nameOf(graph, giving[0])} itself.`,
    );
  if (isExpensive(graph, id)) {
    return refusal(
      "C_RECOMPUTE",
      `${reading}, so its ${showBytes(bytes)} are saved until then: recomputing it takes ${showFlops(flops)}, and matmuls, sorts, scans and long sums are recomputed only where you choose it.`,
      "Options, Saved values: recompute it, or allow fewer bytes.",
    );
  }
  if (wanted.policy === "stored" && planner.options.storedPeak !== undefined)
    return refusal(
      "C_PEAK_MEMORY",
      `${reading}, so its ${showBytes(bytes)} are saved until then: a plan that recomputes more has a higher peak of memory.`,
      "Options, Saved values: plan both passes apart, or choose it for single values.",
    );
  if (wanted.policy === "stored")
    return refusal(
      "L_SAVED",
      `${reading}, so its ${showBytes(bytes)} are saved until then.`,
      "Options, Saved values: recompute it, or choose the min-cut.",
    );
  return refusal(
    "C_NEGATIVE",
    `${reading}. Saving its ${showBytes(bytes)} is part of the min-cut: other values are recomputed from it.`,
    "Options, Saved values: recompute it.",
  );
}

/** A rewriter whose patches leave kernels: what the backward pass newly reads of one may not fit what that walks. */
function splittingRewriter(planner: Planner): Rewriter {
  const rewriter = openRewriter(planner);
  return { ...rewriter, patchOf: (change) => inKernels(planner, rewriter.patchOf(change)) };
}

function inKernels(planner: Planner, patch: Patch): Patch {
  return planner.supposing(patch, () => {
    if (patch.addedRegions.every((region) => isKernel(planner, region))) return patch;
    const names = new Set([...planner.regions.keys(), ...patch.addedRegions.map(({ id }) => id)]);
    const parts = (region: Region): readonly Region[] =>
      isKernel(planner, region) ? [region] : splitKernel(planner, region, names);
    return { ...patch, addedRegions: patch.addedRegions.flatMap(parts) };
  });
}

const isKernel = (planner: Planner, region: Region): boolean => planner.kernelOf(region) !== null;

/** As many outputs in a row as one kernel stores, and so on; the last part keeps the name. Adds to `names` what the others take. */
function splitKernel(planner: Planner, { id, members, outputs }: Region, names: Set<RegionId>): readonly Region[] {
  const partOf = (stored: readonly NodeId[], before: readonly NodeId[]): Region => {
    const own = members.filter((member) => !before.includes(member));
    return { id, members: neededBy((each) => node(planner.graph, each), own, stored), outputs: stored };
  };
  const parts: Region[] = [];
  for (const [at, output] of outputs.entries()) {
    const open = parts.at(-1);
    const from = at - (open?.outputs.length ?? 0);
    const longer = partOf(outputs.slice(from, at + 1), outputs.slice(0, from));
    if (open && isKernel(planner, longer)) parts.splice(-1, 1, longer);
    else parts.push(partOf([output], outputs.slice(0, at)));
  }
  return parts.map((part, at) => {
    if (at === parts.length - 1) return part;
    const name = freshRegionId(`k:${part.outputs.at(-1)!}`, (taken) => names.has(taken));
    names.add(name);
    return { ...part, id: name };
  });
}
