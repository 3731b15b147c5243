/** @file The saved form, checked: untrusted JSON in, fresh values out. Unknown keys are dropped and named. */
import * as v from "valibot";
import type { Checked, CompileOptions, EdgeId, Knobs, NodeId, SavedChoice } from "../fusion";
import { isKnobValue, knobNames, parseEdgeId, savedChoices, savedPolicies } from "../fusion";
import { limits } from "./limits";
import { recordOf } from "./records";
import type { DecisionRef, Document, Position, SharedState, WeightsRef } from "./types";
import { readView } from "./view";

export interface Opened {
  readonly state: SharedState;
  /** What was left out, in words; empty as a rule. */
  readonly dropped: readonly string[];
}

const finite = v.pipe(v.number(), v.finite());
const positive = v.pipe(finite, v.minValue(0), v.maxValue(1e18));
const name = v.pipe(v.string(), v.minLength(1), v.maxLength(limits.name));
const names = v.pipe(v.array(name), v.maxLength(limits.entries));
const edge = v.pipe(
  v.string(),
  v.maxLength(3 * limits.name),
  v.check((text) => parseEdgeId(text) !== null),
  v.transform((text) => text as EdgeId),
);
const coordinate = v.pipe(finite, v.minValue(-limits.coordinate), v.maxValue(limits.coordinate));
const position = v.object({ x: coordinate, y: coordinate });

const profile = v.object({
  name,
  base: v.optional(name),
  bandwidth: v.pipe(positive, v.minValue(1)),
  l2Bytes: positive,
  peakFlops: v.pipe(positive, v.minValue(1)),
  launchMicros: positive,
  multiprocessors: v.pipe(positive, v.minValue(1)),
  registersPerMultiprocessor: v.pipe(positive, v.minValue(1)),
  maxBindings: v.pipe(positive, v.integer(), v.minValue(2), v.maxValue(1000)),
  workgroupBytes: positive,
  maxBindingBytes: positive,
  memoryLimitBytes: positive,
});

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Choices that are none are left out; what a kernel can do with the others is asked of its schedule. */
const knobs = v.pipe(
  v.record(v.string(), v.string()),
  v.transform((chosen): Knobs => {
    const known = knobNames.filter((knob) => chosen[knob] !== undefined && isKnobValue(knob, chosen[knob]));
    return Object.fromEntries(known.map((knob) => [knob, chosen[knob]]));
  }),
);
/** Values by a person's names. valibot's own record leaves out `constructor` and its like, which may be names of nodes. */
const byName = <T>(schema: v.GenericSchema<unknown, T>) =>
  v.pipe(
    v.custom<Record<string, unknown>>((value) => isRecord(value) && Object.keys(value).length <= limits.entries),
    v.rawTransform(({ dataset, addIssue, NEVER }): Record<string, T> => {
      const read = recordOf<T>();
      for (const [key, value] of Object.entries(dataset.value)) {
        const entry = v.safeParse(schema, value);
        if (!entry.success || key.length === 0 || key.length > limits.name) {
          addIssue({ message: `Invalid entry for ${key}` });
          return NEVER;
        }
        read[key] = entry.output;
      }
      return read;
    }),
  );
const knobsByKernel = byName(knobs);
const savedByNode = v.pipe(
  byName(v.picklist(savedChoices)),
  v.transform((choices) => choices as Record<NodeId, SavedChoice>),
);

const options = v.object({
  granularity: v.picklist(["op", "statement", "primitive"]),
  disabledPasses: names,
  strict: v.boolean(),
  level: v.optional(v.picklist([0, 1, 2, 3])),
  order: v.optional(names),
  policy: v.picklist(["cost", "materialise", "duplicate", "multi"]),
  matmulPolicy: v.picklist(["epilogue", "library", "threshold"]),
  libraryAbove: v.optional(positive),
  groupSize: v.pipe(finite, v.integer(), v.minValue(1), v.maxValue(1024)),
  profile,
  forced: v.pipe(v.array(edge), v.maxLength(limits.entries)),
  forbidden: v.pipe(v.array(edge), v.maxLength(limits.entries)),
  savedValues: v.optional(
    v.object({
      apart: v.boolean(),
      policy: v.optional(v.picklist(savedPolicies)),
      budgetBytes: v.optional(positive),
      choices: savedByNode,
    }),
  ),
  knobs: v.optional(v.object({ all: knobs, kernels: knobsByKernel })),
}) satisfies v.GenericSchema<unknown, CompileOptions>;

