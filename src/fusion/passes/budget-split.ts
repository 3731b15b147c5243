/** @file P8: a kernel over a limit, or across a boundary that the user drew, is cut where the least has to cross. */
import {
  bytesOf,
  freshRegionId,
  node,
  parseEdgeId,
  type Limit,
  type NodeId,
  type Region,
  type RegionId,
  type Verdict,
} from "../ir";
import { isFreeView, neededBy } from "../kernel";
import type { Answer, Candidate, FusionPass } from "./driver/define";
import { bindingsOf, costOf, edgesBetween, patchOf } from "./driver/merge";
import { cheapestCut, type CutValue } from "./profitability/min-cut";
import type { Planner } from "./driver/planner";
import { namesOf, nameOf, no, showBytes, STRICT_OFF, yes } from "./driver/sentences";
import { STATEMENT_LIMIT, opsLimit } from "./profitability/profitability";
import { titled } from "./catalogue";

interface Excess {
  readonly code: "L_BINDINGS" | "C_CODE_SIZE" | "C_COMPILE_BUDGET" | "U_USER_BARRIER";
  readonly text: string;
  readonly numbers: Readonly<Record<string, number>>;
  readonly limit?: Limit;
  /** The cut must part these two. */
  readonly between: readonly [NodeId, NodeId] | null;
}

export const budgetSplit: FusionPass = {
  ...titled("budget-split"),
  *match(planner) {
    const queue = [...planner.regions.values()];
    for (let i = 0; i < queue.length; i++)
      for (const candidate of cutsOf(planner, queue[i]!)) {
        const { accepted }: Answer = yield candidate;
        if (!accepted) continue;
        queue.push(...candidate.add);
        break;
      }
  },
  legal: (planner, candidate) => {
    const { add, nodes } = candidate;
    return (
      roundsMore(planner, candidate) ??
      yes(
        "A_PATTERN",
        nodes,
        add.length > 1
          ? `Each part is a kernel of its own: ${add.map(({ outputs }) => namesOf(planner.graph, outputs)).join("; ")}.`
          : `What ${namesOf(planner.graph, add[0]!.outputs)} reads is in memory already: the kernel need not recompute it.`,
      )
    );
  },
  cost: costOf,
  profitability(planner, candidate) {
    const excess = reasons.get(candidate)!;
    const crossing = storedBetween(candidate);
    const bytes = crossing.reduce((sum, id) => sum + bytesOf(node(planner.graph, id).type), 0);
    const cut =
      crossing.length === 0
        ? "it is cut where nothing has to be stored"
        : `it is cut where ${excess.between ? "" : "only "}${showBytes(bytes)} (${namesOf(planner.graph, crossing)}) ${excess.between ? "have" : "has"} to be stored`;
    const { limit } = excess;
    const said = { numbers: { ...excess.numbers, bytes }, ...(limit ? { limit } : {}) };
    return yes(excess.code, candidate.nodes, `${excess.text}, so ${cut}.`, said);
  },
  apply: (_planner, candidate) => patchOf(candidate),
};

/** Limits that people set, not devices. */
const CHOSEN: ReadonlySet<string> = new Set<Excess["code"]>(["U_USER_BARRIER", "C_CODE_SIZE"]);

/** Why each candidate is cut. */
const reasons = new WeakMap<Candidate, Excess>();

/** What only the first of two parts stores, for the second. */
const storedBetween = ({ add: [first, second], remove }: Candidate): readonly NodeId[] =>
  second ? first!.outputs.filter((id) => !remove[0]!.outputs.includes(id)) : [];

/** Strict mode rounds where the naive plan does: a boundary that nobody needs stores no f16 value that has more digits there. */
function roundsMore({ graph, options }: Planner, candidate: Candidate): Verdict | null {
  if (!options.strict || !CHOSEN.has(reasons.get(candidate)!.code)) return null;
  const rounded = storedBetween(candidate).filter((id) => {
    const n = node(graph, id);
    return n.type.dtype === "f16" && !n.rounded;
  });
  if (rounded.length === 0) return null;
  const text = `Cut here, ${namesOf(graph, rounded)} would be stored as f16 and lose digits that one kernel keeps, and strict mode forbids that.`;
  return no("L_STRICT", candidate.nodes, text, STRICT_OFF);
}

/** A cut for each thing that is too much and can be mended: a boundary that can't be drawn hides no limit. */
function* cutsOf(planner: Planner, region: Region): Generator<Candidate> {
  for (const excess of excessesOf(planner, region)) {
    const candidate = cutOf(planner, region, excess);
    if (!candidate) continue;
    reasons.set(candidate, excess);
    yield candidate;
  }
}

