/** @file A step in words: for the line above the staircase, for tooltips and for screen readers. */
import { findNode, settled, type Graph, type NodeId, type Step } from "../../../fusion";

export const isForced = (step: Step): boolean => settled(step).code === "U_FORCE";

/** `row-groups` → `Row groups`; for passes that have no title. */
export function titleFromName(name: string): string {
  const words = name.replaceAll("-", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A node's label; nodes that a step removed are found in its patch. */
export function labelOf(graph: Graph | null, step: Step, id: NodeId): string {
  const removed = step.patch?.removedNodes.find((each) => each.id === id);
  return (graph && findNode(graph, id)?.label) ?? removed?.label ?? id;
}

/** `mean → centre`; one name when the step is about one node; at most three. */
export function aboutOf(graph: Graph | null, step: Step): string {
  const names = step.nodes.slice(0, 3).map((id) => labelOf(graph, step, id));
  const more = step.nodes.length > 3 ? ` and ${step.nodes.length - 3} more` : "";
  return names.filter((name, i) => name !== names[i - 1]).join(" → ") + more;
}

/** `refused`, `accepted`, `forced`. */
export const outcomeOf = (step: Step): string =>
  isForced(step) && step.accepted ? "forced" : step.accepted ? "accepted" : "refused";

/** `row groups` and `mean → centre refused`, after the bold `Step 10 of 18`. */
export function stepSentence(graph: Graph | null, step: Step, passTitle: string): { pass: string; about: string } {
  return {
    pass: passTitle.charAt(0).toLowerCase() + passTitle.slice(1),
    about: `${aboutOf(graph, step)} ${outcomeOf(step)}`,
  };
}

/** What a screen reader hears: the outcome first, then the reason. */
export function stepAnnouncement(graph: Graph | null, step: Step, total: number): string {
  const about = aboutOf(graph, step).replaceAll(" → ", " into ");
  return `Step ${step.seq} of ${total}, ${outcomeOf(step)}: ${about}. ${settled(step).text.replaceAll("`", "")}`;
}
