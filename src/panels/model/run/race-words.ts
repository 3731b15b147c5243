/** @file A race in words: whose times these are, and what runs at a moment. */
import { laneAt, raceTimes, type Lane, type Race } from "./race";
import { decimal, showMicros } from "../units";

/** `Predicted, not measured: 2 TB/s, 100 TFLOP/s and 8 µs per launch` */
export function sourceWords(source: Race["source"]): string {
  if (source.kind === "predicted")
    return `Predicted, not measured: ${decimal(source.bandwidth, "B/s")}, ${decimal(source.flops, "FLOP/s")} and ${showMicros(source.launchMicros)} per launch`;
  return source.software
    ? `Measured on the CPU (${source.device}), not a GPU speed-up`
    : `Measured on ${source.device}`;
}

/** `kernel 3 of 5: exp`, `launching kernel 3 of 5`, `done at 104 µs` */
export function laneWords(race: Race, lane: Lane, time: number): string {
  const { kernel, number, done } = laneAt(lane, time);
  if (!kernel) return `done at ${raceTimes(race)(lane.end)}`;
  const which = `kernel ${number} of ${lane.kernels.length}`;
  return done > 0 ? `${which}: ${kernel.name}` : `launching ${which}`;
}

/** What is to be known beside whose times they are: nothing of a prediction. */
export const notesOf = ({ source }: Race): readonly string[] => (source.kind === "measured" ? source.notes : []);
