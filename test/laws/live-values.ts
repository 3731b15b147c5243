/** @file A program whose values are all alive at once. */

/** A chain of so many sines that are read again in reverse order, so that all of them are there when its end is done. */
export function liveValues(count: number): string {
  const made = Array.from({ length: count - 1 }, (_, i) => `a${i + 1} = sin(a${i} * 2)`);
  const read = Array.from({ length: count - 2 }, (_, i) => `y = y * 0.5 + a${count - 3 - i}`);
  return ["x: f32[4096, 1024]", "a0 = x * 0.9", ...made, `y = a${count - 1} + a${count - 2}`, ...read].join("\n");
}
