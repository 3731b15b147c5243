/** @file What Find or do offers, and how well each entry fits the words. Pure. */
import { calledOps, kernelTitle, showType } from "../../fusion";
import { lessonHeads } from "../../course";
import { allLessons, keywordsOf, notes, startHere } from "../../lessons";
import { chooseFile } from "../open-file";
import { saveChart } from "../save-chart";
import { saveGraph } from "../save-graph";
import { saveReport } from "../save-report";
import { commands, selectFusion, selectPlan, showKey, type PlaygroundState } from "../../state";

export interface Entry {
  readonly id: string;
  readonly title: string;
  /** In grey beside the title. */
  readonly detail: string;
  /** Other names that it goes by; they count like the title. */
  readonly also?: readonly string[];
  /** What it says or holds: it is found by words in there, behind all that go by them. */
  readonly text?: string;
  readonly kind: "Do" | "Kernel" | "Op here" | "Example" | "Lesson" | "Puzzle" | "Earlier work" | "Note" | "Add op";
  /** Shown before anything is typed. */
  readonly first: boolean;
  run(state: PlaygroundState): void;
}

const doings = (state: PlaygroundState): Entry[] =>
  commands
    .filter(({ where, when, id }) => where !== "graph" && id !== "find" && id !== "close" && (when?.(state) ?? true))
    .map(({ id, title, keys, run }) => ({
      id: `do ${id}`,
      title,
      detail: keys[0] ? showKey(keys[0]) : "",
      kind: "Do",
      first: true,
      run,
    }));

const saving = (
  [
    ["the graph as a picture, .svg", (state: PlaygroundState) => saveGraph(state, "svg")],
    ["the graph as a picture, .png", (state: PlaygroundState) => saveGraph(state, "png")],
    ...(["race", "times", "roofline", "memory", "growth", "saved"] as const).flatMap((name) =>
      (["svg", "png"] as const).map(
        (kind) =>
          [
            `the ${name} chart as a picture, .${kind}`,
            (state: PlaygroundState) => saveChart(state, name, kind),
          ] as const,
      ),
    ),
    ["a report to print, .html", saveReport],
  ] as const
).map(([what, save]): Entry => ({
  id: `do save ${what}`,
  title: `Save ${what}`,
  detail: "export",
  kind: "Do",
  first: true,
  run: (state) => void save(state),
}));

const opening: Entry = {
  id: "do Open a file",
  title: "Open a file",
  detail: ".onnx, .py, .json",
  kind: "Do",
  first: true,
  run: chooseFile,
};

const kernels = (state: PlaygroundState): Entry[] =>
  (selectPlan(state)?.kernels ?? []).map(({ id, name }) => ({
    id: `kernel ${id}`,
    title: kernelTitle({ id, name }),
    detail: "kernel",
    kind: "Kernel",
    first: false,
    run: ({ actions }) => {
      actions.showKernel(id);
      actions.showPane("kernels");
    },
  }));

function nodes(state: PlaygroundState): Entry[] {
  const list = [...(selectFusion(state)?.graph.nodes.values() ?? [])].filter(({ op }) => op !== "const");
  return list.map(({ id, label, op, type }) => ({
    id: `node ${id}`,
    title: label === id ? label : `${label} (${id})`,
    detail: `${op}, ${showType(type)}`,
    kind: "Op here",
    first: false,
    run: ({ actions }) => {
      actions.select({ kind: "node", id });
      actions.showPane("graph");
    },
  }));
}

const openings = (state: PlaygroundState): Entry[] => [
  ...state.previousWorks.map(({ title, when }, index): Entry => ({
    id: `work ${index}`,
    title,
    detail: when > 0 ? new Date(when).toLocaleString() : "",
    kind: "Earlier work",
    first: true,
    run: ({ actions }) => actions.openPrevious(index),
  })),
  ...allLessons.map(({ id, title, sentence, text }): Entry => {
    const start = startHere.find(({ example }) => example === id);
    return {
      id: `example ${id}`,
      title,
      detail: start ? `${start.title}. ${sentence}` : sentence,
      also: [...(start ? [start.title] : []), id.replaceAll(/[-/]/g, " "), ...keywordsOf(id)],
      text,
      kind: "Example",
      // Variants come when one looks for them.
      first: !id.includes("/"),
      run: ({ actions }) => actions.openExample(id),
    };
  }),
];

