/** @file Pictures of small programs, for the tests beside. */
import { compile, defaultOptions, fusionAt, planAt } from "../fusion";
import type { Compilation, NodeId } from "../fusion";
import { boxSizes } from "../document";
import type { Box } from "./lines/geometry";
import { sceneOf } from "./scene";
import type { Scene } from "./scene";

export const compiled = (text: string): Compilation => compile(text, defaultOptions);

/** The scene of `text` after `cursor` steps; all of them by default. */
export function sceneAt(text: string, cursor?: number): Scene {
  const compilation = compiled(text);
  const at = cursor ?? compilation.steps.length;
  return sceneOf(fusionAt(compilation, at), planAt(compilation, at));
}

/** Every box of a scene in one column, 40 px apart, in order. */
export function columnOf({ nodes }: Scene): Map<NodeId, Box> {
  return new Map(nodes.map(({ id }, i) => [id, { x: 0, y: i * 84, ...boxSizes.op }]));
}

export const LOG_RELU = "x: f32[256, 256]\nb: f32[256, 256]\ny = log(relu(x + b))\n";
export const SOFTMAX = "x: f32[64, 128]\ny = softmax(x, dim=-1)\n";
export const TWO_READERS = "x: f32[256, 256]\nb: f32[256, 256]\nt = x * b\nz1 = t + b\nz2 = t - b\n";
