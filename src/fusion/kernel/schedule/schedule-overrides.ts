/** @file What a person may choose for one kernel, which of it the machine can do, and why not the rest. */
import {
  knobNames,
  knobValues,
  noKnobs,
  withKnob,
  type KnobName,
  type Knobs,
  type NodeId,
  type Target,
  type Verdict,
} from "../../ir";
import { factorsOf } from "../shapes/fold/fold-factors";
import { isEven, namedTile, offeredTiles, slicedTiles, tileName } from "../shapes/matmul/matmul";
import { flashTileName, offeredFlashTiles } from "../shapes/attention/flash-factors";
import type { OrderWay, RegionSchedule, Variant } from "../types";
import { MAX_REGISTERS } from "./schedule-parts";

/** Turns of a row that a kernel writes out one by one. */
const MAX_WRITTEN = 64;

export interface AppliedKnobs {
  readonly schedule: RegionSchedule;
  readonly applied: Knobs;
  readonly refused: readonly { readonly knob: KnobName; readonly verdict: Verdict }[];
}

/** The knobs that hold, taken one after another: one that the machine can't do is left to the planner, with the reason. */
export function knobsApplied(knobs: Knobs, target: Target, schedule: (knobs: Knobs) => RegionSchedule): AppliedKnobs {
  let applied = noKnobs;
  let found = schedule(applied);
  const refused: { knob: KnobName; verdict: Verdict }[] = [];
  for (const knob of knobNames) {
    const value = knobs[knob];
    if (value === undefined) continue;
    const wanted = withKnob(applied, knob, value);
    const next = schedule(wanted);
    const verdict = refusalOf(knob, value, next, target, []);
    if (verdict) refused.push({ knob, verdict });
    else [applied, found] = [wanted, next];
  }
  return { schedule: found, applied, refused };
}

/** Why a kernel can't be scheduled so; null when it can. */
export function refusalOf(
  knob: KnobName,
  value: string,
  schedule: RegionSchedule,
  target: Target,
  nodes: readonly NodeId[],
): Verdict | null {
  const no = (code: Verdict["code"], text: string, remedy: string, numbers: Record<string, number> = {}): Verdict => ({
    ok: false,
    code,
    text,
    nodes,
    numbers,
    remedy,
  });
  const { threadsPerWorkgroup: threads, workgroupBytes, registers, variant, chunkLength } = schedule;
  if (knob === "tile" && isUneven(value, variant)) {
    return no(
      "L_SHAPE",
      `A tile of ${value} can't be divided evenly among its threads.`,
      "Choose one of the tiles offered.",
    );
  }
  if (knob === "rows" && value === "one-pass" && target.strict === true) {
    return no(
      "L_STRICT",
      "Updating a running value changes rounding, which strict mode forbids.",
      "Switch strict mode off.",
    );
  }
  if (knob === "joined" && value === "subgroups" && target.strict === true) {
    return no(
      "L_STRICT",
      "Subgroups add in another order than the tree, which strict mode forbids.",
      "Switch strict mode off.",
    );
  }
  if (knob === "rows" && value === "thread" && variant === "fold" && lanesOf(schedule) > 1) {
    return no(
      "L_ROW_NOT_OWNED",
      "A whole workgroup sorts a row; one thread has too few registers.",
      "Choose how many threads share the row instead.",
    );
  }
  if (knob === "rows" && value === "registers" && variant === "fold" && !isHeld(schedule)) {
    return no(
      "L_ROW_NOT_OWNED",
      "Of a row this long, only the first few are held in order while it is read.",
      "Use rows that fit into one workgroup.",
    );
  }
  const otherWay =
    knob === "order" && schedule.order?.way !== value ? schedule.order?.against.get(value as OrderWay) : null;
  if (otherWay) return otherWay;
  if (threads > target.maxWorkgroupSize) {
    return no(
      "L_WGMEM",
      `A workgroup has ${target.maxWorkgroupSize} threads at most on this machine; this needs ${threads}.`,
      "Choose fewer threads or a smaller tile.",
      { threads, limit: target.maxWorkgroupSize },
    );
  }
  if (workgroupBytes > target.maxWorkgroupBytes) {
    return no(
      "L_WGMEM",
      `A workgroup has ${target.maxWorkgroupBytes} bytes of memory on this machine; this needs ${workgroupBytes}.`,
      "Choose fewer threads or a smaller tile.",
      { bytes: workgroupBytes, limit: target.maxWorkgroupBytes },
    );
  }
  if (registers > MAX_REGISTERS) {
    return no(
      "C_REGISTERS",
      `Each thread would hold ${registers} registers, and no more than ${MAX_REGISTERS} exist: the rest would go through memory.`,
      "Choose more threads, or read the row again on each pass.",
      { registers, limit: MAX_REGISTERS },
    );
  }
  const written = isHeld(schedule) ? Math.ceil(chunkLength / lanesOf(schedule)) : 1;
  if (written <= MAX_WRITTEN) return null;
  return no(
    "C_CODE_SIZE",
    `Each thread would hold ${written} values of a row, written out one by one; ${MAX_WRITTEN} is the most.`,
    "Choose more threads, or read the row again on each pass.",
    { values: written, limit: MAX_WRITTEN },
  );
}

