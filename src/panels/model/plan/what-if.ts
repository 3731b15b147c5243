/** @file The answer to a question about the plan, as the page shows it: totals before and after, and each decision that comes out otherwise. */
import type { Change, ChangedDecision, DeviceProfile, Taken } from "../../../fusion";
import { stepNames, type Told } from "../../../picture";
import type { WhatIfState } from "../../../state";
import { numbersOf } from "./decisions";
import { comparedRows, type ComparedRow } from "./compare";
import { plural, showMicros } from "../units";

type Answer = Extract<WhatIfState, { readonly status: "answered" }>["answer"];

/** What one planning answered, in words. */
export interface TakenWords {
  readonly accepted: boolean;
  readonly code: string;
  readonly text: string;
  readonly numbers: readonly string[];
}

export interface ChangedRow {
  readonly key: string;
  readonly pass: string;
  /** `mean → centre` */
  readonly about: string;
  /** `C_RECOMPUTE → A_BYTES`; one code where the other planning gave none, or the same. */
  readonly codes: string;
  readonly decision: ChangedDecision;
  readonly before: TakenWords | null;
  readonly after: TakenWords | null;
}

export interface ChangedGroup {
  readonly change: Change;
  /** `2 decisions flip` */
  readonly title: string;
  readonly rows: readonly ChangedRow[];
}

/** In the names of the planning that asked: the second, or the first where only that one did. */
function aboutOf(told: Told, decision: ChangedDecision, fresh: Told | undefined): string {
  const { before, after } = decision;
  return after && (fresh || !before)
    ? stepNames(fresh ?? told, { ...decision, seq: fresh ? after.seq : Infinity })
    : stepNames(told, { ...decision, seq: before?.seq ?? Infinity });
}

const wordsOf = (taken: Taken | null): TakenWords | null =>
  taken && {
    accepted: taken.accepted,
    code: taken.verdict.code,
    text: taken.verdict.text,
    numbers: numbersOf(taken.cost, taken.verdict),
  };

const order: readonly Change[] = ["flipped", "reason", "new", "gone"];

function titleOf(change: Change, count: number): string {
  const one = count === 1;
  switch (change) {
    case "flipped":
      return `${plural(count, "decision")} ${one ? "flips" : "flip"}`;
    case "reason":
      return `${plural(count, "answer")} ${one ? "has" : "have"} another reason`;
    case "new":
      return `${plural(count, "question")} ${one ? "comes" : "come"} up`;
    case "gone":
      return `${plural(count, "question")} no longer ${one ? "comes" : "come"} up`;
  }
}

/** A decision that differs, in words; `told` is the first planning and `fresh`, where it is at hand, the second: they name the nodes. */
export function changedRow(decision: ChangedDecision, told: Told, fresh?: Told): ChangedRow {
  const { pass, rule, nodes, before, after } = decision;
  const codes = [...new Set([before, after].flatMap((taken) => taken?.verdict.code ?? []))].join(" → ");
  const key = `${pass} ${rule} ${nodes.join()}`;
  return {
    key,
    pass,
    about: aboutOf(told, decision, fresh),
    codes,
    decision,
    before: wordsOf(before),
    after: wordsOf(after),
  };
}

/** Decisions that differ from those of `told`, those that flipped first. */
export function changedGroups({ changed }: Answer, told: Told): ChangedGroup[] {
  return order.flatMap((change) => {
    const rows = changed.filter((each) => each.change === change).map((decision) => changedRow(decision, told));
    return rows.length === 0 ? [] : [{ change, title: titleOf(change, rows.length), rows }];
  });
}

/**
 * The plan as it is and as it would be. Times that are compared are of one machine: where the question changes it, that one,
 * and above them stands the time that the score shows.
 * @param now the machine that the program is planned for
 */
export function totalRows({ before, unchanged, after, options }: Answer, now: DeviceProfile): ComparedRow[] {
  const rows = comparedRows(unchanged, after, `Predicted, ${options.profile.name}`);
  if (options.profile === now) return rows;
  const first = showMicros(before.predictedMicros);
  const today: ComparedRow = { name: `Predicted now, ${now.name}`, first, second: "", change: "", tone: "same" };
  return [...rows.slice(0, -1), today, ...rows.slice(-1)];
}
