/** @file What the decision card says about a step or an edge: question, answer, reason, verdicts, bars, a way on. */
import {
  acceptedWords,
  barsOf,
  decidedEdge,
  findNode,
  passTitle,
  questionOf,
  reasonTitles,
  remedyQuestionOf,
  limitNote,
  riseOf,
  settled,
  titleOf,
  verdictsOf,
} from "../fusion";
import type { BarGroup, CompileOptions, EdgeId, Graph, ForbidReason, Step, Verdict, VerdictWords } from "../fusion";
import { pillTarget } from "../document";
import { cardTitle, isAlike, nameIn, type Told } from "./step-names";
import { calledBy, type SceneEdge } from "./scene";
import { showBytes } from "./format";

export interface DecisionCard {
  /** `Step 10: mean → centre` */
  readonly kick: string;
  readonly question: string;
  readonly answer: string;
  readonly reason: string;
  /** Why more full-size transfers are left than before, or that a limit refuses what is predicted to be faster; null where neither is so. */
  readonly note: string | null;
  readonly code: string;
  readonly verdicts: readonly VerdictWords[];
  /** What was compared, what decided first. */
  readonly bars: readonly BarGroup[];
  readonly remedy: { readonly question: string; readonly text: string } | null;
  /** Options that the remedy names; null where the card has a button of its own for it, or where it names none. */
  readonly remedyOptions: Partial<CompileOptions> | null;
  /** What this step asks for: `fuse epilogues into matmuls`; empty where no step is told. */
  readonly asks: string;
  /** Other steps that asked about the same; `takes`: a later one that does what this one refuses. */
  readonly others: readonly { readonly seq: number; readonly text: string; readonly takes: boolean }[];
  readonly edge: EdgeId | null;
  readonly pin: "forced" | "forbidden" | null;
  /** Why it is forbidden, where the person said so. */
  readonly forbidReason: ForbidReason | null;
  /** null: it may be forced; otherwise why not. */
  readonly cannotForce: string | null;
  readonly fused: boolean;
}

export const pinOf = (edge: EdgeId | null, options: CompileOptions): DecisionCard["pin"] =>
  edge === null
    ? null
    : options.forced.includes(edge)
      ? "forced"
      : options.forbidden.includes(edge)
        ? "forbidden"
        : null;

/** `fuse epilogues into matmuls: not allowed (reduction boundary)`: each pass asks for a kernel of another kind, so its answer is its own. */
function outcomeOf(step: Step): string {
  const outcome = step.legal.ok ? acceptedWords(step.accepted).text : "Not allowed";
  return `${inSentence(passTitle(step.pass))}: ${outcome.toLowerCase()} (${inSentence(titleOf(step))})`;
}

const inSentence = (title: string): string => title.charAt(0).toLowerCase() + title.slice(1).replace(/\.$/, "");

const takes = (step: Step, later: Step): boolean => later.seq > step.seq && !step.accepted && later.accepted;

/** Earlier steps that read as if they had asked the same, and the first later one up to `known` that does what this one refuses. */
function askedElsewhere(told: Told, step: Step, asked: EdgeId, known: number): readonly Step[] {
  const all = told.steps.filter(
    (each) => each.kind === step.kind && (each.edge === asked || each.edges.includes(asked)) && each.seq <= known,
  );
  const before = all.filter((each) => each.seq < step.seq && isAlike(each, step));
  return [...before, ...all.filter((each) => takes(step, each)).slice(0, 1)];
}

const forbidReasonOf = (edge: EdgeId | null, { kept }: CompileOptions): ForbidReason | null =>
  kept?.find((each) => each.edge === edge)?.reason ?? null;

/** Edges are fused and forbidden by buttons of their own. */
function tryable({ remedyOptions }: Verdict): Partial<CompileOptions> | null {
  const { forced: _, forbidden: __, ...others } = remedyOptions ?? {};
  return Object.keys(others).length > 0 ? others : null;
}

interface Asked {
  /** Further decisions on the same edge: where nothing else is said, those on what has the same names, and what is done later. */
  readonly others?: readonly Step[];
  /** The last step whose verdict may be told. */
  readonly known?: number;
}

