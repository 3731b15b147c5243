/**
 * @file What a backward pass needs of the forward pass is saved, recomputed, inverted from a result, or saved as one bit an element
 * (docs/decisions/0010-saved-values.md). Where the two passes run apart, this decides what goes through memory between them.
 */
import { bytesOf, node, type Node, type NodeId, type SavedValues, type Verdict } from "../../ir";
import { isFreeView } from "../../region";
import type { Answer, Candidate, FusionPass } from "../define";
import type { Proposal } from "../identities";
import { costOf, patchOf } from "../merge";
import type { Planner } from "../planner";
import type { Rewriter } from "../rewriter";
import { noKernel, propose } from "../rewriting";
import { nameOf, namesOf, no, showBytes, showMicros, yes } from "../sentences";
import { keptOf, type Kept, type Wanted } from "./choose";
import { splittingRewriter } from "./split-kernel";
import { NodeFactory } from "./node-factory";
import { isLate, isSource, partitionOf, type Partition } from "./partition";
import { wantedOf } from "./wanted";
import { fitsBits, flopsOf, isExpensive, savedBytes } from "./recompute-cost";

export const savedValues: FusionPass = {
  name: "saved-values",
  title: "Choose what the backward pass keeps",
  teaches: "saved-values",
  summary: "Keeps a value of the forward pass, makes it again, takes it back from a result, or keeps one bit of it.",
  numerics: "bitwise",
  *match(planner) {
    const asked = askedOf(planner);
    if (!asked) return;
    const sides = partitionOf(planner.graph);
    if (!sides) return;
    const { wanted, refused } = wantedOf(planner.graph, sides, asked, planner.options.strict);
    const rewriter = splittingRewriter(planner);
    for (const { value, verdict } of refused)
      yield* propose(planner, rewriter, {
        rule: "choice",
        change: null,
        verdict,
        nodes: [value, ...readersLate(planner, rewriter, value).slice(0, 1)],
      });
    // Taken before anything is rewritten: the sides are those of the graph as written.
    const kept = keptOf(planner.graph, sides, wanted);
    const work: Work = { planner, rewriter, sides, wanted, kept, again: new Map(), copies: new Set() };
    yield* ahead(work);
    for (const value of crossing(work)) yield* decided(work, value);
  },
  legal: (planner, candidate) => noKernel(planner, candidate) ?? candidate.rewrite!.verdict,
  cost: (planner, candidate) => planner.supposing(patchOf(candidate), () => costOf(planner, candidate)),
  profitability: (_planner, { rewrite }) => rewrite!.verdict,
  apply: (_planner, candidate) => patchOf(candidate),
};

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
  readonly kept: Kept;
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
  const { planner, rewriter, kept } = work;
  for (const id of work.sides.primals) {
    const n = planner.graph.nodes.get(id);
    const asBits = n !== undefined && kept.kept.has(id) && fitsBits(n);
    if (!n || !(asBits || (kept.early.has(id) && kept.kept.has(id)))) continue;
    const readers = readersLate(planner, rewriter, id);
    if (readers.length === 0) continue;
    yield* propose(planner, rewriter, takenAhead(work, n, readers, asBits));
  }
}

