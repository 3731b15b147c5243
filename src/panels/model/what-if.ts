/** @file The answer to a question about the plan, as the page shows it: totals before and after, and each decision that comes out otherwise. */
import {
  findNode,
  type Change,
  type ChangedDecision,
  type Graph,
  type NodeId,
  type Taken,
  type Totals,
} from "../../fusion";
import type { WhatIfState } from "../../state";
import { numbersOf } from "./decisions";
import { measureBytes, measureMicros, plural, significant } from "./units";

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

/** Names shown of a decision's nodes. */
const MOST_NAMES = 3;

function aboutOf(graphs: readonly Graph[], { nodes }: ChangedDecision): string {
  const named = (id: NodeId): string => graphs.map((graph) => findNode(graph, id)?.label).find(Boolean) ?? id;
  const names = nodes.slice(0, MOST_NAMES).map(named);
  const more = nodes.length > MOST_NAMES ? ` and ${nodes.length - MOST_NAMES} more` : "";
  return names.filter((name, i) => name !== names[i - 1]).join(" → ") + more;
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

/** A decision that differs, in words; `graphs` name the nodes. */
export function changedRow(decision: ChangedDecision, graphs: readonly Graph[]): ChangedRow {
  const { pass, rule, nodes, before, after } = decision;
  const codes = [...new Set([before, after].flatMap((taken) => taken?.verdict.code ?? []))].join(" → ");
  const key = `${pass} ${rule} ${nodes.join()}`;
  return {
    key,
    pass,
    about: aboutOf(graphs, decision),
    codes,
    decision,
    before: wordsOf(before),
    after: wordsOf(after),
  };
}

/** Decisions that differ, those that flipped first. `graph` names the nodes. */
export function changedGroups({ changed }: Answer, graph: Graph | null): ChangedGroup[] {
  const graphs = graph ? [graph] : [];
  return order.flatMap((change) => {
    const rows = changed.filter((each) => each.change === change).map((decision) => changedRow(decision, graphs));
    return rows.length === 0 ? [] : [{ change, title: titleOf(change, rows.length), rows }];
  });
}

export interface TotalRow {
  readonly name: string;
  readonly before: string;
  readonly after: string;
  /** Less is better in every row. */
  readonly tone: "less" | "more" | "same";
}

/**
 * Kernels, traffic, memory and predicted time of the plan as it is and as it would be, each pair in one unit. Times are of one
 * machine: the changed one.
 */
export function totalRows({ unchanged: before, after, options }: Answer): TotalRow[] {
  const row = (name: string, value: (totals: Totals) => number, show: (value: number) => string): TotalRow => {
    const [was, is] = [value(before), value(after)];
    const [first, second] = [show(was), show(is)];
    return { name, before: first, after: second, tone: first === second ? "same" : is < was ? "less" : "more" };
  };
  const bytes = measureBytes([before.bytes, after.bytes]);
  const peak = measureBytes([before.peakBytes, after.peakBytes]);
  const micros = measureMicros([before.predictedMicros, after.predictedMicros]);
  const shown = ({ value, unit }: { readonly value: string; readonly unit: string }): string => `${value} ${unit}`;
  return [
    row(
      "Kernels",
      ({ kernels }) => kernels,
      (value) => significant(value, 6),
    ),
    row(
      "Full-size transfers",
      ({ fullSizeTransfers }) => fullSizeTransfers,
      (value) => significant(value, 6),
    ),
    row(
      "Memory traffic",
      ({ bytes: all }) => all,
      (value) => shown(bytes(value)),
    ),
    row(
      "Memory, live at its peak",
      ({ peakBytes }) => peakBytes,
      (value) => shown(peak(value)),
    ),
    row(
      `Predicted, ${options.profile.name}`,
      ({ predictedMicros }) => predictedMicros,
      (value) => shown(micros(value)),
    ),
  ];
}
