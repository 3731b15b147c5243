/** @file The saved form, checked: untrusted JSON in, fresh values out. Unknown keys are dropped and named. */
import * as v from "valibot";
import type { Checked } from "../fusion";
import { limits } from "./limits";
import { finite, isRecord, name, names, options } from "./options";
import { recordOf } from "./records";
import type { DecisionRef, Document, Position, SharedState, WeightsRef } from "./types";
import { readView } from "./view";

export interface Opened {
  readonly state: SharedState;
  /** What was left out, in words; empty as a rule. */
  readonly dropped: readonly string[];
}

const coordinate = v.pipe(finite, v.minValue(-limits.coordinate), v.maxValue(limits.coordinate));
const position = v.object({ x: coordinate, y: coordinate });

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

const handWritten = v.pipe(v.string(), v.maxLength(limits.kernel));

/** Entries that fit, in a fresh record; the others are named in `dropped`. One bad entry never costs the rest. */
function entries<T>(
  value: unknown,
  where: string,
  schema: v.GenericSchema<unknown, T>,
  dropped: string[],
): Record<string, T> {
  const valid = recordOf<T>();
  if (value === undefined) return valid;
  if (!isRecord(value)) {
    dropped.push(where);
    return valid;
  }
  let count = 0;
  for (const key of Object.keys(value)) {
    const entry = v.safeParse(schema, value[key]);
    if (key.length > limits.name || !entry.success || count === limits.entries) dropped.push(`${where} of ${key}`);
    else {
      valid[key] = entry.output;
      count++;
    }
  }
  return valid;
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
    ...unknownKeys(value, ["text", "positions", "savedChoices", "options", "example", "weights", "byHand"], "document"),
  );
  dropped.push(...unknownKeys(value.options as Record<string, unknown>, Object.keys(options.entries), "options"));
  const example = v.safeParse(v.nullable(name), value.example ?? null);
  const model = v.safeParse(weights, value.weights);
  if (value.weights !== undefined && !model.success) dropped.push("document.weights");
  const byHand = entries(value.byHand, "hand-written kernel", handWritten, dropped);
  return {
    ok: true,
    value: {
      text: text.replaceAll("\r\n", "\n"),
      positions: entries<Position>(value.positions, "position", position, dropped),
      options: chosen.output,
      example: example.success ? example.output : null,
      ...(model.success ? { weights: model.output } : {}),
      ...(Object.keys(byHand).length > 0 ? { byHand } : {}),
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
