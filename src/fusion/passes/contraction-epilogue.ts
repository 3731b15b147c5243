/** @file Work on a product's elements while they are still in registers (epilogue), and on its operands while they load (prologue). */
import { isFreeView } from "../kernel";
import { node, type Region, type RegionId } from "../ir";
import type { Answer, Candidate, FusionPass } from "./driver/define";
import { deferToReaders } from "./profitability/epilogue-deferral";
import { copyCandidate } from "./driver/copies";
import { maskFirst } from "./driver/with-masks";
import {
  costOf,
  edgesBetween,
  hasContraction,
  walksRows,
  legalMerge,
  mergeCandidate,
  nodesOf,
  patchOf,
} from "./driver/merge";
import type { Planner } from "./driver/planner";
import { namesOf } from "./driver/sentences";
import { judge, policyOnContraction, prologueVerdict } from "./profitability/profitability";
import { titled } from "./catalogue";

export const contractionEpilogue: FusionPass = {
  ...titled("contraction-epilogue"),
  *match(planner) {
    const anchors = [...planner.regions.values()].filter((region) => hasContraction(planner, region));
    for (const { id } of anchors.toSorted((a, b) => planner.order.at(a.id) - planner.order.at(b.id))) {
      yield* epilogues(planner, id);
      yield* masks(planner, id);
      yield* prologues(planner, id);
    }
  },
  legal: legalMerge,
  cost: costOf,
  profitability(planner, candidate, delta) {
    const policy = policyOnContraction(planner, candidate);
    if (policy) return policy;
    const [producer, consumer] = [candidate.nodes[0]!, candidate.nodes.at(-1)!];
    const names = (id: typeof producer): string => namesOf(planner.graph, [id]);
    if (candidate.rule === "mask") {
      const doing = `Applying the mask ${names(consumer)} while the tile of ${names(producer)} is in registers, so that blocks which it hides are skipped,`;
      return judge(planner, candidate, delta, doing);
    }
    if (candidate.rule === "prologue") {
      const product = planner.factsOf(candidate.add[0]!).form!.contraction!;
      const reader = consumer === product ? "" : ` for ${names(consumer)}`;
      const doing = `Computing ${names(producer)}${reader} while the kernel of ${names(product)} loads it`;
      return prologueVerdict(planner, candidate) ?? judge(planner, candidate, delta, doing);
    }
    // A view of the tile computes nothing: what follows it does.
    const reader = candidate.remove.find(({ members }) => members.includes(consumer))!;
    const asView = isFreeView(node(planner.graph, consumer)) ? `, which it reads as ${names(consumer)},` : "";
    const own = reader.members;
    const applied = asView ? reader.outputs.slice(0, 1) : candidate.nodes.filter((id) => own.includes(id));
    const results = namesOf(planner.graph, applied);
    const next = results === names(producer) ? "the next " : "";
    const doing = `Applying ${next}${results} while the tile of ${names(producer)}${asView} is in registers`;
    return deferToReaders(planner, candidate) ?? judge(planner, candidate, delta, doing);
  },
  apply: (_planner, candidate) => patchOf(candidate),
};

/** Readers of the product, nearest first, until none fits. */
function* epilogues(planner: Planner, anchor: RegionId): Generator<Candidate, void, Answer> {
  const tried = new Set<RegionId>();
  for (let grown = true; grown;) {
    grown = false;
    const product = planner.regions.get(anchor);
    if (!product) return;
    for (const id of planner.readersOf(anchor)) {
      const reader = planner.region(id);
      if (tried.has(id) || planner.isView(reader)) continue;
      tried.add(id);
      const edges = edgesBetween(planner, product, reader);
      const about = { edges, nodes: nodesOf(edges, product), id: anchor };
      const { accepted } = yield mergeCandidate(planner, "epilogue", [product, reader], about);
      if (!accepted) continue;
      grown = true;
      break;
    }
  }
}

/** A mask by position that stands first in a kernel of whole rows: applied to the product itself, it says which of its tiles are wanted. */
function* masks(planner: Planner, anchor: RegionId): Generator<Candidate, void, Answer> {
  const product = planner.regions.get(anchor);
  if (!product) return;
  for (const id of planner.readersOf(anchor)) {
    const reader = planner.region(id);
    const found = maskFirst(planner, product, reader);
    if (!found) continue;
    const { value, mask, add } = found;
    const edges = edgesBetween(planner, product, { ...reader, members: [mask] });
    yield {
      rule: "mask",
      kind: "fuse",
      edges,
      nodes: [value, mask],
      remove: [product, reader],
      add,
      into: null,
      merged: [],
    };
    return;
  }
}

/** Pointwise producers that only the product reads. */
function* prologues(planner: Planner, anchor: RegionId): Generator<Candidate, void, Answer> {
  const tried = new Set<RegionId>();
  for (let grown = true; grown;) {
    grown = false;
    if (!planner.regions.has(anchor)) return;
    for (const id of planner.producersOf(anchor)) {
      const producer = planner.region(id);
      if (tried.has(id) || !onlyReader(planner, producer) || planner.isView(producer)) continue;
      if (walksRows(planner, producer) || hasContraction(planner, producer)) continue;
      tried.add(id);
      const { accepted } = yield copyCandidate(planner, "prologue", producer, [planner.region(anchor)]);
      if (!accepted) continue;
      grown = true;
      break;
    }
  }
}

const onlyReader = (planner: Planner, producer: Region): boolean =>
  planner.readersOf(producer.id).length === 1 && !producer.outputs.some(planner.isOutput);
