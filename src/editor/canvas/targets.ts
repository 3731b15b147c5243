/** @file Where a value may go: every operand in the program, with the reason where it does not fit. */
import { findNode, legalTargets, nodeId, parseProgram } from "../../fusion";
import type { ConnectTarget, Graph, NodeId } from "../../fusion";
import { nameIn, type Gate, type SceneNode } from "../../picture";

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

export interface TargetChoice extends ConnectTarget {
  /** `add y, operand b` */
  readonly text: string;
  /** `now x`, or `empty` */
  readonly now: string;
}

/** What the list of the keyboard connection shows: what fits, empty operands first. */
export function choicesOf(graph: Graph, targets: ReadonlyMap<string, ConnectTarget>): TargetChoice[] {
  const choices = [...targets.values()]
    .filter(({ ok }) => ok)
    .map((target): TargetChoice => {
      const fed = findNode(graph, target.consumer)?.inputs[target.operand] ?? nodeId("");
      const empty = (findNode(graph, fed)?.op ?? "hole") === "hole";
      const name = nameIn(graph, target.consumer);
      const title = name === target.consumer ? name : `${name} ${target.consumer}`;
      return {
        ...target,
        text: `${title}, operand ${target.operand + 1}`,
        now: empty ? "empty" : `now ${nameIn(graph, fed)}`,
      };
    });
  return choices.sort((a, b) => Number(b.now === "empty") - Number(a.now === "empty"));
}
