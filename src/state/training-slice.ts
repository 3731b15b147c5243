/** @file Training in the page: what is shown of it, and the door to what does it, in a chunk of its own. */
import { loadPart } from "./load-part";
import type { Slice } from "./slice-context";

/** What both plans told at one step, in the order of `told`. */
export interface CurvePoint {
  /** From 1. */
  readonly step: number;
  readonly naive: readonly number[];
  readonly fused: readonly number[];
}

export interface LabelledPoint {
  readonly x: number;
  readonly y: number;
  readonly label: number;
}

/** What the fused weights have learned, drawn. */
export type TrainingPicture =
  /** The plane within ±reach, row by row from the top: how likely label 1 is, 0 to 1; and the points learned from. */
  | {
      readonly kind: "plane";
      readonly side: number;
      readonly reach: number;
      readonly likely: Float32Array;
      readonly points: readonly LabelledPoint[];
    }
  | {
      readonly kind: "images";
      /** Width and height of each, px. */
      readonly side: number;
      readonly images: readonly { readonly pixels: Float32Array; readonly label: number; readonly said: number }[];
    }
  | { readonly kind: "text"; readonly samples: readonly { readonly given: string; readonly written: string }[] };

export interface TrainingState {
  /** The program that it belongs to; of another one it is stale. */
  readonly text: string;
  readonly status: "preparing" | "running" | "stopped" | "failed";
  /** Why it failed. */
  readonly problem: string | null;
  /** Names of what the program returns as single numbers; the first is the loss. */
  readonly told: readonly string[];
  /** Tensors that a step replaces. */
  readonly replaced: number;
  readonly kernels: { readonly naive: number; readonly fused: number };
  readonly steps: number;
  /** Some hundred steps, evenly spread, the last one among them. */
  readonly curve: readonly CurvePoint[];
  /** Null until enough steps have run to say. */
  readonly stepsPerSecond: { readonly naive: number; readonly fused: number } | null;
  /** The largest relative difference of the two losses at any step. */
  readonly apart: number;
  readonly device: string | null;
  readonly software: boolean;
  /** What the data is, and the loss of whoever knows only how often each label occurs, in nats. */
  readonly data: readonly { readonly sentence: string; readonly guessing: number }[];
  readonly picture: TrainingPicture | null;
}

export type TrainingCommand = "start" | "stop" | "reset";

export const trainingSlice: Slice<"train"> = (context) => ({
  async train(command, calm = false) {
    const { train } = await loadPart(() => import("./training-run"));
    await train(context, command, calm);
  },
});