/** The card of one step. */
export function cardOfStep(
  told: Told,
  step: Step,
  options: CompileOptions,
  { others, known = Infinity }: Asked = {},
): DecisionCard {
  const verdict = settled(step);
  const edge = decidedEdge(step);
  const further = others ?? (edge ? askedElsewhere(told, step, edge, known) : []);
  const before = told.steps.findLast(({ seq }) => seq < step.seq)?.totals ?? told.naivePlan?.totals;
  return {
    kick: `Step ${step.seq}: ${cardTitle(told, step)}`,
    question: questionOf(step),
    answer: titleOf(step),
    reason: verdict.text,
    note: (step.accepted && before ? riseOf(before, step.totals) : null) ?? limitNote(step),
    code: verdict.code,
    verdicts: verdictsOf(step),
    bars: barsOf(step),
    remedy: step.accepted || !verdict.remedy ? null : { question: remedyQuestionOf(step), text: verdict.remedy },
    remedyOptions: step.accepted ? null : tryable(verdict),
    asks: inSentence(passTitle(step.pass)),
    others: further
      .filter(({ seq }) => seq !== step.seq)
      .map((each) => ({ seq: each.seq, text: outcomeOf(each), takes: takes(step, each) })),
    edge,
    pin: pinOf(edge, options),
    forbidReason: forbidReasonOf(edge, options),
    cannotForce: step.legal.ok ? null : `Not allowed: ${reasonTitles[step.legal.code].toLowerCase()}`,
    fused: step.accepted,
  };
}

/** The card of an edge: its last decision so far, else a later one, else why none was ever taken. */
export function cardOfEdge(
  told: Told,
  { graph, cursor }: { readonly graph: Graph; readonly cursor: number },
  edge: SceneEdge,
  decisions: readonly Step[],
  options: CompileOptions,
): DecisionCard {
  const mine = decisions.filter(({ seq }) => seq <= cursor);
  const pinned = { edge: edge.id, pin: pinOf(edge.id, options), forbidReason: forbidReasonOf(edge.id, options) };
  const shown = mine.at(-1) ?? decisions[0];
  if (shown) {
    const card = cardOfStep(told, shown, options, { others: decisions });
    return { ...card, ...pinned };
  }
  return { ...undecided(graph, edge), ...pinned };
}

function undecided(graph: Graph, edge: SceneEdge): Omit<DecisionCard, "edge" | "pin" | "forbidReason"> {
  const result = pillTarget(edge.to) ? findNode(graph, edge.from) : null;
  const [from, to] = [nameIn(graph, edge.from), result ? calledBy(result) : nameIn(graph, edge.to)];
  const none = {
    code: "",
    note: null,
    verdicts: [],
    bars: [],
    remedy: null,
    remedyOptions: null,
    asks: "",
    others: [],
    fused: false,
  };
  const kick = `${from} → ${to}`;
  const cannotForce = "There is no pair of kernels here to fuse.";
  if (pillTarget(edge.to)) {
    const reason = `\`${to}\` is a result: its ${showBytes(edge.bytes)} have to be in memory at the end.`;
    return { ...none, kick, question: "Why through memory?", answer: "A result of the program.", reason, cannotForce };
  }
  if (findNode(graph, edge.from)?.op === "input") {
    const reason = `\`${from}\` starts in memory: every kernel that needs it reads it there.`;
    return { ...none, kick, question: "Why through memory?", answer: "An input.", reason, cannotForce };
  }
  if (edge.kind === "register") {
    const reason = `\`${from}\` and \`${to}\` were in one kernel from the start, as the program was written.`;
    return { ...none, kick, question: "Why fused?", answer: "One call.", reason, cannotForce, fused: true };
  }
  if (edge.kind === "view") {
    const reason = `\`${to}\` shows the same bytes in another shape: no kernel, no traffic.`;
    return { ...none, kick, question: "Why no kernel?", answer: "A view costs nothing.", reason, cannotForce };
  }
  const reason = `No pass has looked at \`${from}\` into \`${to}\` so far.`;
  return { ...none, kick, question: "Why not fused?", answer: "Not decided.", reason, cannotForce };
}
