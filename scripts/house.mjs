/**
 * @file `npm run house`: how large the code is and how tidy. Prints lines of code by folder and what a test holds against
 * scripts/house.json; `--write` lowers those limits to what is measured, and never raises one.
 */
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { runnerImport } from "vite";
import { importsOf, resolve, sourceFiles, treeOf } from "./imports.mjs";

const LIMITS = new URL("house.json", import.meta.url);
export const limits = () => JSON.parse(readFileSync(LIMITS, "utf8"));

const read = (file) => readFileSync(file, "utf8");
const isTest = (file) => /\.test\.tsx?$|\/testing\/|\/testing\.ts$/.test(file);

/** Lines with code on them: neither empty nor comment alone. The code is formatted, so this is what a reader scrolls. */
export function codeLines(text) {
  let inComment = false;
  return text.split("\n").filter((line) => {
    const trimmed = line.trim();
    if (inComment) {
      inComment = !trimmed.includes("*/");
      return false;
    }
    if (trimmed.startsWith("/*")) {
      inComment = !trimmed.includes("*/");
      return false;
    }
    return trimmed !== "" && !trimmed.startsWith("//");
  }).length;
}

/** `src/fusion/passes`, `src/panels`, `src`. */
const folderOf = (file) => {
  const parts = file.split("/").slice(0, -1);
  return parts.slice(0, parts[1] === "fusion" ? 3 : 2).join("/");
};

/** Groups of files that import each other in a circle (Tarjan's strongly connected components). */
export function cyclesIn(edges) {
  const [index, low, stack, cycles] = [new Map(), new Map(), [], []];
  const visit = (file) => {
    index.set(file, index.size);
    low.set(file, index.get(file));
    stack.push(file);
    for (const to of edges.get(file) ?? []) {
      if (!index.has(to)) visit(to);
      if (stack.includes(to)) low.set(file, Math.min(low.get(file), low.get(to)));
    }
    if (low.get(file) !== index.get(file)) return;
    const group = stack.splice(stack.indexOf(file));
    if (group.length > 1) cycles.push(group.toSorted((a, b) => (a < b ? -1 : 1)));
  };
  for (const file of edges.keys()) if (!index.has(file)) visit(file);
  return cycles;
}

/** Names of all ops, as their files say them. */
const opNames = () =>
  new Set(
    sourceFiles()
      .filter((file) => file.startsWith("src/fusion/ops/") && !isTest(file))
      .flatMap((file) => [...read(file).matchAll(/^ {2}name: "(\w+)"/gm)].map(([, name]) => name)),
  );

/** Comparisons with the name of an op among `open`, and lists of names with such a one among them: `file:line`. */
function opNamesIn(file, open, names) {
  const text = read(file);
  const found = [];
  const isOf = (set) => (node) => node?.type === "Literal" && typeof node.value === "string" && set.has(node.value);
  const [isName, isOpen] = [isOf(names), isOf(open)];
  const isOp = (node) =>
    (node?.type === "Identifier" && /^op$|Op$/.test(node.name)) ||
    (node?.type === "MemberExpression" && /^op$|Op$/.test(node.property.name ?? ""));
  const visit = (node) => {
    if (node === null || typeof node !== "object") return;
    if (Array.isArray(node)) return node.forEach(visit);
    const compared =
      node.type === "BinaryExpression" &&
      ((isOp(node.left) && isOpen(node.right)) || (isOp(node.right) && isOpen(node.left)));
    const cased = node.type === "SwitchStatement" && isOp(node.discriminant) && node.cases.some((c) => isOpen(c.test));
    const listed =
      node.type === "ArrayExpression" &&
      node.elements.length > 1 &&
      node.elements.every(isName) &&
      node.elements.some(isOpen);
    if (compared || cased || listed) found.push(`${file}:${text.slice(0, node.start).split("\n").length}`);
    for (const [key, value] of Object.entries(node)) if (key !== "parent") visit(value);
  };
  visit(treeOf(file).body);
  return found;
}

/** Ops that a file says it is about: `@about sum, exp: why` in the comment at its head. */
const aboutOf = (text) => /^ \* @about ([\w, ]+): /m.exec(text)?.[1].split(", ") ?? [];

/** Names of ops that a file uses and does not say it is about, and those that it says it is about and never uses. */
function undeclared(file, names) {
  const text = read(file);
  const about = aboutOf(text);
  const stale = about.filter((name) => !text.split("*/").slice(1).join("*/").includes(`"${name}"`));
  const open = new Set([...names].filter((name) => !about.includes(name)));
  return [...opNamesIn(file, open, names), ...stale.map((name) => `${file}: @about ${name}`)];
}

