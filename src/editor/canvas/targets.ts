/** @file Where a value may go: every operand in the program, with the reason where it does not fit. */
import { pillTarget, type Document, type Position } from "../../document";
import { findNode, legalSources, legalTargets, nodeId, ownEntry, parseProgram } from "../../fusion";
import type { ConnectSource, ConnectTarget, Graph, NodeId } from "../../fusion";
import { nameIn, type Gate, type Picture, type SceneNode } from "../../picture";

export type { ConnectTarget };

export const targetKey = (consumer: string, operand: number): string => `${consumer} ${operand}`;

/** The operand that port `port` of a box feeds: its own, or one inside a call that is drawn as one box. */
export function operandAt({ id, gates }: Pick<SceneNode, "id" | "gates">, port: number): Gate {
  return gates?.[port] ?? { node: id, operand: port };
}

export function keyOfPort(box: Pick<SceneNode, "id" | "gates">, port: number): string {
  const { node, operand } = operandAt(box, port);
  return targetKey(node, operand);
}

/** Every operand that `from` could feed, by `consumer operand`. Parses the text: call it once a gesture. */
export function targetsOf(text: string, from: NodeId): ReadonlyMap<string, ConnectTarget> {
  return new Map(
    legalTargets(parseProgram(text), from).map((target) => [targetKey(target.consumer, target.operand), target]),
  );
}

/** What fits the empty operands of `op`. Parses the text. */
export const sourcesOf = (text: string, op: NodeId): readonly ConnectSource[] => legalSources(parseProgram(text), op);

export interface TargetChoice extends ConnectTarget {
  /** `add y, operand b` */
  readonly text: string;
  /** `now x`, or `empty` */
  readonly now: string;
}

/** A value by the name of its op and what it is bound to, said once where they are the same: `relu y`. */
export const titled = (name: string, id: NodeId): string => (name === id ? name : `${name} ${id}`);

/** An op, or the call that it is a part of, by its name and what it is bound to: `softmax y`. */
function titleIn(graph: Graph, { consumer, argument }: ConnectTarget): string {
  const call = argument?.call ?? consumer;
  const group = findNode(graph, consumer)?.groups.find(({ kind }) => kind === "composite");
  return titled(group?.label ?? nameIn(graph, consumer), call);
}

/** What the list of the keyboard connection shows: what fits, each argument of a call once, empty ones first. */
export function choicesOf(graph: Graph, targets: ReadonlyMap<string, ConnectTarget>): TargetChoice[] {
  const once = new Map<string, ConnectTarget>();
  for (const target of targets.values()) {
    const { ok, consumer, operand, argument } = target;
    const key = argument ? `${argument.call} ${argument.index}` : targetKey(consumer, operand);
    if (ok && !once.has(key)) once.set(key, target);
  }
  const choices = [...once.values()].map((target): TargetChoice => {
    const fed = findNode(graph, target.consumer)?.inputs[target.operand] ?? nodeId("");
    const empty = (findNode(graph, fed)?.op ?? "hole") === "hole";
    return {
      ...target,
      text: `${titleIn(graph, target)}, operand ${(target.argument?.index ?? target.operand) + 1}`,
      now: empty ? "empty" : `now ${nameIn(graph, fed)}`,
    };
  });
  return choices.sort((a, b) => Number(b.now === "empty") - Number(a.now === "empty"));
}

/** Where a box is to stand; where the layout puts it without `at`. */
interface Put {
  readonly box: NodeId;
  readonly at: Position | null;
}

/** px of the canvas below the op that feeds one, for its line. */
const BELOW = 48;

/**
 * The box of `consumer`, where it stands beside or above the end of the one that is to feed it, and where it is to stand instead: below
 * one that a person `placed`, else (`at` is null) where the layout puts it; null where lines go down.
 */
export function standsAfter(
  { scene, boxes }: Pick<Picture, "scene" | "boxes">,
  placed: Document["positions"],
  producer: NodeId,
  consumer: NodeId,
): Put | null {
  const boxOf = (id: NodeId) => scene.nodes.find((node) => node.id === id || node.inside.includes(id))?.id;
  const [from, to] = [boxOf(producer), boxOf(consumer)];
  const [above, below] = [from && boxes.get(from), to && boxes.get(to)];
  if (!from || !to || !above || !below || below.y >= above.y + above.height) return null;
  if (!ownEntry(placed, from)) return { box: to, at: null };
  const others = [...boxes].flatMap(([id, box]) => (id === to || pillTarget(id) === to ? [] : box));
  let y = above.y + above.height + BELOW;
  const across = others
    .filter(({ x, width }) => x < below.x + below.width && below.x < x + width)
    .toSorted((a, b) => a.y - b.y);
  for (const box of across) if (box.y < y + below.height && y < box.y + box.height) y = box.y + box.height + BELOW;
  return { box: to, at: { x: below.x, y } };
}
