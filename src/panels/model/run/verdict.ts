/** @file The verdict box: do the plans compute the same, as far as they were compared? */
import { amplifiedWords, UNSETTLED } from "../../../fusion";
import type { CheckRow, FullComparison, SkippedKernel } from "../../../state";
import { count, plural, scientific, significant } from "../units";
import { planTitle } from "./run-types";

export interface ResultVerdict {
  readonly same: boolean;
  /** `Same result.`, `Not the same.`, or what lies between. */
  readonly title: string;
  readonly text: string;
}

const indexText = (index: readonly number[]): string =>
  index.length === 0 ? "the one element" : `[${index.join(", ")}]`;

/** Close to zero a count in ULP says nothing: above this the difference itself is written. */
const MANY_ULP = 1000;

/** The row with the largest difference in ULP. */
function deciding(rows: readonly CheckRow[]): CheckRow | null {
  return rows.toSorted((a, b) => b.maxUlp - a.maxUlp)[0] ?? null;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
const isWhole = ({ kernel }: CheckRow): boolean => kernel === undefined;

function sampledNote(rows: readonly CheckRow[]): string {
  const sampled = rows.find((row) => isWhole(row) && row.compared < row.elements);
  return sampled ? ` Compared with f64 at ${count(sampled.compared)} of ${count(sampled.elements)} elements.` : "";
}

/** The same of the elements that were compared, where these are not all. */
function withSample(text: string, rows: readonly CheckRow[]): string {
  const sample = sampledNote(rows).trim();
  return sample === "" ? text : `${sample.slice(0, -1)}: ${text.charAt(0).toLowerCase()}${text.slice(1)}`;
}

const NOT_COMPARED = [
  ["large", "one element depends on too many values"],
  ["late", "the 2 s for that were over"],
  ["unread", "inputs were not fetched"],
] as const;

function skippedNote(skipped: readonly SkippedKernel[], cause: SkippedKernel["because"], why: string): string {
  const kernels = skipped.filter(({ because }) => because === cause).length;
  return kernels > 0 ? ` ${plural(kernels, "kernel was", "kernels were")} not compared with f64: ${why}.` : "";
}

/** What every kernel was compared at, and what could not be. */
function kernelNote(rows: readonly CheckRow[], skipped: readonly SkippedKernel[]): string {
  const own = rows.filter((row) => !isWhole(row));
  const kernels = new Set(own.map(({ plan, kernel }) => `${plan} ${kernel}`)).size;
  const points = count(sum(own.map(({ compared }) => compared)));
  const agree =
    kernels > 0 ? ` ${plural(kernels, "kernel agrees", "kernels agree")} with f64 at ${points} points.` : "";
  return agree + NOT_COMPARED.map(([because, why]) => skippedNote(skipped, because, why)).join("");
}

/** Both sides are the same number wherever one is none, and no difference is larger than roundings of the largest values. */
const NEGLIGIBLE = 1e-4;
function agrees({ beyond, nan, infinite, maxAbs, scale, atol, ofSize, rtol }: FullComparison): boolean {
  if (nan + infinite > 0) return false;
  // The GPU's limit is for values of size 1; smaller ones are farther apart than they are large before they reach it.
  const fitted = atol - ofSize + ofSize * Math.min(1, scale) + rtol * scale;
  return maxAbs <= NEGLIGIBLE * scale || (beyond === 0 && (scale === 0 || maxAbs <= fitted));
}

/** Above this share of the largest value, results that agree say why they are so far apart. */
const LARGE_SHARE = 0.01;

/** A difference that the limit allows, though it is large beside the values: never agreement without its reason. */
function looseNote(rows: readonly CheckRow[], full: readonly FullComparison[]): string {
  const because = rows.find((row) => row.because)?.because ?? "roundings of f32";
  const shares = [...rows, ...full].flatMap(({ maxAbs, scale }) =>
    scale !== undefined && maxAbs > LARGE_SHARE * scale ? [maxAbs / scale] : [],
  );
  if (shares.length === 0) return "";
  const most = Math.max(...shares);
  const share = most < 1 ? `${significant(100 * most)} % of` : "as large as";
  return ` The largest difference is ${share} the largest value. The limit allows it (${because}): where large numbers cancel, few digits are left.`;
}

function fullNote(full: readonly FullComparison[]): string {
  const fused = full.filter(({ plan }) => plan === "fused");
  if (fused.length === 0) return "";
  const elements = count(sum(fused.map((each) => each.elements)));
  const differ = fused.filter(({ maxAbs }) => maxAbs > 0).toSorted((a, b) => shareOf(b) - shareOf(a));
  const [worst, next] = differ;
  if (!worst) return ` All ${elements} elements of naive and fused are equal.`;
  const by = (each: FullComparison, whose: string): string =>
    `by ${scientific(each.maxAbs)} at most${each.scale > 0 ? `, ${scientific(shareOf(each))} of ${whose} largest value` : ""}`;
  if (fused.length === 1)
    return ` All ${elements} elements of naive and fused were compared: they differ ${by(worst, "the")}.`;
  // Outputs are of different sizes: a loss says nothing about its gradients.
  const second = next ? `; ${nameOf(next)} ${by(next, "its")}` : "";
  const others = differ.length > 2 ? `; ${plural(differ.length - 2, "other")} by less` : "";
  const equal =
    differ.length < fused.length ? `; ${plural(fused.length - differ.length, "output is", "outputs are")} equal` : "";
  return ` All ${elements} elements of naive and fused were compared: ${nameOf(worst)} differs ${by(worst, "its")}${second}${others}${equal}.`;
}

const shareOf = ({ maxAbs, scale }: FullComparison): number => maxAbs / (scale || 1);
const nameOf = ({ called, output }: { readonly called?: string | undefined; readonly output: string }): string =>
  called ?? output;

/** The step that ran is not the one that is looked at later. */
const planWords = (plan: CheckRow["plan"], step: number | null): string =>
  plan !== "step" ? `the ${planTitle(plan)} plan` : step === null ? "the plan of a step" : `the plan of step ${step}`;

function fullFailure(
  { nan, infinite, beyond, elements, maxAbs, farthest: [worst], ...about }: FullComparison,
  step: number | null,
): string {
  const of = `${nameOf(about)}, ${planWords(about.plan, step)} beside the naive one`;
  if (nan > 0) return `${of}: ${count(nan)} elements are NaN on one side only.`;
  if (infinite > 0) return `${of}: ${count(infinite)} elements are infinite on one side only.`;
  const at = worst ? `: ${significant(worst.other)} and ${significant(worst.naive)} at element ${count(worst.at)}` : "";
  return `${of}: they differ by up to ${scientific(maxAbs)}${at}; ${count(beyond)} of ${count(elements)} elements are beyond the limit.`;
}

/** Where f64 itself moves as far as the results do, nothing is wrong: the program makes much of a rounding. */
function sensitiveNote(rows: readonly CheckRow[], apart: readonly FullComparison[]): string {
  const at = Math.max(0, ...rows.map(({ sensitive = 0 }) => sensitive));
  if (at === 0 && apart.length === 0) return "";
  const where = at > 0 ? `at ${plural(at, "point")}` : "where the plans are farthest apart,";
  return ` ${amplifiedWords(where)}`;
}

function failure(row: CheckRow, step: number | null): string {
  const kernel = row.kernel ? `, ${row.kernel},` : "";
  const where = `${nameOf(row)} of ${planWords(row.plan, step)}${kernel}`;
  if (row.nanMismatches > 0) {
    return `${where} differs in ${count(row.nanMismatches)} elements that are NaN on one side only.`;
  }
  if (!row.worst) return `${where} is off by ${scientific(row.maxAbs)}, limit ${row.limit}.`;
  const { index, got, want } = row.worst;
  return `${where} at ${indexText(index)} is ${significant(got)}, should be ${significant(want)}, limit ${row.limit}.`;
}

/** `of`: whose element it is, where there are several outputs. */
function agreement(row: CheckRow, of: string): string {
  if (row.maxAbs === 0) return `Equal in every element compared, limit ${row.limit}.`;
  const where = row.worst ? ` at ${indexText(row.worst.index)}${of}` : "";
  if (row.maxUlp > MANY_ULP && row.worst) {
    const { got, want, allowed } = row.worst;
    return `Worst difference ${scientific(Math.abs(got - want))}${where}; ${scientific(allowed)} is allowed there.`;
  }
  return `Worst ${count(Math.round(row.maxUlp))} ULP${where}, ${scientific(row.maxRel)} relative, limit ${row.limit}.`;
}

/** What was compared besides the rows. */
export interface ComparedToo {
  /** Other plans against the naive one, in full. */
  readonly full?: readonly FullComparison[] | undefined;
  /** Kernels that were not compared with f64. */
  readonly skipped?: readonly SkippedKernel[] | undefined;
  /** At which step the run was begun. */
  readonly planned?: { readonly cursor?: number | undefined } | undefined;
}

/** Null when nothing was compared. */
export function verdictOf(
  rows: readonly CheckRow[],
  { full = [], skipped = [], planned }: ComparedToo = {},
): ResultVerdict | null {
  if (rows.length + full.length === 0) return null;
  const step = planned?.cursor ?? null;
  const failed = rows.find((row) => !row.pass);
  if (failed) return { same: false, title: "Not the same.", text: failure(failed, step) + sampledNote(rows) };
  const apart = full.filter((each) => !agrees(each));
  const wrong = apart.find(({ amplified }) => amplified === false);
  if (wrong) return { same: false, title: "Not the same.", text: fullFailure(wrong, step) };
  const kernels = kernelNote(rows, skipped);
  const open = apart.find(({ amplified }) => amplified === null);
  if (open) return { same: false, title: "Not settled.", text: `${fullFailure(open, step)} ${UNSETTLED}${kernels}` };
  const sensitive = sensitiveNote(rows, apart);
  const loose = sensitive === "" ? looseNote(rows.filter(isWhole), full) : "";
  const row = deciding(rows.filter(isWhole));
  // What one can be sure of first: all elements of both plans. Then how near f64 they are.
  const several = new Set(rows.filter(isWhole).map(nameOf)).size > 1;
  const near = row ? ` ${withSample(agreement(row, several ? ` of ${nameOf(row)}` : ""), rows)}` : "";
  const text = fullNote(full) + near + sensitive + loose + kernels;
  const title =
    sensitive !== "" ? "Right as far as f32 can tell." : loose !== "" ? "Within the limit." : "Same result.";
  return { same: true, title, text: text.trim() };
}
