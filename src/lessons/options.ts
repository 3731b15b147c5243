/** @file The options that a document gets from its example, and what of them a person changed. */
import { defaultOptions, plural, type CompileOptions } from "../fusion";
import type { Example, ExampleOptions } from "./example";

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** What the person chose: `options` without what the example left behind, which goes back to `defaults`. */
function chosen(options: CompileOptions, left: ExampleOptions, defaults: CompileOptions): CompileOptions {
  const keys = (Object.keys(left) as (keyof ExampleOptions)[]).filter((key) => same(options[key], left[key]));
  return { ...options, ...Object.fromEntries(keys.map((key) => [key, defaults[key]])) };
}

/**
 * Options under which `example`, or a program that is none (null), opens. Pins, knobs and what a backward pass keeps belong to one program and do not go along; what the example before it had set, and
 * nobody changed since, is undone; everything else stays as the person has it.
 */
export function optionsFor(
  example: Example | null,
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
    ...example?.options,
    granularity: example?.granularity ?? defaults.granularity,
  };
}

/** Each in few words. The score names the profile itself; pins, knobs and saved values have marks of their own and belong to one program. */
const WORDS = {
  level: ({ level }) => `level ${level}`,
  disabledPasses: ({ disabledPasses }) => `${plural(disabledPasses.length, "pass", "passes")} off`,
  order: () => "own order of passes",
  strict: () => "strict",
  granularity: ({ granularity }) =>
    granularity === "op" ? "naive kernels: one per call" : `naive kernels: one per ${granularity}`,
  policy: ({ policy }) =>
    ({
      cost: "shared values by cost",
      materialise: "shared values stored",
      duplicate: "shared values recomputed",
      multi: "several results per kernel",
    })[policy],
  matmulPolicy: ({ matmulPolicy }) =>
    ({ epilogue: "matmul epilogues fused", library: "matmuls separate", threshold: "large matmuls separate" })[
      matmulPolicy
    ],
  groupSize: () => "own limit of ops per kernel",
} satisfies { readonly [Key in keyof CompileOptions]?: (options: CompileOptions) => string };

type Key = keyof typeof WORDS;

export interface ChangedOptions {
  /** `level 1`, `strict` … */
  readonly words: readonly string[];
  /** What sets them back. */
  readonly usual: Partial<CompileOptions>;
}

/** What belongs to one program. */
const OF_ONE = ["forced", "forbidden", "knobs", "savedValues"] as const satisfies readonly (keyof CompileOptions)[];

/** Whether the plan is made as for who opens the example and changes nothing, on whichever machine. */
export function isAsOpened(options: CompileOptions, example: Example | null): boolean {
  const usual = optionsFor(example, defaultOptions, null, defaultOptions);
  return changedOptions(options, example) === null && OF_ONE.every((key) => same(options[key] ?? [], usual[key] ?? []));
}

/** What differs from how the example (or a program of one's own) opens for who changed nothing; null where nothing does. */
export function changedOptions(options: CompileOptions, example: Example | null): ChangedOptions | null {
  const usual = optionsFor(example, defaultOptions, null, defaultOptions);
  const same = (key: Key): boolean => JSON.stringify(options[key] ?? null) === JSON.stringify(usual[key] ?? null);
  const keys = (Object.keys(WORDS) as Key[]).filter((key) => !same(key) && (key !== "level" || options.level !== 3));
  if (keys.length === 0) return null;
  return {
    words: keys.map((key) => WORDS[key](options)),
    usual: Object.fromEntries(keys.map((key) => [key, usual[key]])),
  };
}
