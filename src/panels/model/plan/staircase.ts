/** @file The staircase: one column a decision, its height the transfers left after it. Long lists are grouped. */
import { settled, type Step, type Sums } from "../../../fusion";
import { tallyOf, type Tally } from "./score";
import { isForced } from "./step-words";

/** More columns than this are grouped. */
export const MAX_COLUMNS = 60;

export interface Column {
  /** Stable while the steps are the same. */
  readonly key: string;
  /** Steps it stands for, ascending; one for an ungrouped column. */
  readonly seqs: readonly number[];
  readonly pass: string;
  readonly kind: "accepted" | "refused";
  readonly forced: boolean;
  /** Transfers left before the first and after the last of its steps. */
  readonly from: number;
  readonly to: number;
  /** Reason code of a group of refusals, else null. */
  readonly code: string | null;
}

export interface PassSpan {
  readonly pass: string;
  /** Column indices, inclusive. */
  readonly first: number;
  readonly last: number;
  readonly steps: number;
}

export interface Staircase {
  readonly columns: readonly Column[];
  readonly passes: readonly PassSpan[];
  /** Tallest value: what the columns are scaled to. */
  readonly tallest: number;
  readonly grouped: boolean;
}

/** px of a column in `room` px: twice as many transfers are twice as high, and a few are seen. */
export const heightOf = (left: number, tallest: number, room: number): number =>
  Math.max(left > 0 ? 3 : 1, (left / tallest) * room);

function single(step: Step, before: Sums, { of }: Tally): Column {
  return {
    key: `s${step.seq}`,
    seqs: [step.seq],
    pass: step.pass,
    kind: step.accepted ? "accepted" : "refused",
    forced: step.accepted && isForced(step),
    from: of(before),
    to: of(step.totals),
    code: null,
  };
}

/** Passes run one after another; a run is a maximal stretch of steps of one pass. */
function runsOf(columns: readonly Column[]): Column[][] {
  const runs: Column[][] = [];
  for (const column of columns) {
    const last = runs.at(-1);
    if (last?.[0]?.pass === column.pass) last.push(column);
    else runs.push([column]);
  }
  return runs;
}

/** A run's accepted steps as one ramp, its refusals as one column a code (or one by one when that group is open). */
function groupRun(run: readonly Column[], codes: ReadonlyMap<number, string>, open: ReadonlySet<string>): Column[] {
  const ramps = run.filter((column) => column.kind === "accepted");
  const refused = new Map<string, Column[]>();
  for (const column of run) {
    if (column.kind !== "refused") continue;
    const code = codes.get(column.seqs[0]!)!;
    const list = refused.get(code);
    if (list) list.push(column);
    else refused.set(code, [column]);
  }
  const grouped: Column[] = [];
  const [first] = ramps;
  if (first) {
    const seqs = ramps.flatMap((column) => column.seqs);
    grouped.push({ ...first, key: `r${seqs[0]}`, seqs, forced: false, to: ramps.at(-1)!.to });
  }
  for (const [code, columns] of refused) {
    const key = `${columns[0]!.pass}:${code}:${columns[0]!.seqs[0]}`;
    const seqs = columns.flatMap((column) => column.seqs);
    const one: Column = { ...columns[0]!, key, seqs, code, to: columns.at(-1)!.to };
    grouped.push(...(columns.length === 1 || open.has(key) ? columns.map((each) => ({ ...each, code })) : [one]));
  }
  return grouped;
}

/** `open`: keys of refusal groups that the person expanded. */
export function staircaseOf(steps: readonly Step[], naive: Sums, open: ReadonlySet<string>): Staircase {
  const tally = tallyOf(naive);
  const all = steps.map((step, i) => single(step, i === 0 ? naive : steps[i - 1]!.totals, tally));
  const grouped = all.length > MAX_COLUMNS;
  const codes = new Map(steps.map((step) => [step.seq, settled(step).code]));
  const columns = grouped ? runsOf(all).flatMap((run) => groupRun(run, codes, open)) : all;
  const passes: PassSpan[] = [];
  let at = 0;
  for (const run of runsOf(columns)) {
    const stepsInRun = run.reduce((sum, column) => sum + column.seqs.length, 0);
    passes.push({ pass: run[0]!.pass, first: at, last: at + run.length - 1, steps: stepsInRun });
    at += run.length;
  }
  const tallest = all.reduce((most, { from, to }) => Math.max(most, from, to), 1);
  return { columns, passes, tallest, grouped };
}

