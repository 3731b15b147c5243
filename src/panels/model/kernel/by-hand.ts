/** @file What is said of kernels that a person wrote: before a run, and after it. */
import { bytesOfKernel, type Sums } from "../../../fusion";
import type { FinishedRun, HandCheck, HandOutcome, HandRun, PlanByHand, Score } from "../../../state";
import { bindsOf } from "../../../document";
import { orderOf, type Spread } from "../run/statistics";
import { timingOf } from "../run/timings";
import { count, plural, showBytes, showMicros } from "../units";
import { verdictOf } from "../run/verdict";

type Fault = HandCheck["faults"][number];
type Counted = HandOutcome["counted"];

/** The outcome of this very text in a run; null where it did not run. */
export const outcomeOf = (run: FinishedRun | null, binds: string, wgsl: string): HandOutcome | null =>
  run?.hand?.kernels.find((each) => each.binds === binds && each.wgsl === wgsl) ?? null;

export const faultPosition = ({ line, column }: Fault): string => `Line ${line}, column ${column}`;

const GENERATED = "the generated kernel";
/** Of the plans that ran: schedules follow the device, and so does what is read again. */
const GENERATED_HERE = "the kernel generated for this device";

/** `Moves 12 MiB, like the generated kernel.`, or why nobody knows. */
export function movedSentence(counted: Counted, generatedBytes: number, generated = GENERATED): string {
  if (!counted.ok)
    return `Traffic not counted: ${counted.text}${counted.line === null ? "" : ` (line ${counted.line})`}`;
  const bytes = bytesOfKernel(counted);
  if (bytes === generatedBytes) return `Moves ${showBytes(bytes)}, like ${generated}.`;
  return `Moves ${showBytes(bytes)}; ${generated} moves ${showBytes(generatedBytes)}.`;
}

/** The same of the kernel that is shown, which need not be the one that ran. */
function shownMoved(counted: Counted, shownBytes: number, outcome: HandOutcome | null): string {
  const moved = movedSentence(counted, shownBytes);
  if (!counted.ok || !outcome || outcome.generatedBytes === shownBytes) return moved;
  return `${moved} The one generated for this device moves ${showBytes(outcome.generatedBytes)}.`;
}

const limitSentence = ({ limit }: HandOutcome): string =>
  `A loop took more than ${count(limit)} iterations in one thread and was stopped. Does it end?`;

export interface HandStatus {
  readonly tone: "plain" | "no";
  readonly text: string;
  /** Positions to show in the code. */
  readonly faults: readonly Fault[];
}

/** One line under the code: what is wrong, or what is known. */
export function handStatus(
  check: HandCheck | null,
  outcome: HandOutcome | null,
  wgsl: string,
  generatedBytes: number,
): HandStatus {
  const known = check?.wgsl === wgsl ? check : null;
  const faults = known && known.faults.length > 0 ? known.faults : (outcome?.faults ?? []);
  const [first] = faults;
  if (first) {
    const more = faults.length > 1 ? ` And ${plural(faults.length - 1, "more error")}.` : "";
    return { tone: "no", text: `${faultPosition(first)}: ${first.text}${more}`, faults };
  }
  if (outcome?.status === "limit") return { tone: "no", text: limitSentence(outcome), faults };
  const counted = known?.counted ?? outcome?.counted ?? null;
  const built = known?.compiled || outcome ? "Compiles." : "";
  const moved = counted ? shownMoved(counted, generatedBytes, outcome) : "";
  return { tone: "plain", text: [built, moved].filter(Boolean).join(" "), faults };
}

export interface HandLine {
  readonly key: string;
  readonly good: boolean;
  readonly title: string;
  readonly text: string;
}

/** The generated kernel that binds the same and ran: of the fused plan, or of the step that is shown. */
function generatedIn({ plans }: FinishedRun, binds: string) {
  for (const plan of ["fused", "step", "naive"] as const) {
    const same = plans[plan]?.kernels.find((kernel) => bindsOf(kernel) === binds);
    if (same) return { plan, id: same.id };
  }
  return null;
}

