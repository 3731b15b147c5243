/** @file Keys while the focus is on an op or a line. What is handled here does not reach the page's keys. */
import { useCallback, useEffect } from "react";
import type { KeyboardEvent } from "react";
import { edgeId, nodeId, parseEdgeId } from "../../../fusion";
import type { EdgeId, NodeId } from "../../../fusion";
import { foldBox, foldOf, pillTarget } from "../../../document";
import { playground, usePlayground } from "../../../state";
import { openList, say } from "../canvas-store";
import { type Picture } from "../../../picture";
import { walk, type Arrow, type FocusTarget } from "./walk";

const MOVE = 16;
const moves: Readonly<Record<Arrow, { x: number; y: number }>> = {
  ArrowUp: { x: 0, y: -MOVE },
  ArrowDown: { x: 0, y: MOVE },
  ArrowLeft: { x: -MOVE, y: 0 },
  ArrowRight: { x: MOVE, y: 0 },
};
const isArrow = (key: string): key is Arrow => key in moves;

/** The op or line that has the focus. */
export function targetOf(target: EventTarget | null): FocusTarget | null {
  const element =
    target instanceof Element ? target.closest<HTMLElement | SVGElement>(".react-flow__node, .react-flow__edge") : null;
  const id = element?.dataset["id"];
  if (!element || !id) return null;
  return element.classList.contains("react-flow__node")
    ? { kind: "node", id: nodeId(id) }
    : { kind: "edge", id: id as EdgeId };
}

/** Removes an op from the text, or disconnects an output. */
export const remove = (id: NodeId): void => say(playground.getState().actions.removeNode(pillTarget(id) ?? id));

/** The op that a box stands for: of a call that is drawn as one box its result; null for kernels and blocks. */
function opOf({ scene }: Picture, id: NodeId): NodeId | null {
  if (foldOf(id) === null) return pillTarget(id) ?? id;
  const box = scene.nodes.find((node) => node.id === id);
  return box?.gates?.length || box?.lid ? box.inside.at(-1)! : null;
}

/** Opens the card of an op or a line; a folded kernel is selected as a kernel. */
export function selectTarget(target: FocusTarget, picture: Picture): void {
  const { actions } = playground.getState();
  if (target.kind === "edge") {
    actions.select({ kind: "edge", id: target.id });
    return;
  }
  const kernel = picture.scene.kernels.find(({ region }) => region === foldOf(target.id));
  const op = opOf(picture, target.id);
  if (kernel) actions.select({ kind: "region", id: kernel.region });
  else if (op) actions.select({ kind: "node", id: op });
}

/** The fold that Space toggles: the box itself, else the op's kernel, else its innermost group. */
function foldFor(picture: Picture, id: NodeId): string | null {
  const box = picture.scene.nodes.find((node) => node.id === id);
  if (!box) return null;
  const kernel = box.kernel && !box.alone ? box.kernel.region : null;
  return foldOf(id) ?? kernel ?? box.groups.at(-1)?.id ?? null;
}

function onEdge(key: string, id: EdgeId): boolean {
  const { actions } = playground.getState();
  if (key === "f") actions.force(id);
  else if (key === "x") actions.forbid(id);
  else if (key === "Delete" || key === "Backspace") {
    const ends = parseEdgeId(id);
    if (ends && !pillTarget(ends.consumer)) say(actions.disconnect(edgeId(ends.producer, ends.consumer, ends.operand)));
  } else return false;
  return true;
}

function onNode(key: string, id: NodeId, picture: Picture, focus: (target: FocusTarget) => void): boolean {
  const op = opOf(picture, id);
  if (key === "c" && op) openList({ kind: "connect", from: op });
  else if ((key === "Delete" || key === "Backspace") && op) remove(op);
  else if (key === " ") {
    const fold = foldFor(picture, id);
    if (fold) {
      playground.getState().actions.setFold(fold, foldOf(id) === null ? "closed" : "open");
      const inside = picture.scene.nodes.find((node) => node.id === id)?.inside[0];
      requestAnimationFrame(() => focus({ kind: "node", id: foldOf(id) === null ? foldBox(fold) : (inside ?? id) }));
    }
  } else return false;
  return true;
}

function move(picture: Picture, id: NodeId, arrow: Arrow): void {
  const box = picture.boxes.get(id);
  if (!box || !opOf(picture, id)) return;
  playground.getState().actions.moveNodes({ [id]: { x: box.x + moves[arrow].x, y: box.y + moves[arrow].y } });
}

const EDITING = new Set(["c", "Delete", "Backspace"]);

/** A keydown handler for the canvas. `focus` moves the focus to an op or a line. */
export function useGraphKeys(
  picture: Picture | null,
  editable: boolean,
  focus: (target: FocusTarget) => void,
): (event: KeyboardEvent) => void {
  return useCallback(
    (event) => {
      const target = targetOf(event.target);
      if (!picture || !target || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
      const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
      let done = true;
      // Held down, only arrows go on.
      if (event.repeat && !isArrow(key)) done = key.length === 1 || EDITING.has(key) || key === "Enter";
      else if (isArrow(key) && event.altKey) {
        if (target.kind === "node" && editable) move(picture, target.id, key);
      } else if (isArrow(key) && !event.shiftKey) {
        const next = walk(picture.scene, target, key);
        if (next) focus(next);
      } else if (key === "Enter") selectTarget(target, picture);
      else if (!editable && EDITING.has(key)) done = false;
      else done = target.kind === "edge" ? onEdge(key, target.id) : onNode(key, target.id, picture, focus);
      if (!done) return;
      event.preventDefault();
      event.stopPropagation();
    },
    [picture, editable, focus],
  );
}

/** Does what a command asked for with the focus elsewhere on the page, as the canvas's own buttons do it. */
export function useAskedEdit(editable: boolean): void {
  const asked = usePlayground((s) => s.editAsked);
  useEffect(() => {
    if (!asked) return;
    playground.getState().actions.askEdit(null);
    if (!editable) return;
    if (asked.edit === "add") openList({ kind: "palette", at: null });
    else if (asked.edit === "connect") openList({ kind: "connect", from: asked.id });
    else remove(asked.id);
  }, [asked, editable]);
}
