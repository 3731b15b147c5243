/** @file Two plannings beside each other: which decisions they share, and which came out otherwise. */
import type { EdgeId, NodeId, Step, StepCost, Verdict } from "./ir";

/** What one planning answered. */
export interface Taken {
  /** Its step, 1-based, in that planning. */
  readonly seq: number;
  readonly accepted: boolean;
  readonly verdict: Verdict;
  /** null where it was refused before it was priced. */
  readonly cost: StepCost | null;
}

/**
 * How an answer came out otherwise. `flipped`: yes became no or no became yes. `reason`: the same for another reason. `new` and
 * `gone`: only one of the plannings met the question.
 */
export type Change = "flipped" | "reason" | "new" | "gone";

/** One question that both plannings, or only one of them, answered. */
export interface ChangedDecision {
  readonly change: Change;
  readonly pass: string;
  readonly rule: string;
  readonly kind: Step["kind"];
  readonly nodes: readonly NodeId[];
  readonly edges: readonly EdgeId[];
  /** The last answer; null where the question never came up. */
  readonly before: Taken | null;
  readonly after: Taken | null;
}

const taken = ({ seq, accepted, legal, profitable, cost }: Step): Taken => ({
  seq,
  accepted,
  verdict: profitable ?? legal,
  cost,
});
const questionOf = ({ pass, rule, nodes }: Pick<Step, "pass" | "rule" | "nodes">): string =>
  `${pass} ${rule} ${nodes.join()}`;

function changeOf(old: Taken | null, fresh: Taken | null): Change | null {
  if (!old || !fresh) return old ? "gone" : "new";
  if (old.accepted !== fresh.accepted) return "flipped";
  return old.verdict.code === fresh.verdict.code ? null : "reason";
}

/** Last answers to the same question, where the code or the outcome differs. */
export function changedDecisions(before: readonly Step[], after: readonly Step[]): ChangedDecision[] {
  const was = new Map(before.map((step) => [questionOf(step), step]));
  const is = new Map(after.map((step) => [questionOf(step), step]));
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((question) => {
    const [first, second] = [was.get(question), is.get(question)];
    const [old, fresh] = [first ? taken(first) : null, second ? taken(second) : null];
    const change = changeOf(old, fresh);
    if (change === null) return [];
    const { pass, rule, kind, nodes, edges } = (second ?? first)!;
    return [{ change, pass, rule, kind, nodes, edges, before: old, after: fresh }];
  });
}

/** One decision of two plannings that stand beside each other; null where that one did not take it here. */
export interface AlignedStep {
  readonly before: Step | null;
  readonly after: Step | null;
  /** Where the last answers to its question differ; null where they agree. */
  readonly change: ChangedDecision | null;
}

/** More pairs than this are not compared one by one: steps that both took are then found in order only. */
const MAX_PAIRS = 4_000_000;

/** For each step of `before` the one of `after` that answers the same question, in order and as many as possible; -1 for none. */
function partners(before: readonly string[], after: readonly string[]): number[] {
  const [rows, columns] = [before.length + 1, after.length + 1];
  const found = before.map(() => -1);
  if (rows * columns > MAX_PAIRS) {
    let from = 0;
    before.forEach((question, i) => {
      const at = after.indexOf(question, from);
      if (at !== -1) from = (found[i] = at) + 1;
    });
    return found;
  }
  // most[i][j]: pairs among the steps from i and from j on.
  const most = new Uint32Array(rows * columns);
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      most[i * columns + j] =
        before[i] === after[j]
          ? most[(i + 1) * columns + j + 1]! + 1
          : Math.max(most[(i + 1) * columns + j]!, most[i * columns + j + 1]!);
    }
  }
  for (let i = 0, j = 0; i < before.length && j < after.length;) {
    if (before[i] === after[j]) found[i++] = j++;
    else if (most[(i + 1) * columns + j]! >= most[i * columns + j + 1]!) i++;
    else j++;
  }
  return found;
}

/** All steps of both plannings in one order, which keeps that of each; what both asked stands together. */
export function alignSteps(before: readonly Step[], after: readonly Step[]): AlignedStep[] {
  const changed = new Map(changedDecisions(before, after).map((each) => [questionOf(each), each]));
  const last = (step: Step, taken: Taken | null | undefined): boolean => taken?.seq === step.seq;
  const changeAt = (old: Step | null, fresh: Step | null): ChangedDecision | null => {
    const change = changed.get(questionOf((old ?? fresh)!));
    if (!change) return null;
    return (old && last(old, change.before)) || (fresh && last(fresh, change.after)) ? change : null;
  };
  const pairs = partners(before.map(questionOf), after.map(questionOf));
  const aligned: AlignedStep[] = [];
  const put = (old: Step | null, fresh: Step | null): void =>
    void aligned.push({ before: old, after: fresh, change: changeAt(old, fresh) });
  let next = 0;
  before.forEach((old, i) => {
    const partner = pairs[i]!;
    if (partner === -1) return put(old, null);
    for (; next < partner; next++) put(null, after[next]!);
    put(old, after[next++]!);
  });
  for (; next < after.length; next++) put(null, after[next]!);
  return aligned;
}