function isUneven(name: string, variant: Variant): boolean {
  if (variant === "flash-tile") return !offeredFlashTiles.some((tile) => flashTileName(tile) === name);
  const tile = variant === "matmul-tile" ? namedTile(name) : null;
  return variant === "matmul-tile" && (tile === null || !isEven(tile));
}

/** One knob of a kernel: what it stands at, and every value with the reason why it can't be, if so. */
export interface KnobOffer {
  readonly knob: KnobName;
  /** What the schedule has; by the planner or by choice. */
  readonly now: string;
  readonly chosen: boolean;
  readonly values: readonly { readonly value: string; readonly refusal: Verdict | null }[];
  /** Why the planner has not taken another value that the machine can do; null where that has no reason of its own. */
  readonly why: Verdict | null;
}

/** Knobs that mean something for a schedule, and where they stand. */
export function standing(schedule: RegionSchedule, plain: RegionSchedule, mayMerge: boolean): Map<KnobName, string> {
  const {
    variant,
    threadsPerWorkgroup,
    turns,
    unrolled,
    width,
    lane,
    matmul,
    flash,
    merged,
    joined,
    order,
    chunkLength,
  } = schedule;
  const stands = new Map<KnobName, string>();
  const threads = String(threadsPerWorkgroup);
  if (variant === "flat" || variant === "tile") {
    stands.set("threads", threads);
    if (variant === "flat") stands.set("turns", String(turns));
    if (turns > 1) stands.set("unroll", unrolled ? "on" : "off");
    if (variant === "flat" && plain.width === 4) stands.set("vector", width === 4 ? "on" : "off");
    if (plain.variant === "tile") stands.set("transposed", variant === "tile" ? "tile" : "direct");
  }
  if (variant === "scan-band" || variant === "mixed-row" || variant === "row-loop") stands.set("threads", threads);
  if (lane !== undefined && !variant.startsWith("mixed")) {
    stands.set("threads", threads);
    if (plain.lane !== "none") stands.set("vector", lane === "none" ? "off" : "on");
    // Parts of rows that are only folded are walked once, whatever is chosen.
    if (variant === "fold" && !schedule.finish) stands.set("rows", readingOf(schedule, mayMerge && merged.length > 0));
  }
  if (variant === "matmul-tile") stands.set("tile", tileName(matmul!));
  if (variant === "flash-tile") stands.set("tile", flashTileName(flash!));
  if (joined) stands.set("joined", joined);
  if (order) stands.set("order", order.way);
  if (variant === "merge-sort") stands.set("run", String(chunkLength));
  return stands;
}

const lanesOf = ({ fold }: RegionSchedule): number => (fold ? factorsOf(fold).lanes : 1);
const isHeld = ({ fold }: RegionSchedule): boolean => fold !== undefined && factorsOf(fold).held;

function readingOf(schedule: RegionSchedule, merged: boolean): NonNullable<Knobs["rows"]> {
  if (lanesOf(schedule) === 1) return "thread";
  if (isHeld(schedule)) return "registers";
  return merged ? "one-pass" : "again";
}

/** Values that a kernel is offered for a knob. */
export function valuesOf(knob: KnobName, { variant }: RegionSchedule, mayMerge: boolean): readonly string[] {
  if (knob === "tile")
    return variant === "flash-tile"
      ? offeredFlashTiles.map(flashTileName)
      : [...offeredTiles, ...slicedTiles].map(tileName);
  const values: readonly string[] = knobValues[knob];
  return knob === "rows" && !mayMerge ? values.filter((value) => value !== "one-pass") : values;
}
