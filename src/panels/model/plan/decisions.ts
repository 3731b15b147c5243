/** @file The decision table: every step with its reason, filtered and grouped by pass. */
import {
  barsOf,
  criterionOf,
  limitWords,
  remedyQuestionOf,
  settled,
  showFlops,
  titleOf,
  verdictsOf,
  type BarGroup,
  type Compilation,
  type Step,
  type StepCost,
  type Verdict,
  type VerdictWords,
} from "../../../fusion";
import { stepNames } from "../../../picture";
import { outcomeOf } from "./step-words";
import { count, plural, showBytes, showMicros, significant } from "../units";

export interface DecisionRow {
  readonly seq: number;
  readonly pass: string;
  readonly rule: string;
  readonly code: string;
  /** `mean → centre` */
  readonly about: string;
  readonly outcome: string;
  readonly accepted: boolean;
  readonly verdicts: readonly VerdictWords[];
  readonly text: string;
  readonly remedy: { readonly question: string; readonly text: string } | null;
  readonly numbers: readonly string[];
  readonly title: string;
  readonly bars: readonly BarGroup[];
  /** `by predicted time`; null where nothing was priced. */
  readonly criterion: string | null;
}

export interface DecisionGroup {
  readonly pass: string;
  readonly accepted: number;
  readonly refused: number;
  readonly rows: readonly DecisionRow[];
}

export interface DecisionFilter {
  /** null: every pass. */
  readonly pass: string | null;
  readonly search: string;
  /** Only steps about one of these nodes; null: all. */
  readonly nodes: ReadonlySet<string> | null;
}

/** `separate kernels: 41 µs, 36 MiB`, `one kernel: 25 µs, 12 MiB (chosen)`, `4,096 FLOP more` …; what does not change is left out. */
export function numbersOf(cost: StepCost | null, { numbers, limit }: Verdict): string[] {
  const shown: string[] = [];
  if (limit) shown.push(limitWords(limit));
  if (cost) {
    for (const { what, micros, bytes, chosen } of cost.alternatives)
      shown.push(`${what}: ${showMicros(micros)}, ${showBytes(bytes)}${chosen ? " (chosen)" : ""}`);
    if (cost.flopsAdded > 0) shown.push(`${significant(cost.flopsAdded)} FLOP more`);
    if (cost.registers > 0) shown.push(plural(cost.registers, "register"));
    return shown;
  }
  return Object.entries(numbers ?? {}).map(([name, value]) => namedNumber(name, value));
}

/** `bytesSaved: 6291456` → `bytes saved 6 MiB`: the unit is in the name. */
function namedNumber(name: string, value: number): string {
  const words = name.replace(/([a-z])([A-Z])/g, (_, end: string, start: string) => `${end} ${start.toLowerCase()}`);
  if (/^bytes|Bytes$/.test(name)) return `${words} ${showBytes(value)}`;
  if (/^micros|Micros$/.test(name)) return `${words.replace(/^micros |micros$/, "").trim()} ${showMicros(value)}`;
  if (name.endsWith("PerSecond")) return `predicted ${showFlops(value)}/s`;
  return `${words} ${Number.isInteger(value) ? count(value) : significant(value)}`;
}

function rowOf(step: Step, compilation: Compilation): DecisionRow {
  const verdict = settled(step);
  return {
    seq: step.seq,
    pass: step.pass,
    rule: step.rule,
    code: verdict.code,
    about: stepNames(compilation, step),
    outcome: outcomeOf(step),
    accepted: step.accepted,
    verdicts: verdictsOf(step),
    text: verdict.text,
    remedy: verdict.remedy === undefined ? null : { question: remedyQuestionOf(step), text: verdict.remedy },
    numbers: numbersOf(step.cost, verdict),
    title: titleOf(step),
    bars: barsOf(step),
    criterion: criterionOf(step),
  };
}

const cache = new WeakMap<Compilation, readonly DecisionRow[]>();

/** Every step as a row; remembered. */
function decisionRows(compilation: Compilation): readonly DecisionRow[] {
  const known = cache.get(compilation);
  if (known) return known;
  const rows = compilation.steps.map((step) => rowOf(step, compilation));
  cache.set(compilation, rows);
  return rows;
}

/** The rows that pass the filter, grouped by pass in running order. */
export function groupDecisions(compilation: Compilation, filter: DecisionFilter): DecisionGroup[] {
  const wanted = filter.search.trim().toLowerCase();
  const groups = new Map<string, DecisionRow[]>();
  const { steps } = compilation;
  const rows = decisionRows(compilation);
  rows.forEach((row, i) => {
    if (filter.pass !== null && row.pass !== filter.pass) return;
    if (filter.nodes && !steps[i]!.nodes.some((id) => filter.nodes!.has(id))) return;
    if (wanted && !`${row.code} ${row.about} ${row.rule} ${row.outcome} ${row.text}`.toLowerCase().includes(wanted))
      return;
    const list = groups.get(row.pass);
    if (list) list.push(row);
    else groups.set(row.pass, [row]);
  });
  return [...groups].map(([pass, list]) => {
    const accepted = list.filter((row) => row.accepted).length;
    return { pass, accepted, refused: list.length - accepted, rows: list };
  });
}