function* excessesOf(planner: Planner, region: Region): Generator<Excess> {
  if (planner.isView(region) || region.members.length < 2) return;
  for (const edge of planner.options.forbidden) {
    const ends = parseEdgeId(edge);
    if (!ends || !region.members.includes(ends.producer) || !region.members.includes(ends.consumer)) continue;
    const [a, b] = [nameOf(planner.graph, ends.producer), nameOf(planner.graph, ends.consumer)];
    const text = `You drew a boundary between ${a} and ${b}, and one kernel computes both`;
    yield { code: "U_USER_BARRIER", text, numbers: {}, between: [ends.producer, ends.consumer] };
  }
  const bindings = bindingsOf(planner, planner.factsOf(region));
  const { maxBindings } = planner.profile;
  if (bindings > maxBindings) {
    const text = `This kernel would bind ${bindings} buffers and the device allows ${maxBindings}`;
    yield {
      code: "L_BINDINGS",
      text,
      numbers: { bindings, limit: maxBindings },
      limit: { what: "buffers", value: bindings, limit: maxBindings, unit: "" },
      between: null,
    };
  }
  const ops = region.members.length;
  const limit = opsLimit(planner, true);
  if (ops <= limit) return;
  const code = limit === STATEMENT_LIMIT ? "C_COMPILE_BUDGET" : "C_CODE_SIZE";
  yield {
    code,
    text: `This kernel has ${ops} ops and the group size allows ${limit}`,
    numbers: { ops, limit },
    between: null,
  };
}

/** Shares of the members, in text order, that a cheapest cut must leave on either side. */
const SHARES = [1 / 4, 3 / 8];

/** Made when it is looked at: all of them together would be as large as the region is, squared. */
type Beginning = () => ReadonlySet<NodeId>;

/** Sets of members that could go first: every beginning of the text, and the cheapest cuts, whatever the order in the text. */
function* beginnings(planner: Planner, region: Region, { between }: Excess): Generator<Beginning> {
  const { members } = region;
  for (let at = 1; at < members.length; at++) yield () => new Set(members.slice(0, at));
  const positions = new Map(members.map((id, at) => [id, at]));
  const values = members.map((id) => valueOf(planner, region, id, positions));
  const ends = between
    ? [between.map((id) => [positions.get(id)!])]
    : SHARES.map((share) => {
        const count = Math.max(1, Math.floor(share * members.length));
        return [
          members.slice(0, count).map((_, at) => at),
          members.slice(-count).map((_, at) => members.length - 1 - at),
        ];
      });
  for (const [near, far] of ends) {
    const cut = cheapestCut(values, near!, far!);
    if (!cut) continue;
    const first = new Set(members.filter((_, at) => cut.has(at)));
    yield () => first;
  }
}

/** What the cut asks of a member: a view shows what it looks at, and what is stored anyway costs nothing. */
function valueOf(planner: Planner, region: Region, id: NodeId, positions: ReadonlyMap<NodeId, number>): CutValue {
  const shown = (value: NodeId): NodeId => {
    let current = value;
    while (positions.has(current) && isFreeView(node(planner.graph, current)))
      current = node(planner.graph, current).inputs[0]!;
    return current;
  };
  const read = node(planner.graph, id).inputs.flatMap((input) => [input, shown(input)]);
  const home = planner.homeOf(id);
  const isStored =
    region.outputs.includes(id) || (home !== null && home !== region.id) || isFreeView(node(planner.graph, id));
  return {
    needs: [...new Set(read)].flatMap((input) => positions.get(input) ?? []),
    cost: isStored ? 0 : bytesOf(node(planner.graph, id).type),
  };
}

/**
 * The cut with two kernels and the fewest crossing bytes; the more even one among equals, and the earlier one. Where no cut leaves
 * both parts fewer bindings, the one whose parts bind least is a step on the way, if cutting on can lead below the limit.
 */
function cutOf(planner: Planner, region: Region, excess: Excess): Candidate | null {
  let best: { candidate: Candidate; rank: readonly number[] } | null = null;
  const tooMany = excess.code === "L_BINDINGS" ? excess.numbers["bindings"]! : Infinity;
  let partable: boolean | null = null;
  for (const { before, bytes, unevenness } of cutsByBytes(planner, region, excess)) {
    // What the parts bind is dear to know: it is asked of cuts that could still be the best.
    if (best && !isBefore([0, bytes, unevenness], best.rank)) break;
    const parts = partsAt(planner, region, before())!;
    const add = kernelsOf(planner, region, parts);
    if (!add) continue;
    const bound = Math.max(...add.map((part) => bindingsOf(planner, planner.factsOf(part))));
    if (bound >= tooMany && !(partable ??= isPartable(planner, region))) continue;
    const rank = [bound < tooMany ? 0 : bound, bytes, unevenness];
    if (best && !isBefore(rank, best.rank)) continue;
    const { first, second, crossing } = parts;
    const candidate: Candidate = {
      rule: "cut",
      kind: "split",
      edges: edgesBetween(planner, { ...first, outputs: crossing }, second),
      nodes: [...crossing, ...second.outputs],
      remove: [region],
      add,
      into: null,
      merged: [],
    };
    best = { candidate, rank };
  }
  return best?.candidate ?? null;
}

