import { expect, test } from "vitest";
import { compile, defaultOptions, isInside, kernelTitle } from "../../../fusion";
import { notes } from "../../../lessons";
import type { FinishedRun } from "../../../state";
import { reportHtml } from "./report";
import { summaryText } from "./summary";

const text = "x: f32[2048, 2048]\nb: f32[2048, 2048]\ny = log(relu(x + b))\n";
const compilation = compile(text, defaultOptions);

const run = {
  text,
  check: [
    {
      plan: "fused",
      output: "y",
      maxAbs: 0,
      maxRel: 0,
      maxUlp: 0,
      limit: "2 ULP",
      worst: null,
      nanMismatches: 0,
      compared: 4,
      elements: 4,
      pass: true,
    },
  ],
  predictedFor: null,
  plans: { naive: compilation.naivePlan!, step: null, fused: compilation.fusedPlan! },
  source: null,
  result: {
    device: { name: "a GPU", software: false, clock: "queue-wait", tickNanos: 100 },
    timings: [
      { plan: "naive", kernel: null, nanoseconds: [9e4], repeats: 1 },
      { plan: "fused", kernel: null, nanoseconds: [3e4], repeats: 1 },
    ],
  },
} as unknown as FinishedRun;

const lines = (compiled = compilation, finished: FinishedRun | null = null): string[] =>
  summaryText(compiled, finished)!.split("\n");

test("a summary has the program, the counts of both plans, every kernel and every reason", () => {
  const printed = lines();
  expect(printed).toContain("y = log(relu(x + b))");
  expect(printed).toContain("| full-size transfers | 7 | 3 |");
  expect(printed).toContain("| memory traffic | 112 MiB | 48 MiB |");
  expect(printed.filter((line) => line.startsWith("| K"))).toHaveLength(1);
  expect(printed).toContain("- It saves memory traffic, accepted: 2");
});

test("values have the names that the page has for them, never a path of the graph", () => {
  const compiled = compile("x: f32[4096, 64]\nw: f32[64, 64]\ny = softmax(softmax(x, dim=0) @ w, dim=0)\n", {
    ...defaultOptions,
    level: 1,
  });
  const printed = summaryText(compiled, null)!;
  expect(compiled.fusedPlan!.kernels.some(({ writes }) => writes.some(({ value }) => isInside(value)))).toBe(true);
  expect(printed).toContain("| K1 softmax partials | x | max partials, sum partials |");
  expect(printed).not.toMatch(/\by\/\d/);
  expect(printed).not.toMatch(/\b[ALCU]_[A-Z]+\b/);
});

test("every good practice has its answer, ticked by what was counted and measured", () => {
  const practices = notes.filter(({ kind }) => kind === "practice");
  const ticks = (printed: string[]) =>
    printed.slice(printed.indexOf("## Checklist")).filter((line) => /^- (\[[x ]\] )?[A-Z][a-z]/.test(line));
  // What one writes by hand is nobody's to count.
  expect(ticks(lines())).toHaveLength(practices.length - 1);
  expect(lines()).toContain("- [ ] Check the numbers: Fast mode. Not run.");
  const ran = lines(compilation, run);
  expect(ran).toContain(
    "- [x] Check the numbers: Fast mode. Same result. Equal in every element compared, limit 2 ULP.",
  );
  expect(ran).toContain("- fused: 30 µs ±0");
  expect(ran.find((line) => line.includes("Wait before"))).toMatch(/^- \[x\] .+ waiting for the queue, step 100 ns/);
});

test("boxes stay open where the plan falls short", () => {
  const waiting = compile("x: f32[2048, 2048]\ns = x.sum()\ny = x / s\n", {
    ...defaultOptions,
    disabledPasses: ["row-groups"],
  });
  const printed = lines(waiting);
  expect(printed).toContain("- [ ] Let the framework fuse first: Switched off: row-groups.");
  const crowded = compile("x: f32[4, 64]\ny = softmax(x, dim=-1)\n", defaultOptions);
  expect(lines(crowded).find((line) => line.includes("Keep the GPU busy"))).toMatch(/^- \[ \] .+ K1 softmax/);
});

test("without a plan there is no summary", () => {
  expect(summaryText(compile("y = relu(...)\n", defaultOptions), null)).toBeNull();
});

test("a report has the picture, every line of the summary, and no markup of the program's making", () => {
  const hostile = compile('# <script>alert("x")</script>\nx: f32[64]\ny = relu(x)\n', defaultOptions);
  const about = { title: "A < B", picture: "<svg></svg>", link: "https://example.org/#p=1&q=2" };
  const html = reportHtml(hostile, null, about)!;
  expect(html).toContain("<h1>A &lt; B</h1>");
  expect(html).toContain('href="https://example.org/#p=1&amp;q=2"');
  expect(html).toContain("<figure><svg></svg></figure>");
  expect(html).not.toContain("<script");
  const cells = (text: string) => [...text.matchAll(/<th scope="row">(K\d[^<]*)/g)].map(([, name]) => name);
  expect(cells(html)).toEqual(hostile.fusedPlan!.kernels.map(({ id, name }) => kernelTitle({ id, name })));
  expect(html.match(/☐/g)!.length).toBe(lines(hostile).filter((line) => line.startsWith("- [ ]")).length);
});

test.each([
  "<script>alert(1)</script>",
  '"><img src=x onerror=alert(1)>',
  "<svg onload=alert(1)>",
  "javascript:alert(1)",
  "</text><foreignObject><iframe srcdoc=x></iframe></foreignObject>",
  "</title><a href='javascript:alert(1)'>x</a>",
  "]]><script>alert(1)</script>",
  "&lt;script&gt;alert(1)&lt;/script&gt;",
  "' onmouseover='alert(1)",
  "<!--><style>@import '//evil'</style>-->",
])("a report keeps %s as words, in its title, its program and the device's name", (words) => {
  const compilation = compile(`# ${words}\nx: f32[64]\ny = relu(x)\n`, {
    ...defaultOptions,
    profile: { ...defaultOptions.profile, name: words },
  });
  const html = reportHtml(compilation, null, { title: words, picture: null, link: null })!;
  const own = reportHtml(compile("# w\nx: f32[64]\ny = relu(x)\n", defaultOptions), null, {
    title: "w",
    picture: null,
    link: null,
  })!;
  const tags = (text: string): string[] => text.match(/<[/!]?[a-z][^>]*>/gi) ?? [];
  expect(tags(html)).toEqual(tags(own));
});
