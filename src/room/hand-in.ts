/** @file What a laptop hands in: what was found, times, predictions and solved tasks. It travels as a link's fragment. */
import * as v from "valibot";
import { packText, unpackText } from "../document";
import type { Checked } from "../fusion";
import { parseProgress, type CourseProgress, type LessonProgress } from "../state";

/** Of the link: what follows it is for the class board. */
export const HAND_IN_PREFIX = "#board=";

/** How a laptop stands, for the verdict and the board. */
export const STANDINGS = ["ready", "software", "no-adapter", "no-webgpu", "insecure-origin", "failed"] as const;
export type Standing = (typeof STANDINGS)[number];

const word = v.pipe(v.string(), v.maxLength(120));
const amount = v.pipe(v.number(), v.finite(), v.minValue(0));

const laptopSchema = v.object({
  standing: v.picklist(STANDINGS),
  browser: word,
  system: word,
  /** null where there is none. */
  adapter: v.nullable(word),
  /** Optional WebGPU features that the adapter has. */
  features: v.pipe(v.array(word), v.maxLength(40)),
  /** bytes/s of a copy, read and write; µs of one more launch. */
  roofs: v.nullable(v.object({ bandwidth: amount, launchMicros: amount })),
});

const timeSchema = v.object({
  title: word,
  /** Medians, µs; naive is null where it did not run. */
  naive: v.nullable(amount),
  fused: amount,
});

const handInSchema = v.object({
  v: v.literal(1),
  /** Who, as they wrote it; empty where they did not. */
  name: word,
  /** ms since 1970 */
  when: amount,
  laptop: v.nullable(laptopSchema),
  /** The bench first, then the run that the person made. */
  times: v.pipe(v.array(timeSchema), v.maxLength(20)),
  /** By lesson; read by the same reader as the stored progress. */
  course: v.record(word, v.unknown()),
});

export type LaptopResult = v.InferOutput<typeof laptopSchema>;
export type TimeResult = v.InferOutput<typeof timeSchema>;

export interface HandIn {
  readonly name: string;
  readonly when: number;
  readonly laptop: LaptopResult | null;
  readonly times: readonly TimeResult[];
  readonly course: CourseProgress;
}

/** Times and rates as precise as they are shown: a shorter link is a coarser QR code. */
const rounded = (_: string, value: unknown): unknown =>
  typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value;

/** The fragment of the link, `#board=…`. */
export async function encodeHandIn({ course, ...handIn }: HandIn): Promise<Checked<string>> {
  const packed = await packText(JSON.stringify({ v: 1, ...handIn, course: Object.fromEntries(course) }, rounded));
  return packed.ok ? { ok: true, value: HAND_IN_PREFIX + packed.value } : packed;
}

const FOREIGN: Checked<never> = {
  ok: false,
  code: "foreign",
  text: "This link is not from “Hand in”: it holds something else.",
};

/** Reads a link or its fragment. Never throws, whatever the text. */
export async function decodeHandIn(text: string): Promise<Checked<HandIn>> {
  const at = text.indexOf(HAND_IN_PREFIX);
  if (at === -1) return FOREIGN;
  const unpacked = await unpackText(text.slice(at + HAND_IN_PREFIX.length));
  if (!unpacked.ok) return unpacked;
  try {
    const read = v.safeParse(handInSchema, JSON.parse(unpacked.value));
    if (!read.success) return FOREIGN;
    const { v: _, course, ...handIn } = read.output;
    return { ok: true, value: { ...handIn, course: parseProgress(JSON.stringify(course)) } };
  } catch {
    return FOREIGN;
  }
}

/** Predictions right and asked, and tasks solved, over all lessons. */
export function courseTally(course: CourseProgress): {
  readonly right: number;
  readonly asked: number;
  readonly solved: number;
} {
  const all = [...course.values()];
  const answers = all.flatMap(({ answers: said }: LessonProgress) => Object.values(said));
  return {
    right: answers.filter(Boolean).length,
    asked: answers.length,
    solved: all.reduce((sum, { done }) => sum + done.length, 0),
  };
}
