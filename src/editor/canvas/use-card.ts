/** @file Which card is open: the selected edge's or op's, else the shown step's. One at a time. */
import { useMemo } from "react";
import { blocksOf, writtenAttr, type NodeId, type Step } from "../../fusion";
import {
  decisionsOnEdge,
  playground,
  selectFusion,
  selectNaiveFusion,
  selectPlanned,
  selectStep,
  selectSteps,
  selectTold,
  usePlayground,
} from "../../state";
import { parsedText } from "../text/parsed";
import { closeCardAt, useCanvas } from "./canvas-store";
import {
  callDrawnAt,
  cardOfEdge,
  cardOfStep,
  type DecisionCard,
  factsOf,
  inspect,
  type Inspected,
  type Scene,
} from "../../picture";

export type OpenCard =
  | { readonly kind: "none" }
  | { readonly kind: "decision"; readonly card: DecisionCard }
  | { readonly kind: "node"; readonly node: Inspected; readonly facts: ReturnType<typeof factsOf> };

const NONE: OpenCard = { kind: "none" };

/** What was fused may read its inputs more than once: why the bytes are more than the tensors that are drawn. */
function withRereads(card: DecisionCard, { kernels }: Scene, nodes: readonly NodeId[]): DecisionCard {
  const both = ({ members }: Scene["kernels"][number]): boolean =>
    nodes.filter((id) => members.includes(id)).length > 1;
  const kernel = card.fused && kernels.find(both);
  if (!kernel || !kernel.again) return card;
  const again = `${kernel.name} ${kernel.again}, and every read counts.`;
  return { ...card, note: card.note ? `${card.note} ${again}` : again };
}

/** Whether the program stands at its end as it was opened: no step has led there, and none has a card. */
export const useIsOpened = (): boolean => usePlayground((s) => s.cursor >= selectSteps(s).length && !s.stepped);

/** The step that the page shows; null where a program was opened at its end, which no step has led to. */
export function useShownStep(): Step | null {
  const step = usePlayground(selectStep);
  return useIsOpened() ? null : step;
}

export function useCard(scene: Scene | null): OpenCard {
  const selection = usePlayground((s) => s.selection);
  const fusion = usePlayground(selectFusion);
  const naive = usePlayground(selectNaiveFusion);
  const step = useShownStep();
  const steps = usePlayground(selectSteps);
  const planned = usePlayground(selectPlanned);
  const cursor = usePlayground((s) => s.cursor);
  const known = usePlayground(selectTold);
  const options = usePlayground((s) => s.document.options);
  const broken = usePlayground((s) => s.derived.status === "broken");
  const text = usePlayground((s) => s.document.text);
  const quiet = usePlayground((s) => s.embed || s.tour !== null || s.intro === "playing" || s.intro === "waiting");
  const closedAt = useCanvas((s) => s.closedAt);
  return useMemo((): OpenCard => {
    if (!fusion || !scene || broken) return NONE;
    const { graph } = fusion;
    const told = planned ?? { naive, naivePlan: null, steps };
    if (selection.kind === "node") {
      const block = blocksOf(naive?.graph ?? graph).get(selection.id) ?? null;
      const call = callDrawnAt(scene, graph, selection.id);
      const node = inspect(graph, selection.id, (id, attr) => writtenAttr(parsedText(text), id, attr), block, call);
      if (node) return { kind: "node", node, facts: factsOf(scene, node) };
    }
    const edge =
      selection.kind === "edge"
        ? scene.edges.find(({ id, also }) => id === selection.id || also.includes(selection.id))
        : undefined;
    if (edge) {
      const decisions = edge.also.flatMap((id) => decisionsOnEdge(steps, id)).sort((a, b) => a.seq - b.seq);
      // A verdict that waits for a prediction is in no card.
      if (decisions.some(({ seq }) => seq > known)) return NONE;
      const card = cardOfEdge(told, { graph, cursor }, edge, decisions, options);
      return {
        kind: "decision",
        card: withRereads(card, scene, decisions.findLast(({ seq }) => seq <= cursor)?.nodes ?? []),
      };
    }
    // What was chosen in another program is not in this one, and its step has a card all the same.
    // Embedded, the verdict stands beside the steps, and there is no room for more; the tour has a card of its own.
    if (!step || quiet || closedAt === cursor || step.seq > known) return NONE;
    return { kind: "decision", card: withRereads(cardOfStep(told, step, options, { known }), scene, step.nodes) };
  }, [fusion, naive, planned, scene, broken, selection, step, steps, cursor, known, options, text, quiet, closedAt]);
}

/** Closes what is open: the selection, or the step's own card until another step comes. */
export function closeCard(): void {
  const { selection, actions, cursor } = playground.getState();
  if (selection.kind === "none") closeCardAt(cursor);
  else actions.select({ kind: "none" });
}
