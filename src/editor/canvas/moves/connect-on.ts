/** @file Connecting on the canvas, by a line or from the list. */
import type { NodeId } from "../../../fusion";
import type { Picture } from "../../../picture";
import { playground } from "../../../state";
import { say } from "../canvas-store";
import { standsBefore } from "../targets";

/** Connects, as a person does on the canvas: an op stands after its inputs, also where it was put before it had any. */
export function connectOn(picture: Picture | null, producer: NodeId, consumer: NodeId, operand: number): void {
  const freed = picture && standsBefore(picture, producer, consumer);
  say(playground.getState().actions.connect(producer, consumer, operand, freed));
}