function takenAhead(
  { planner, rewriter, sides, kept }: Work,
  n: Node,
  readers: readonly NodeId[],
  asBits: boolean,
): Proposal {
  const { graph } = planner;
  const factory = new NodeFactory(graph, isLate(n) ? n.id : readers[0]!, "kept");
  const early = new Map<NodeId, NodeId>();
  const isCopied = (id: NodeId): boolean => isLate(node(graph, id)) && kept.early.has(id);
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
  const stands = asBits ? factory.unpacked(factory.packed(value, n), n) : value;
  const rewired = readers.map((id) => rereads(graph, id, n.id, stands));
  // A result is still computed where it was.
  const gone = isLate(n) && !planner.isOutput(n.id) ? [n.id] : [];
  const change = { ...rewriter.replaced(gone, [...factory.made, ...rewired]), ownRegions: factory.computed() };
  const [whole, bytes] = [bytesOf(n.type), savedBytes(n)];
  const from = n.inputs.filter((id) => !isSource(node(graph, id)));
  const of = from.length === 0 ? whole : Math.max(whole, ...from.map((id) => bytesOf(node(graph, id).type)));
  const text = asBits
    ? `The backward pass asks only whether ${nameOf(graph, n.id)} holds: one bit an element, ${showBytes(bytes)} instead of the ${showBytes(of)} of ${namesOf(graph, from.length > 0 ? from : [n.id])}.`
    : `${nameOf(graph, n.id)} is computed in the forward pass, so that only its ${showBytes(bytes)} are kept.`;
  const nodes = [...from.slice(0, 1), n.id, ...readers.slice(0, 1)];
  return {
    rule: asBits ? "bits" : "ahead",
    change,
    nodes,
    verdict: yes("A_BYTES", nodes, text, {
      numbers: {
        bytesSaved: 2 * (of - bytes),
        microsApart: moving(planner, 2 * of),
        microsFused: moving(planner, 2 * bytes),
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
  const { planner, rewriter, kept } = work;
  if (!planner.graph.nodes.has(id)) return;
  const readers = readersLate(planner, rewriter, id).filter((reader) => !work.copies.has(reader));
  if (readers.length === 0) return;
  if (isFreeView(node(planner.graph, id)) && kept.kept.has(behind(planner, id))) return;
  if (kept.kept.has(id)) yield* propose(planner, rewriter, keeping(work, id, readers));
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
  const { planner, rewriter, wanted, kept, again, copies } = work;
  const { graph } = planner;
  const factory = new NodeFactory(graph, readers[0]!, "again");
  const made: NodeId[] = [];
  let flops = 0;
  const standsFor = (value: NodeId): NodeId => {
    const open = [value];
    while (open.length > 0) {
      const current = open.at(-1)!;
      const inverted = wanted.inverted.get(current);
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
      flops += inverted ? 1 : flopsOf(graph, current);
    }
    return again.get(value)!;
  };
  const atHand = (value: NodeId): boolean =>
    isSource(node(graph, value)) || isLate(node(graph, value)) || kept.kept.has(value);
  const stands = standsFor(id);
  const rewired = readers.map((reader) => rereads(graph, reader, id, stands));
  const change = { ...rewriter.replaced([], [...factory.made, ...rewired]), ownRegions: factory.computed() };
  const bytes = bytesOf(node(graph, id).type);
  const nodes = [id, ...readers.slice(0, 1)];
  const inverted = wanted.inverted.get(id);
  const numbers = traded(planner, bytes, flops);
  const text = inverted
    ? `${nameOf(graph, id)} is taken back from ${nameOf(graph, inverted.result)} by \`${inverted.op}\`: its ${showBytes(bytes)} need not be kept. Where ${nameOf(graph, inverted.result)} has lost digits, so has what is taken back.`
    : made.length === 0
      ? `${nameOf(graph, id)} is made again in the backward pass already: its ${showBytes(bytes)} need not be kept (${showMicros(moving(planner, 2 * bytes))} to write and read).`
      : `${nameOf(graph, id)} is made again in the backward pass (${namesOf(graph, made)}: ${showFlops(flops)}, ${showMicros(micros(planner, flops))}) instead of keeping its ${showBytes(bytes)} (${showMicros(moving(planner, 2 * bytes))} to write and read).`;
  return {
    made,
    rule: inverted ? "invert" : "recompute",
    change,
    nodes,
    verdict: yes("A_BYTES", nodes, text, { numbers }),
  };
}

/** Why a value is saved. */
function keeping({ planner, wanted }: Work, id: NodeId, readers: readonly NodeId[]): Proposal {
  const { graph } = planner;
  const [name, bytes, flops] = [nameOf(graph, id), bytesOf(node(graph, id).type), flopsOf(graph, id)];
  const nodes = [id, ...readers.slice(0, 1)];
  const numbers = { ...traded(planner, bytes, flops), bytes };
  const refusal = (code: Verdict["code"], text: string, remedy: string): Proposal => ({
    rule: "keep",
    change: null,
    nodes,
    verdict: no(code, nodes, text, { numbers, remedy }),
  });
  const reading = `${nameOf(graph, readers[0]!)} reads ${name} in the backward pass`;
  if (wanted.choices.has(id))
    return refusal("U_USER_BARRIER", `You chose to keep ${name}: ${showBytes(bytes)}.`, "Take the choice back.");
  const giving = [...wanted.inverted].find(([, { inputs }]) => inputs.includes(id));
  if (giving)
    return refusal(
      "L_SAVED",
      `${name} is kept (${showBytes(bytes)}), because ${nameOf(graph, giving[0])} is taken back from it.`,
      "Keep that value itself.",
    );
  if (isExpensive(graph, id)) {
    const again = `computing it again takes ${showFlops(flops)} (${showMicros(micros(planner, flops))})`;
    return refusal(
      "C_RECOMPUTE",
      `${reading}, and ${again}: its ${showBytes(bytes)} are kept (${showMicros(moving(planner, 2 * bytes))} to write and read).`,
      "Choose recompute for it, or allow fewer bytes.",
    );
  }
  if (wanted.policy === "stored")
    return refusal(
      "L_SAVED",
      `${reading}: its ${showBytes(bytes)} are kept until then.`,
      "Recompute it, or choose the cheapest cut.",
    );
  return refusal(
    "C_NEGATIVE",
    `${reading}. Keeping its ${showBytes(bytes)} is the cheapest way: other values are made again from it.`,
    "Choose recompute for it.",
  );
}

/** What making a value again saves, and what it takes. */
const traded = (planner: Planner, bytes: number, flops: number) => ({
  bytesSaved: 2 * bytes,
  flopsAdded: flops,
  microsApart: moving(planner, 2 * bytes),
  microsFused: micros(planner, flops),
});
const micros = ({ profile }: Planner, flops: number): number => (flops / profile.peakFlops) * 1e6;
const moving = ({ profile }: Planner, bytes: number): number => (bytes / profile.bandwidth) * 1e6;
const showFlops = (flops: number): string => {
  const [scale, unit] =
    flops >= 1e9 ? [1e9, "GFLOP"] : flops >= 1e6 ? [1e6, "MFLOP"] : flops >= 1e3 ? [1e3, "kFLOP"] : [1, "FLOP"];
  return `${Number((flops / scale).toPrecision(3))} ${unit}`;
};
