/** @file The verdict box: do the plans compute the same, as far as they were compared? */
import type { CheckRow } from "../../state";
import { count, scientific, significant } from "./units";
import { planTitle } from "./run-types";

export interface ResultVerdict {
  readonly same: boolean;
  /** `Same result.` or `Not the same.` */
  readonly title: string;
  readonly text: string;
}

const place = (index: readonly number[]): string => (index.length === 0 ? "the one element" : `[${index.join(", ")}]`);

/** Close to zero a count in ULP says nothing: above this the difference itself is written. */
const MANY_ULP = 1000;

/** The row that decides: the first that fails, else the one with the largest difference in ULP. */
function deciding(rows: readonly CheckRow[]): CheckRow | null {
  return rows.find((row) => !row.pass) ?? rows.toSorted((a, b) => b.maxUlp - a.maxUlp)[0] ?? null;
}

function sampledNote(rows: readonly CheckRow[]): string {
  const sampled = rows.find((row) => row.compared < row.elements);
  return sampled ? ` Compared ${count(sampled.compared)} of ${count(sampled.elements)} elements.` : "";
}

function failure(row: CheckRow): string {
  const where = `${row.output} of the ${planTitle(row.plan)} plan`;
  if (row.nanMismatches > 0) {
    return `${where} differs in ${count(row.nanMismatches)} elements that are NaN on one side only.`;
  }
  if (!row.worst) return `${where} is off by ${scientific(row.maxAbs)}, limit ${row.limit}.`;
  const { index, got, want } = row.worst;
  return `${where} at ${place(index)} is ${significant(got)}, should be ${significant(want)}, limit ${row.limit}.`;
}

function agreement(row: CheckRow): string {
  if (row.maxAbs === 0) return `Equal in every element compared, limit ${row.limit}.`;
  const where = row.worst ? ` at ${place(row.worst.index)}` : "";
  if (row.maxUlp > MANY_ULP && row.worst) {
    const { got, want, allowed } = row.worst;
    return `Worst difference ${scientific(Math.abs(got - want))}${where}; ${scientific(allowed)} is allowed there.`;
  }
  return `Worst ${count(Math.round(row.maxUlp))} ULP${where}, ${scientific(row.maxRel)} relative, limit ${row.limit}.`;
}

/** Null when nothing was compared. */
export function verdictOf(rows: readonly CheckRow[]): ResultVerdict | null {
  const row = deciding(rows);
  if (!row) return null;
  const same = rows.every((each) => each.pass);
  return {
    same,
    title: same ? "Same result." : "Not the same.",
    text: (same ? agreement(row) : failure(row)) + sampledNote(rows),
  };
}