/** Everything that is printed. Counted files are those of src/ without tests. */
export async function measure() {
  const files = sourceFiles();
  const lines = new Map(files.map((file) => [file, codeLines(read(file))]));
  const own = files.filter((file) => !isTest(file));
  const folders = new Map();
  for (const file of files) {
    const now = folders.get(folderOf(file)) ?? { files: 0, lines: 0 };
    folders.set(folderOf(file), { files: now.files + 1, lines: now.lines + lines.get(file) });
  }

  const [runtime, all, importers] = [new Map(), new Map(), new Map()];
  for (const file of own) {
    const edges = [...importsOf(file)].filter(({ to }) => to.startsWith("."));
    const targets = edges.map(({ to, typeOnly }) => ({ to: resolve(file, to), typeOnly }));
    runtime.set(file, new Set(targets.flatMap(({ to, typeOnly }) => (typeOnly ? [] : [to]))));
    all.set(file, new Set(targets.map(({ to }) => to)));
    for (const to of all.get(file)) importers.set(to, (importers.get(to) ?? 0) + 1);
  }

  const inFolder = new Map();
  for (const file of own.filter((each) => !each.startsWith("src/fusion/ops/"))) {
    const folder = file.slice(0, file.lastIndexOf("/"));
    inFolder.set(folder, (inFolder.get(folder) ?? 0) + 1);
  }

  const passes = all.get("src/fusion/passes/index.ts");
  const names = opNames();
  const outsideOps = own.filter((file) => file.startsWith("src/fusion/") && !file.startsWith("src/fusion/ops/"));
  const { module } = await runnerImport("./test/glossary-search.ts");
  const checked = ["src", "test", "e2e", "scripts", "bench"].flatMap((folder) =>
    readdirSync(folder, { recursive: true })
      .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
      .filter((path) => /\.(tsx?|m[jt]s|css)$/.test(path) && !path.includes("node_modules")),
  );
  const sizes = own.map((file) => lines.get(file)).toSorted((a, b) => a - b);
  const largest = own.reduce((a, b) => (lines.get(b) > lines.get(a) ? b : a));
  return {
    files: files.length,
    lines: [...lines.values()].reduce((a, b) => a + b, 0),
    folders: Object.fromEntries([...folders].toSorted(([a], [b]) => (a < b ? -1 : 1))),
    median: sizes[Math.floor(sizes.length / 2)],
    largest: { file: largest, lines: lines.get(largest) },
    found: {
      "runtime cycles": cyclesIn(runtime).map((group) => group.join(" ⇄ ")),
      "type cycles": cyclesIn(all).map((group) => group.join(" ⇄ ")),
      "prettier-ignore": checked.filter(
        (path) => path !== "scripts/house.mjs" && read(path).includes("prettier-ignore"),
      ),
      "files above 450 lines": own.filter((file) => lines.get(file) > 450),
      // Op families aside: an op is a file.
      "folders of more than 32 files": [...inFolder].filter(([, count]) => count > 32).map(([folder]) => folder),
      "op names outside ops": outsideOps.flatMap((file) => undeclared(file, names)),
      "files about ops": outsideOps.filter((file) => aboutOf(read(file)).length > 0),
      "old words": module.oldWordsFound(),
      "small files with one importer": own.filter(
        (file) =>
          !file.startsWith("src/fusion/ops/") &&
          // A pass is a file.
          !passes.has(file) &&
          !/\/index\.tsx?$/.test(file) &&
          lines.get(file) < 60 &&
          importers.get(file) === 1,
      ),
    },
  };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { files, lines, folders, median, largest, found } = await measure();
  for (const [folder, size] of Object.entries(folders))
    console.log(`${folder.padEnd(24)} ${String(size.files).padStart(5)} files ${String(size.lines).padStart(7)} lines`);
  console.log(`${"all".padEnd(24)} ${String(files).padStart(5)} files ${String(lines).padStart(7)} lines`);
  console.log(`median ${median} lines, largest ${largest.lines} (${largest.file})`);
  const held = limits();
  for (const [what, list] of Object.entries(found)) console.log(`${what}: ${list.length} (at most ${held[what]})`);
  const shown = process.argv.find((arg) => arg.startsWith("--list="))?.slice("--list=".length);
  if (shown) for (const each of found[shown] ?? []) console.log(`  ${each}`);
  if (process.argv.includes("--write")) {
    const now = Object.fromEntries(
      Object.entries(found).map(([what, list]) => [what, Math.min(list.length, held[what] ?? Infinity)]),
    );
    writeFileSync(LIMITS, `${JSON.stringify(now, null, 2)}\n`);
  }
}