const kindNames = { lesson: "Lesson", puzzle: "Puzzle" } as const;

const course: readonly Entry[] = lessonHeads.map(({ id, kind, title, summary }) => {
  const name = `${kindNames[kind]} ${1 + lessonHeads.filter((head) => head.kind === kind).findIndex((head) => head.id === id)}`;
  return {
    id: `lesson ${id}`,
    title,
    detail: `${name}. ${summary}`,
    also: [name, id.replaceAll("-", " ")],
    kind: kindNames[kind],
    first: false,
    run: ({ actions }) => void actions.openLesson(id, 0),
  };
});

const reading: readonly Entry[] = notes.map(({ id, title, text }) => ({
  id: `note ${id}`,
  title,
  detail: text[0]!.replaceAll("`", ""),
  text: text.join(" ").replaceAll("`", ""),
  kind: "Note",
  first: false,
  run: ({ actions }) => actions.openNote(id),
}));

const additions: readonly Entry[] = calledOps.map(({ name, doc }) => ({
  id: `add ${name}`,
  title: `Add ${name}`,
  detail: doc.formula,
  kind: "Add op",
  first: false,
  run: ({ actions }) => void actions.addOp(name, null),
}));

/** Everything that can be found or done now, in the order of the list. */
export const entriesOf = (state: PlaygroundState): Entry[] => [
  ...doings(state),
  opening,
  ...saving,
  ...kernels(state),
  ...nodes(state),
  ...openings(state),
  ...course,
  ...reading,
  ...additions,
];

/** Letters in order count where they lie within so many times their number: farther apart they are any word. */
const SPREAD = 3;

/** Where letters in order end; null where they do not stand close enough. */
function endOfLetters(text: string, wanted: string): number | null {
  for (let start = text.indexOf(wanted[0]!); start >= 0; start = text.indexOf(wanted[0]!, start + 1)) {
    let from = start;
    for (const letter of wanted) {
      from = text.indexOf(letter, from) + 1;
      if (from === 0) return null;
    }
    if (from - start <= SPREAD * wanted.length) return from;
  }
  return null;
}

/** Higher is better; 0 does not fit. A prefix beats the start of a word, which beats letters in order. */
export function fit(title: string, words: string): number {
  const [text, wanted] = [title.toLowerCase(), words.trim().toLowerCase()];
  if (wanted === "") return 1;
  if (text.startsWith(wanted)) return 1000 - text.length;
  const at = text.indexOf(wanted);
  if (at > 0) return (/[\s(]/.test(text[at - 1]!) ? 700 : 500) - text.length;
  const end = endOfLetters(text, wanted);
  return end === null ? 0 : Math.max(1, 200 - end);
}

/** An entry in which every word stands, wherever. */
function ofWords({ title, detail, also = [], text = "" }: Entry, words: string): number {
  const all = [title, detail, ...also, text].join(" ").toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word))
    ? 3
    : 0;
}

/** Letters of a kind's name that ask for all of it: `exa` for the examples. */
const LEAST_OF_KIND = 3;

function ofKind({ kind, first }: Entry, words: string): number {
  const wanted = words.trim().toLowerCase();
  const names = wanted.length >= LEAST_OF_KIND && `${kind}s`.toLowerCase().startsWith(wanted);
  return names ? (first ? 2 : 1) : 0;
}

const MAX_ENTRIES = 60;

/** The entries that fit, best first; those of the first view when nothing is typed. */
export function found(entries: readonly Entry[], words: string): Entry[] {
  if (words.trim() === "") return entries.filter(({ first }) => first).slice(0, MAX_ENTRIES);
  return entries
    .map((entry) => ({
      entry,
      score: Math.max(
        ...[entry.title, ...(entry.also ?? [])].map((name) => fit(name, words)),
        fit(entry.detail, words) - 300,
        ofKind(entry, words),
        ofWords(entry, words),
      ),
    }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, MAX_ENTRIES)
    .map(({ entry }) => entry);
}
