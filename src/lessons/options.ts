/** @file The options that a document gets from its example. */
import type { CompileOptions } from "../fusion";
import type { Example, ExampleOptions } from "./example";

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** What the person chose: `options` without what the example left behind, which goes back to `defaults`. */
function chosen(options: CompileOptions, left: ExampleOptions, defaults: CompileOptions): CompileOptions {
  const keys = (Object.keys(left) as (keyof ExampleOptions)[]).filter((key) => same(options[key], left[key]));
  return { ...options, ...Object.fromEntries(keys.map((key) => [key, defaults[key]])) };
}

/**
 * Options under which `example` opens. Pins, knobs and what a backward pass keeps belong to one program and do not go along; what the example before it had set, and
 * nobody changed since, is undone; everything else stays as the person has it.
 */
export function optionsFor(
  example: Example,
  options: CompileOptions,
  left: Example | null,
  defaults: CompileOptions,
): CompileOptions {
  return {
    ...chosen(options, left?.options ?? {}, defaults),
    forced: [],
    forbidden: [],
    knobs: undefined,
    savedValues: undefined,
    ...example.options,
    granularity: example.granularity,
  };
}