interface Cut {
  readonly before: Beginning;
  /** What has to be stored for it. */
  readonly bytes: number;
  /** By how many members one part is larger than the other. */
  readonly unevenness: number;
}

/** Cuts that can be drawn, those with the fewest bytes first. */
function cutsByBytes(planner: Planner, region: Region, excess: Excess): Cut[] {
  const cuts: Cut[] = [];
  for (const before of beginnings(planner, region, excess)) {
    const set = before();
    const parts = partsAt(planner, region, set);
    if (parts === null) continue;
    const { first, second } = parts;
    if (excess.between) {
      const [a, b] = excess.between;
      if (!first.members.includes(a) || !second.members.includes(b) || second.members.includes(a)) continue;
    }
    const bytes = first.outputs.reduce((sum, id) => sum + bytesOf(node(planner.graph, id).type), 0);
    cuts.push({ before, bytes, unevenness: Math.abs(2 * set.size - region.members.length) });
  }
  return cuts.toSorted((a, b) => a.bytes - b.bytes || a.unevenness - b.unevenness);
}

/** Whether the first number in which two lists differ is lower in `a`. */
function isBefore(a: readonly number[], b: readonly number[]): boolean {
  const at = a.findIndex((value, i) => value !== b[i]);
  return at >= 0 && a[at]! < b[at]!;
}

/** Whether each op by itself keeps to the device's bindings. */
const isPartable = (planner: Planner, { id, members }: Region): boolean =>
  members.every((member) => {
    if (isFreeView(node(planner.graph, member))) return true;
    const facts = planner.kernelOf({ id, members: [member], outputs: [member] });
    return facts !== null && bindingsOf(planner, facts) <= planner.profile.maxBindings;
  });

/** The parts where both are kernels. */
function kernelsOf(planner: Planner, region: Region, { first, second }: Parts): Region[] | null {
  // Where everything that crosses is in memory already, there is nothing left for a first part to do.
  const add = first.outputs.length === 0 ? [second] : [first, second];
  if (add.length === 1 && second.members.length === region.members.length) return null;
  return second.outputs.length === 0 || add.some((part) => !planner.kernelOf(part)) ? null : add;
}

interface Parts {
  readonly first: Region;
  readonly second: Region;
  /** Values of the first part that the second one reads, wherever they are stored. */
  readonly crossing: readonly NodeId[];
}

/** Null where a value would have to come from a kernel that waits for this one. */
function partsAt(planner: Planner, region: Region, first: ReadonlySet<NodeId>): Parts | null {
  const before = region.members.filter((id) => first.has(id));
  const second = region.members.filter((id) => !first.has(id));
  const crossing = new Set<NodeId>();
  const copied = new Set<NodeId>();
  for (const member of second) {
    for (const input of node(planner.graph, member).inputs) {
      let current = input;
      // A free view is no kernel's output: the second part takes a copy of it and reads what it shows.
      while (first.has(current) && isFreeView(node(planner.graph, current))) {
        copied.add(current);
        current = node(planner.graph, current).inputs[0]!;
      }
      if (first.has(current)) crossing.add(current);
    }
  }
  // A copy of a value that another kernel stores is not stored again.
  const elsewhere = [...crossing].filter((id) => ![null, region.id].includes(planner.homeOf(id)));
  if (elsewhere.some((id) => waitsFor(planner, planner.homeOf(id)!, region.id))) return null;
  const outputs = before.filter((id) => region.outputs.includes(id) || (crossing.has(id) && !elsewhere.includes(id)));
  const rest = [...copied, ...second].toSorted((a, b) => planner.position(a) - planner.position(b));
  return {
    first: {
      id: freshRegionId(`k:${outputs.at(-1) ?? before.at(-1)!}`, (taken) => planner.regions.has(taken)),
      members: neededBy((id) => node(planner.graph, id), before, outputs),
      outputs,
    },
    second: { id: region.id, members: rest, outputs: region.outputs.filter((id) => !first.has(id)) },
    crossing: [...crossing],
  };
}

/** A search this long is given up and answered with yes. */
const WINDOW = 2048;

/** Does `from` read, over others or not, what `to` stores? */
function waitsFor(planner: Planner, from: RegionId, to: RegionId): boolean {
  const seen = new Set([from]);
  for (const id of seen) {
    for (const input of planner.inputsOf(planner.region(id))) {
      const home = planner.homeOf(input);
      if (home === to || seen.size > WINDOW) return true;
      if (home !== null) seen.add(home);
    }
  }
  return false;
}
