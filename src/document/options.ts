/** @file The options of a document, checked. */
import * as v from "valibot";
import type { CompileOptions, DeviceProfile, EdgeId, Knobs, NodeId, SavedChoice } from "../fusion";
import {
  defaultOptions,
  isKnobValue,
  forbidReasons,
  knobNames,
  parseEdgeId,
  savedChoices,
  savedPolicies,
} from "../fusion";
import { limits } from "./limits";
import { recordOf } from "./records";

export const finite = v.pipe(v.number(), v.finite());
const positive = v.pipe(finite, v.minValue(0), v.maxValue(1e18));
export const name = v.pipe(v.string(), v.minLength(1), v.maxLength(limits.name));
export const names = v.pipe(v.array(name), v.maxLength(limits.entries));
const edge = v.pipe(
  v.string(),
  v.maxLength(3 * limits.name),
  v.check((text) => parseEdgeId(text) !== null),
  v.transform((text) => text as EdgeId),
);
const profile = v.object({
  name,
  base: v.optional(name),
  bandwidth: v.pipe(positive, v.minValue(1)),
  l2Bytes: positive,
  peakFlops: v.pipe(positive, v.minValue(1)),
  shaderFlops: v.optional(v.pipe(positive, v.minValue(1))),
  launchMicros: positive,
  multiprocessors: v.pipe(positive, v.minValue(1)),
  counted: v.optional(v.boolean()),
  registersPerMultiprocessor: v.pipe(positive, v.minValue(1)),
  maxBindings: v.pipe(positive, v.integer(), v.minValue(2), v.maxValue(1000)),
  workgroupBytes: positive,
  maxBindingBytes: positive,
  memoryLimitBytes: positive,
});

/** A device profile from a file; numbers that it lacks are those of the default one. Null for what is none. */
export function readProfile(json: unknown): DeviceProfile | null {
  if (!isRecord(json)) return null;
  const read = v.safeParse(profile, { ...defaultOptions.profile, ...json });
  return read.success ? read.output : null;
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
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

/** The choices that decide how a program is planned. */
export const options = v.object({
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
  kept: v.optional(v.pipe(v.array(v.object({ edge, reason: v.picklist(forbidReasons) })), v.maxLength(limits.entries))),
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