/** Times of this kernel, of the generated one, and of the naive plan. */
function timesSentence(run: FinishedRun, { kernel, binds }: HandOutcome): string {
  const { result } = run;
  const own = timingOf(result, "hand", kernel);
  if (!own) return "";
  const same = generatedIn(run, binds);
  const generated: Spread | null = same && timingOf(result, same.plan, same.id);
  const naive = timingOf(result, "naive", null);
  const parts = [
    generated ? `the generated kernel ${showMicros(generated.median)}` : "",
    naive ? `the naive plan ${showMicros(naive.median)}` : "",
  ].filter(Boolean);
  const beside = parts.length > 0 ? `; ${parts.join(", ")}` : "";
  const order = generated ? orderOf(own, generated) : 0;
  const word = order === 0 ? "" : order > 0 ? " Slower than generated." : " Faster than generated.";
  return ` ${showMicros(own.median)}${beside}.${word}`;
}

/** The plan with hand-written kernels against f64 and the naive plan; null while that is compared. */
export function handVerdict({ check, full }: Pick<HandRun, "check" | "full">): ReturnType<typeof verdictOf> {
  return check && verdictOf(check, { full });
}

/** One line for each hand-written kernel of a run. */
export function handLines(run: FinishedRun): HandLine[] {
  const { hand } = run;
  if (!hand) return [];
  const verdict = handVerdict(hand);
  return hand.kernels.map((outcome): HandLine => {
    const { kernel, status, counted, faults } = outcome;
    const key = outcome.binds;
    const line = (good: boolean, title: string, text: string): HandLine => ({
      key,
      good,
      title: `${kernel}, edited by hand: ${title}`,
      text,
    });
    const [first] = faults;
    if (status === "refused") return line(false, "not run.", first ? `${faultPosition(first)}: ${first.text}` : "");
    if (status === "limit") return line(false, "stopped.", limitSentence(outcome));
    if (!verdict) return line(true, "compared with f64…", "");
    const moved = movedSentence(counted, outcome.generatedBytes, generatedIn(run, key) ? GENERATED_HERE : GENERATED);
    const hints = counted.ok && !verdict.same ? counted.problems.join(" ") : "";
    if (!verdict.same) return line(false, "wrong values.", `${verdict.text} ${hints}`.trim());
    return line(true, "right.", `${timesSentence(run, outcome)} ${moved}`.trim());
  });
}

/**
 * The score with kernels by hand in the shown plan: by what they move, and `NaN`, which nobody knows, where one was not
 * counted; the cost model knows generated kernels alone.
 */
export function scoreByHand(score: Score, own: PlanByHand | null): Score {
  if (!own) return score;
  return { ...score, now: { ...score.now, ...movedByHand(own), predictedMicros: Number.NaN } };
}

/** What a plan with kernels by hand moves; `NaN` where one of them was not counted. */
export function movedByHand({ plan, counted }: PlanByHand): Pick<Sums, "bytes" | "transfers" | "fullSizeTransfers"> {
  const { bytes, transfers, fullSizeTransfers } = plan.totals;
  return [...counted.values()].every(Boolean)
    ? { bytes, transfers, fullSizeTransfers }
    : { bytes: Number.NaN, transfers: Number.NaN, fullSizeTransfers: Number.NaN };
}

/** The median of the plan with all of these texts; null where they did not run, or compute something else. */
export function medianByHand(run: FinishedRun, texts: readonly string[]): number | null {
  const { hand, result } = run;
  const ran = texts.every((text) => hand?.kernels.some(({ wgsl, status }) => wgsl === text && status === "ran"));
  if (!hand || !ran || verdictOf(hand.check ?? [], hand)?.same === false) return null;
  return timingOf(result, "hand", null)?.median ?? null;
}