/** Where columns and the names of their passes stand, px from the left. */
export interface Slots {
  readonly left: readonly number[];
  /** Widths of the columns' slots: a ramp stands for many steps and takes what room there is. */
  readonly widths: readonly number[];
  readonly passes: readonly { readonly left: number; readonly width: number }[];
  readonly width: number;
}

/** Few columns stay close together; many share the room. */
const MAX_COLUMN_WIDTH = 38;
/** Narrower than this, a column gives no more room to a name. */
const MIN_COLUMN_WIDTH = 14;

/** A name that is cut shorter than this is a riddle, px. */
const READABLE = 90;

/** The most px of a name's width for which the passes still fit into `room`; 0 where not even their columns do. */
function longestName(passes: readonly PassSpan[], room: number, widthOf: (span: PassSpan, most: number) => number) {
  const fits = (most: number): boolean => passes.reduce((sum, span) => sum + widthOf(span, most), 0) <= room;
  let [most, tooMuch] = [0, Math.ceil(room) + 1];
  while (tooMuch - most > 1) {
    const middle = (most + tooMuch) >> 1;
    if (fits(middle)) most = middle;
    else tooMuch = middle;
  }
  return most;
}

/**
 * Columns side by side from the left, each pass at least as wide as its name (`nameWidth`, px) while `room` allows. Columns
 * make way for names first; then the longest names are cut.
 */
export function slotsOf({ columns, passes }: Staircase, room: number, nameWidth: (pass: string) => number): Slots {
  const widthAt =
    (pitch: number) =>
    ({ pass, first, last }: PassSpan, most: number): number =>
      Math.max((last - first + 1) * pitch, Math.min(most, nameWidth(pass)));
  const widest = Math.max(0, ...passes.map(({ pass }) => nameWidth(pass)));
  const mostAt = (pitch: number): number => Math.min(widest, longestName(passes, room, widthAt(pitch)));
  let pitch = MAX_COLUMN_WIDTH;
  while (pitch > MIN_COLUMN_WIDTH && mostAt(pitch) < widest) pitch--;
  if (mostAt(pitch) < widest) {
    pitch = MAX_COLUMN_WIDTH;
    while (pitch > MIN_COLUMN_WIDTH && mostAt(pitch) < READABLE) pitch--;
  }
  let most = mostAt(pitch);
  if (most < Math.min(READABLE, widest)) {
    pitch = Math.min(MAX_COLUMN_WIDTH, room / Math.max(1, columns.length));
    most = 0;
  }
  const widthOf = widthAt(pitch);
  const spare = Math.max(0, room - passes.reduce((sum, span) => sum + widthOf(span, most), 0));
  const widths = columns.map((column) => pitch + spare * shareOf(column, columns));
  const left: number[] = [];
  let at = 0;
  const spans = passes.map((span) => {
    const from = at;
    for (let i = span.first; i <= span.last; i++) {
      left.push(at);
      at += widths[i]!;
    }
    at = Math.max(at, from + Math.min(most, nameWidth(span.pass)));
    return { left: from, width: at - from };
  });
  return { left, widths, passes: spans, width: at };
}

const isRamp = ({ kind, seqs }: Column): boolean => kind === "accepted" && seqs.length > 1;
/** Half of the spare room stays free, so that the staircase still reads as steps. */
const RAMP_ROOM = 0.5;

/** A ramp's part of the spare room, by its steps. */
function shareOf(column: Column, columns: readonly Column[]): number {
  if (!isRamp(column)) return 0;
  const all = columns.reduce((sum, each) => sum + (isRamp(each) ? each.seqs.length : 0), 0);
  return (RAMP_ROOM * column.seqs.length) / all;
}

/** The column at `x` px, and how far into it (0 to 1). */
export function slotAt({ left, widths }: Slots, x: number): { readonly column: number; readonly share: number } {
  const column = Math.max(
    0,
    left.findLastIndex((from) => from <= x),
  );
  return { column, share: Math.min(0.999, Math.max(0, (x - (left[column] ?? 0)) / (widths[column] ?? 1))) };
}

/** The column that shows step `seq`; -1 before the first. */
export const columnAt = ({ columns }: Staircase, seq: number): number =>
  columns.findIndex(({ seqs }) => seqs[0]! <= seq && seq <= seqs.at(-1)! && seqs.includes(seq));

/** Step to show when a column is pressed `share` (0 to 1) of its width in: a ramp is walked along, a group of refusals too. */
export function seqInColumn({ seqs }: Column, share: number): number {
  const slot = Math.min(seqs.length - 1, Math.max(0, Math.floor(share * seqs.length)));
  return seqs[slot]!;
}
