/** @file Connecting on the canvas, by a line or from the list. */
import type { NodeId } from "../../../fusion";
import type { Picture } from "../../../picture";
import { playground } from "../../../state";
import { say, seek } from "../canvas-store";
import { standsAfter } from "../targets";

/** Connects, as a person does on the canvas: an op stands after its inputs, also where it was put before it had any. */
export function connectOn(picture: Picture | null, producer: NodeId, consumer: NodeId, operand: number): void {
  const { document, actions } = playground.getState();
  const put = picture && standsAfter(picture, document.positions, producer, consumer);
  if (put) seek(put.box);
  say(actions.connect(producer, consumer, operand, put?.box, put?.at));
}