const decision = v.object({
  pass: name,
  rule: name,
  nodes: names,
  occurrence: v.pipe(finite, v.integer(), v.minValue(0)),
  seq: v.pipe(finite, v.integer(), v.minValue(0)),
  hash: v.pipe(v.string(), v.regex(/^[0-9a-f]{0,16}$/)),
}) satisfies v.GenericSchema<unknown, DecisionRef>;

const weights = v.object({
  file: name,
  key: v.pipe(v.string(), v.regex(/^[0-9a-f]{8,32}$/)),
}) satisfies v.GenericSchema<unknown, WeightsRef>;

/** Entries that fit, in a fresh record; the others are named in `dropped`. One bad entry never costs the rest. */
function entries<T>(
  value: unknown,
  where: string,
  schema: v.GenericSchema<unknown, T>,
  dropped: string[],
): Record<string, T> {
  const kept = recordOf<T>();
  if (value === undefined) return kept;
  if (!isRecord(value)) {
    dropped.push(where);
    return kept;
  }
  let count = 0;
  for (const key of Object.keys(value)) {
    const entry = v.safeParse(schema, value[key]);
    if (key.length > limits.name || !entry.success || count === limits.entries) dropped.push(`${where} of ${key}`);
    else {
      kept[key] = entry.output;
      count++;
    }
  }
  return kept;
}

const unknownKeys = (value: Record<string, unknown>, known: readonly string[], where: string): string[] =>
  Object.keys(value)
    .filter((key) => !known.includes(key))
    .map((key) => (where ? `${where}.${key}` : key));

const refuse = (code: string, text: string): Checked<never> => ({ ok: false, code, text });

function readDocument(value: unknown, dropped: string[]): Checked<Document> {
  if (!isRecord(value)) return refuse("not-a-document", "There is no program in it.");
  const { text } = value;
  if (typeof text !== "string") return refuse("not-a-document", "There is no program text in it.");
  const chosen = v.safeParse(options, value.options);
  if (!chosen.success) {
    return refuse("bad-options", `Its options can't be read: ${chosen.issues[0].message}`);
  }
  dropped.push(
    // Older documents carry an empty `savedChoices`.
    ...unknownKeys(value, ["text", "positions", "savedChoices", "options", "example", "weights"], "document"),
  );
  dropped.push(...unknownKeys(value.options as Record<string, unknown>, Object.keys(options.entries), "options"));
  const example = v.safeParse(v.nullable(name), value.example ?? null);
  const model = v.safeParse(weights, value.weights);
  if (value.weights !== undefined && !model.success) dropped.push("document.weights");
  return {
    ok: true,
    value: {
      text: text.replaceAll("\r\n", "\n"),
      positions: entries<Position>(value.positions, "position", position, dropped),
      options: chosen.output,
      example: example.success ? example.output : null,
      ...(model.success ? { weights: model.output } : {}),
    },
  };
}

/** JSON of a link or a file as a state; refused with a reason when its heart is missing. */
export function readState(value: unknown): Checked<Opened> {
  if (!isRecord(value)) return refuse("not-a-document", "There is no program in it.");
  const { version } = value;
  if (typeof version !== "number" || !Number.isInteger(version) || version < 1) {
    return refuse("no-version", "It doesn't say which version made it.");
  }
  if (version > 1) {
    return refuse(
      "newer-version",
      "A newer version of the playground made this. Nothing was changed: open it with that version.",
    );
  }
  const dropped = unknownKeys(value, ["version", "document", "decision", "view"], "");
  const document = readDocument(value.document, dropped);
  if (!document.ok) return document;
  const shown = v.safeParse(v.nullable(decision), value.decision ?? null);
  if (!shown.success) dropped.push("the shown decision");
  const view = readView(value.view, dropped);
  const decided = shown.success ? shown.output : null;
  return {
    ok: true,
    value: { state: { version: 1, document: document.value, decision: decided, ...(view ? { view } : {}) }, dropped },
  };
}

/** True when arrays and objects nest deeper than `limit`. Iterative: hostile JSON may nest a million deep. */
export function deeperThan(value: unknown, limit: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limit) return true;
    const next: unknown[] = [];
    for (const item of level) {
      if (typeof item === "object" && item !== null) for (const inner of Object.values(item)) next.push(inner);
    }
    level = next;
  }
  return false;
}
