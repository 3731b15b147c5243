/** @file Every sentence that a person can read, by area: docs/strings.md. `npm run strings` writes it, a test keeps it current. */
import { writeFileSync } from "node:fs";
import { sourceFiles, treeOf } from "./imports.mjs";

/** Areas by the folder that a file lies in; the first that fits counts. */
const AREAS = [
  ["Page: shell", /^src\/(shell|state|workers|gpu|glossary|document|[^/]+$)/],
  ["Page: editor", /^src\/(editor|monaco)\//],
  ["Page: panels", /^src\/panels\//],
  ["Page: class", /^src\/room\//],
  ["Examples", /^src\/lessons\/(?!notes\/)/],
  ["Notes", /^src\/lessons\/notes\//],
  ["Lessons: frame", /^src\/course\//],
  ["Compiler: plans and reasons", /^src\/fusion\/(?!text\/|ops\/|autodiff\/)/],
  ["Compiler: errors of the reader", /^src\/fusion\/(text|ops|autodiff)\//],
  ["Import", /^src\/import\//],
  ["Command line", /^src\/cli\//],
];
/** Printed code and code that is read: not sentences; docs/glossary.md has the glossary's. */
const CODE_FILES =
  /\.test\.|\/testing\/|^src\/fusion\/(kernel\/(emit|print|simulate|nest|shapes\/\w+\/write)|plan|reference)\/|^src\/glossary\/|\.d\.ts$/;
/** Properties and attributes whose value is for machines. */
const CODE_KEYS = new Set(
  "className class d viewBox transform style href rel code id key wgsl template source pattern import".split(" "),
);
/** Those whose value is for people, however short. */
const LABELS = new Set(
  "title label name sentence alt placeholder aria-label heading hint says remedy description".split(" "),
);

/** Two words, or one with a capital and a stop: a sentence, a title or part of one. */
const reads = (text) => /[A-Za-z`}][,;:.)]? +[A-Za-z`{(]/.test(text) || /^[A-Z][a-z]+[.?!:]$/.test(text);
const machine = (text) =>
  /^(M-?\d|[#.]|https?:|\.\/|[\w-]+\/[\w-]+$)/.test(text) || /(^|\s)(var|let|fn|const) \w+|=>|\);|&&|\|\|/.test(text);
/** Lines of a program, as examples have them. */
const isProgram = (text) => /^\s*(return |\w+ = |\w+: [fiub]\d+\[)/m.test(text) && text.includes("\n");
const squeezed = (text) => text.replace(/\s+/g, " ").trim();
const keyName = (node) => node?.name?.name ?? node?.name ?? node?.value;

const templateText = (node) => node.quasis.map((q) => q.value.cooked ?? q.value.raw).join("{}");

/** Sentences of a syntax tree, in the order of the source. */
export function stringsOf(tree) {
  const found = [];
  const add = (text, label) => {
    if (isProgram(text)) return;
    const line = squeezed(text);
    if ((reads(line) || (label && /[A-Za-z]{2}/.test(line))) && !machine(line)) found.push(line);
  };
  const visit = (node, label) => {
    if (Array.isArray(node)) return node.forEach((child) => visit(child, label));
    if (!node || typeof node.type !== "string") return;
    if (/^(Import|Export(All|Named)Declaration$)/.test(node.type) && node.source) return;
    if (/^TS(?!(As|Satisfies|NonNull))/.test(node.type)) return;
    if (node.type === "JSXElement") return jsx(node);
    if (node.type === "JSXFragment") return visit(node.children, true);
    if (node.type === "JSXText") return add(node.value, true);
    if (node.type === "Literal") return typeof node.value === "string" ? add(node.value, label) : undefined;
    if (node.type === "TaggedTemplateExpression") return;
    if (node.type === "TemplateLiteral") {
      add(templateText(node), label);
      return visit(node.expressions, false);
    }
    if (node.type === "JSXAttribute" || node.type === "Property") {
      const name = keyName(node.type === "Property" ? node.key : node.name);
      if (CODE_KEYS.has(name))
        return node.value?.type === "ArrowFunctionExpression" ? visit(node.value, false) : undefined;
      return visit(node.value, LABELS.has(name));
    }
    if (node.type === "ConditionalExpression") {
      visit(node.test, false);
      visit(node.consequent, label);
      return visit(node.alternate, label);
    }
    const through = node.type === "JSXExpressionContainer" || node.type === "LogicalExpression";
    for (const [key, child] of Object.entries(node))
      if (child && typeof child === "object" && key !== "type") visit(child, through && label);
  };
  /** A run of text with code and emphasis inside is one sentence; a component in it is {}. */
  const jsx = (node) => {
    visit(node.openingElement.attributes, false);
    const inline = node.children.some((c) => c.type === "JSXText" && /[A-Za-z]{2}/.test(c.value));
    if (!inline) return visit(node.children, true);
    add(node.children.map(spoken).join(""), true);
    for (const child of node.children)
      if (child.type === "JSXExpressionContainer") visit(child.expression, false);
      else if (child.type === "JSXElement" && spoken(child) === "{}") visit(child, true);
      else if (child.type === "JSXElement") visit(child.openingElement.attributes, false);
  };
  const spoken = (node) => {
    if (node.type === "JSXText") return node.value.replace(/\s*\n\s*/g, " ");
    if (node.type === "JSXExpressionContainer")
      return node.expression.type === "Literal" ? String(node.expression.value) : "{}";
    const plain = node.children?.length > 0 && node.children.every((c) => c.type === "JSXText");
    return plain ? node.children[0].value : "{}";
  };
  visit(tree.body, false);
  return found;
}

/** docs/strings.md as it should be now. */
export function stringsPage() {
  const files = sourceFiles()
    .filter((file) => !CODE_FILES.test(file))
    .toSorted();
  const areas = AREAS.map(([name]) => ({ name, parts: [] }));
  for (const file of files) {
    const area = areas[AREAS.findIndex(([, where]) => where.test(file))];
    const lines = [...new Set(stringsOf(treeOf(file)))];
    if (area && lines.length > 0) area.parts.push(`### ${file}\n\n${lines.map((line) => `- ${line}`).join("\n")}\n`);
  }
  const head =
    "# Sentences\n\nEvery sentence that a person can read, by area; `{}` stands for what is filled in. Written by `npm run strings`.\n";
  return [
    head,
    ...areas.filter(({ parts }) => parts.length > 0).map(({ name, parts }) => `## ${name}\n\n${parts.join("\n")}`),
  ].join("\n");
}

if (process.argv[1]?.endsWith("strings.mjs")) writeFileSync("docs/strings.md", stringsPage());
