/**
 * @file Reads a lesson's Markdown: front matter, then a step a `## heading`, whose paragraphs are said and whose fenced
 * blocks `show`, `ask` and `task` hold YAML. As a Vite plugin it turns each file into a module of plain data;
 * `?head` asks for what the list of lessons shows.
 */
import { basename, dirname } from "node:path";
import { parse as parseYaml } from "yaml";

const BLOCKS = ["show", "ask", "task"];

/** Throws an error that names the file where something is missing. */
export function readLesson(source, path) {
  const fail = (text) => {
    throw new Error(`${path}: ${text}`);
  };
  const [, front, body] =
    /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(source.replaceAll("\r\n", "\n")) ?? fail("no front matter");
  const head = parseYaml(front);
  for (const field of ["title", "summary", "minutes", "level"])
    if (head[field] === undefined) fail(`${field} is missing`);
  const id = basename(path, ".md").replace(/^\d+-/, "");
  const kind = basename(dirname(path)) === "puzzles" ? "puzzle" : "lesson";
  const steps = body
    .split(/^## +/m)
    .slice(1)
    .map((text) => stepOf(text, fail));
  if (steps.length === 0) fail("no step");
  return { id, kind, ...head, steps };
}

function stepOf(text, fail) {
  const [title, ...rest] = text.split("\n");
  const blocks = {};
  const prose = rest.join("\n").replace(/^```(\w+)\n([\s\S]*?)^```$/gm, (_, name, yaml) => {
    if (!BLOCKS.includes(name)) fail(`a block called ${name}`);
    blocks[name] = parseYaml(yaml);
    return "";
  });
  const paragraphs = prose
    .split(/\n{2,}/)
    .map((paragraph) => paragraph.replace(/\s+/g, " ").trim())
    .filter(Boolean);
  if (blocks.ask) blocks.ask.kind = kindOfAsk(blocks.ask, fail);
  for (const { text, because, but } of blocks.ask?.choices ?? [])
    if ((because === undefined) === (but === undefined)) fail(`"${text}" needs either because or but`);
  // Who writes a kernel leaves the program as it is.
  if (blocks.task) blocks.task = { values: "shown", hints: [], solution: blocks.show?.program, ...blocks.task };
  if (blocks.task && blocks.task.solution === undefined) fail(`"${title.trim()}" has no solution`);
  return { title: title.trim(), paragraphs, ...blocks };
}

function kindOfAsk(ask, fail) {
  if (ask.choices) return "choice";
  if (ask.answer !== undefined) return "number";
  if (ask.answers) return "click";
  return fail(`"${ask.question}" has no answer`);
}

/** The Vite plugin. */
export function lessonFiles() {
  return {
    name: "lesson-files",
    enforce: "pre",
    transform(source, id) {
      const [path, query] = id.split("?");
      if (!/\/src\/course\/(lessons|puzzles)\/[^/]+\.md$/.test(path)) return null;
      const lesson = readLesson(source, path);
      const data = query === "head" ? { ...lesson, steps: lesson.steps.length } : lesson;
      return { code: `export default ${JSON.stringify(data)};`, map: null, moduleType: "js" };
    },
  };
}
