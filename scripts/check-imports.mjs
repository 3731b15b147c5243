/** @file Checks who imports whom in src/. The tables are the architecture. */
import { importsOf, resolve, sourceFiles } from "./imports.mjs";

const LAYERS = {
  fusion: [],
  // Words alone: data that every part of the page may explain.
  glossary: [],
  gpu: ["fusion"],
  // WGSL that a person wrote: read, limited, counted.
  wgsl: ["fusion"],
  document: ["fusion"],
  import: ["fusion"],
  // Graphs as pictures: where boxes and lines stand, and the same as a file. For the page, the command line and the build.
  picture: ["fusion", "document"],
  lessons: ["glossary", "fusion", "document"],
  // Lessons and puzzles, what they ask of a compiled program, and whether an answer is right.
  course: ["fusion"],
  workers: ["fusion", "document", "import", "picture", "wgsl"],
  state: ["fusion", "gpu", "document", "lessons", "course", "picture", "workers", "wgsl"],
  // For every part that draws.
  icons: [],
  // One Monaco for the editor and the panels, which may not see each other; its worker goes through the workers' policy.
  monaco: ["workers"],
  // Sentences that explain their terms: for the editor and the panels, which may not see each other.
  terms: ["glossary"],
  editor: ["icons", "glossary", "terms", "fusion", "document", "picture", "state", "monaco"],
  // The panels show what a chapter prints beside what is counted.
  panels: ["icons", "course", "glossary", "terms", "fusion", "document", "lessons", "picture", "state", "monaco"],
  // Pages for a class: they read the store and draw it, as panels do.
  room: ["icons", "course", "glossary", "fusion", "document", "lessons", "state", "panels"],
  // Composes editor and panels, so it may see both; it has no view of the GPU and asks no worker.
  // A view of its own, with Chart.js through the panels.
  train: ["icons", "fusion", "state", "panels"],
  shell: ["icons", "course", "glossary", "fusion", "document", "lessons", "state", "editor", "panels", "room", "train"],
  cli: ["glossary", "fusion", "gpu", "document", "import", "lessons", "panels", "picture", "wgsl"],
};
/** Further doors: pure files, though their layer is none, for who has no page; a lesson's text, for who waits for no engine. */
const SIDE_DOORS = {
  "src/course/files.ts": ["state"],
  "src/panels/model/plan/report.ts": ["cli"],
  "src/panels/posters/index.ts": ["cli"],
};
const FLOORS = {
  ir: [],
  ops: ["ir"],
  datasets: ["ir", "ops"],
  text: ["ir", "ops", "autodiff", "datasets"],
  reference: ["ir", "ops", "datasets"],
  autodiff: ["ir", "ops"],
  kernel: ["ir", "ops"],
  cost: ["ir", "ops", "kernel"],
  passes: ["ir", "ops", "kernel", "cost"],
  plan: ["ir", "ops", "kernel", "cost"],
  training: ["ir", "ops", "datasets", "reference", "plan"],
  standalone: ["ir", "cost", "passes", "kernel", "plan", "reference"],
};
/** A kernel is entered by two doors: what it is, for all (docs/decisions/0002), and its code, for those who make kernels of a plan. */
const DOORS = { "src/fusion/kernel/index.ts": null, "src/fusion/kernel/code.ts": ["plan", "standalone", "training"] };
const PURE = new Set([
  "course",
  "fusion",
  "glossary",
  "gpu",
  "document",
  "import",
  "lessons",
  "picture",
  "workers",
  "cli",
  "wgsl",
]);
const UI = /^(react|react-dom|@xyflow|zustand|monaco-editor|chart\.js)(\/|$)/;

const layerOf = (p) => /^src\/([^/]+)\//.exec(p)?.[1];
const floorOf = (p) => /^src\/fusion\/([^/]+)\//.exec(p)?.[1];

export function judge(file, to, typeOnly) {
  const [from, target] = [layerOf(file), layerOf(to)];
  if (!to.startsWith("src/")) {
    if (from === "fusion" && !file.includes(".test.") && !(to.startsWith("@lezer/") && floorOf(file) === "text"))
      return "fusion-has-no-dependencies-but-the-parser";
    if (to.startsWith("@lezer/") && floorOf(file) !== "text") return "only-text-parses";
    return PURE.has(from) && UI.test(to) ? "core-has-no-ui-libraries" : null;
  }
  if (from && !target) return "nobody-imports-the-root";
  if (from && from !== target) {
    if (LAYERS[from] && !LAYERS[from].includes(target))
      return `${from}-sees-only-${LAYERS[from].join("-") || "itself"}`;
    if (from === "cli" && target === "panels" && !SIDE_DOORS[to]?.includes(from)) return "cli-sees-no-page";
    if (!/^src\/[^/]+\/index\.tsx?$/.test(to) && !SIDE_DOORS[to]?.includes(from))
      return "layers-are-entered-by-their-index";
    if (from === "gpu" && target === "fusion" && !typeOnly) return "gpu-borrows-only-types";
  }
  const [a, b] = [floorOf(file), floorOf(to)];
  if (a && target === "fusion" && !b) return "inside-fusion-no-one-uses-the-front-door";
  if (b === "kernel" && a !== b && target === "fusion" && from === "fusion" && !file.includes(".test.")) {
    if (!(to in DOORS)) return "kernels-are-entered-by-their-doors";
    if (a && DOORS[to] && !DOORS[to].includes(a)) return "only-plans-need-code";
  }
  if (a && b && a !== b && FLOORS[a] && !FLOORS[a].includes(b))
    return `fusion/${a}-sees-only-${FLOORS[a].join("-") || "itself"}`;
  return null;
}
const files = sourceFiles();
let wrong = 0,
  edges = 0;
for (const file of files)
  for (const { to, typeOnly } of importsOf(file)) {
    edges++;
    const rule = judge(file, to.startsWith(".") ? resolve(file, to) : to, typeOnly);
    if (rule) {
      wrong++;
      console.error(`${rule}: ${file} → ${to}`);
    }
  }
console.log(`${files.length} files, ${edges} imports, ${wrong} against the rules`);
process.exit(wrong || !edges ? 1 : 0);
