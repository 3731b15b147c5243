import { describe, expect, test } from "vitest";
import {
  compile,
  findNode,
  kernelWords,
  fusionAt,
  titledOps,
  titleOf,
  type Step,
  defaultOptions,
  edgeId,
  nodeId,
  nodeName,
  settled,
  type Compilation,
  type CompileOptions,
  type Node,
} from "../../src/fusion";
import { allLessons, optionsFor } from "../../src/lessons";
import { placedBy, stillOf, stepNames, tagRect } from "../../src/picture";

/** Names that every object of JavaScript has. */
const PROTOTYPE = ["constructor", "toString", "__proto__", "valueOf", "hasOwnProperty", "isPrototypeOf"];

/** The program with its first names changed to those of the prototype. */
function renamed(text: string): string {
  const names = [...new Set([...text.matchAll(/^([A-Za-z_]\w*)\s*(?::|=(?!=))/gm)].map(([, name]) => name!))];
  return PROTOTYPE.reduce((program, to, i) => {
    const from = names[i];
    if (from === undefined) return program;
    // Not where it is a keyword of a call, nor an attribute.
    const uses = new RegExp(String.raw`(?<![\w.])${from}\b(?!(?<=[(,]\s*${from})\s*=(?!=))`, "g");
    return program.replaceAll(uses, to);
  }, text);
}

test("a program plans the same under names of the prototype", () => {
  let met = 0;
  for (const { id, text } of allLessons.filter(({ id }) => !id.includes("/"))) {
    const other = renamed(text);
    const plain = compile(text, defaultOptions);
    if (other === text || !plain.naivePlan) continue;
    const named = compile(other, defaultOptions);
    // Some texts use a name as a keyword too: that is another program.
    if (!named.naivePlan || named.drawn.nodes.size !== plain.drawn.nodes.size) continue;
    met++;
    expect([id, named.naivePlan.kernels.length, named.naivePlan.totals.bytes]).toEqual([
      id,
      plain.naivePlan.kernels.length,
      plain.naivePlan.totals.bytes,
    ]);
    expect([id, named.fusedPlan!.kernels.length, named.fusedPlan!.totals.bytes]).toEqual([
      id,
      plain.fusedPlan!.kernels.length,
      plain.fusedPlan!.totals.bytes,
    ]);
  }
  expect(met).toBeGreaterThan(30);
}, 240_000);

test("a choice for one name is no choice for one of the prototype", () => {
  const text =
    "constructor: f32[64, 64]\ntoString = exp(constructor)\n__proto__ = relu(toString)\nvalueOf = sum(__proto__)\n";
  const choices: readonly Partial<CompileOptions>[] = [
    { savedValues: { apart: true, choices: {} } },
    { knobs: { all: {}, kernels: { y: { threads: "64" } } } },
    { forbidden: [edgeId(nodeId("toString"), nodeId("__proto__"), 0)] },
  ];
  for (const change of choices) {
    const { fusedPlan } = compile(text, { ...defaultOptions, ...change });
    expect(fusedPlan!.kernels.every(({ wgsl }) => !/undefined|native code|NaN/.test(wgsl))).toBe(true);
  }
});

/** Every node of the program and of its steps, in order, with the step that made it; 0 is the program. */
function* versionsOf({ naive, steps }: Compilation): Generator<readonly [seq: number, node: Node]> {
  for (const node of naive!.graph.nodes.values()) yield [0, node];
  for (const { seq, patch } of steps) for (const node of patch?.addedNodes ?? []) yield [seq, node];
}

describe.each(allLessons.map((lesson) => [lesson.id, lesson] as const))("%s", (_, lesson) => {
  const compilation = compile(lesson.text, optionsFor(lesson, defaultOptions, null, defaultOptions));
  if (!compilation.naive) return;

  test("a node keeps its name until a step makes another op of it", () => {
    const known = new Map<string, Node>();
    const faults: string[] = [];
    for (const [seq, node] of versionsOf(compilation)) {
      const before = known.get(node.id);
      if (before?.op === node.op && nodeName(before) !== nodeName(node))
        faults.push(`step ${seq}: ${nodeName(before)} is called ${nodeName(node)}`);
      known.set(node.id, node);
    }
    expect(faults).toEqual([]);
  });

  test("titles, sentences and kernels call nodes as their boxes do", () => {
    const names = new Set<string>();
    const calls = new Set<string>();
    // A result's own name stands on its pill.
    const results = new Set(compilation.steps.flatMap(({ patch }) => patch?.outputs?.after ?? []));
    for (const id of compilation.naive!.graph.outputs) results.add(id);
    for (const [, node] of versionsOf(compilation)) {
      names.add(nodeName(node));
      if (results.has(node.id)) names.add(node.label);
      for (const { label } of node.groups) calls.add(label);
      // A derivative is `d_w`, and its kernel `matmul_d_w`; a kernel of a part of a call does not have the call's name.
      if (node.phase === "backward" || node.groups.some(({ id }) => id === node.id)) calls.add(node.op);
    }
    const faults: string[] = [];
    for (const step of compilation.steps) {
      const title = stepNames(compilation, step);
      const told = title.replace(/ \(.*\)$/, "").split(/ → |, | and (?:\d+ more)?/);
      for (const name of told) if (name !== "" && !names.has(name.replace(/^another /, ""))) faults.push(title);
      // Two ops are not called by one name as if they were one.
      if (new Set(told).size < told.filter((name) => !name.startsWith("another ")).length) faults.push(title);
      for (const [, word] of settled(step).text.matchAll(/`([^`]+)`/g))
        if (!names.has(word!) && !calls.has(word!)) faults.push(`step ${step.seq}: ${word}`);
    }
    const parts = new Set([...names, ...calls].flatMap((name) => name.split("_")));
    for (const { name } of compilation.fusedPlan!.kernels)
      if (!name.split("_").some((word) => parts.has(word))) faults.push(name);
    expect(faults).toEqual([]);
  });
});

/** Ops whose part the sentence itself tells: members of a kernel, what a path runs through, what would be computed again. */
const TOLD =
  /(?:(?:kernels? (?:of|for)|runs through) (?:(?:[a-z]+ )*`[^`]+`(?: ops)?(?:, | and ))*(?:[a-z]+ )*`[^`]+`|`[^`]+`(?= would be computed each time|| while the tile of `[^`]+`, which it reads as )|[^.]* (?:is|are) in the kernel of [^.]*\.|[^.]* leaves? the kernel of [^.]*\.)/gi;
const namesIn = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, name]) => name!);

/** Where a step's sentence and its title tell of different ops, as if they were the same. */
function otherOps(compilation: Compilation, step: Step): string[] {
  const { text, code } = settled(step);
  const { graph, regions } = fusionAt(compilation, step.seq - 1);
  const called = (ids: readonly Node["id"][]): string[] =>
    ids.flatMap((id) => findNode(graph, id) ?? []).map((each) => nodeName(each));
  const titled = called(titledOps(step));
  const inKernels = new Set(step.regions.from.flatMap((id) => called(regions.get(id)?.members ?? [])));
  const known = new Set([...titled, ...(step.edges.length === 1 ? [] : called(step.nodes))]);
  for (const [told] of text.matchAll(TOLD)) namesIn(told).forEach((name) => known.add(name));
  const said = namesIn(text);
  // What a rewrite folds, or a person forces, may be any op; a sentence about a whole kernel names what it stores.
  const strangers =
    step.kind === "graph" || code === "U_FORCE" ? [] : said.filter((name) => inKernels.has(name) && !known.has(name));
  const isPair = step.accepted && titled.length === 2 && stepNames(compilation, step).includes(" → ");
  const unsaid = titled.filter((name) => !said.includes(name) && !/ readers\b/.test(text));
  const isSilent = isPair
    ? unsaid.length > 0
    : said.length > 0 && unsaid.length === titled.length && !/\bkernels?\b/.test(text);
  return [...strangers, ...(isSilent ? [`not ${unsaid.join()}`] : [])];
}

test("no two steps of a program have one title", () => {
  let alike = 0;
  const faults = allLessons.flatMap((lesson) => {
    const compilation = compile(lesson.text, optionsFor(lesson, defaultOptions, null, defaultOptions));
    const titles = compilation.steps.map((step) => stepNames(compilation, step));
    alike += titles.filter((title) => title.endsWith(")")).length;
    return titles.flatMap((title, i) => (titles.indexOf(title) < i ? [`${lesson.id} ${i + 1}: ${title}`] : []));
  });
  expect(faults).toEqual([]);
  expect(alike).toBeGreaterThan(1000);
});

test("a title and its sentence tell of the same ops, or the sentence says in whose kernel the others are", () => {
  let told = 0;
  const faults = allLessons.flatMap((lesson) => {
    const compilation = compile(lesson.text, optionsFor(lesson, defaultOptions, null, defaultOptions));
    return compilation.steps.flatMap((step) => {
      if (settled(step).text.includes(" in the kernel of ")) told++;
      const others = otherOps(compilation, step);
      const title = stepNames(compilation, step);
      return others.length > 0 ? [`${lesson.id} ${step.seq}, ${title}: ${others.join()}: ${settled(step).text}`] : [];
    });
  });
  expect(faults).toEqual([]);
  expect(told).toBeGreaterThan(300);
});

test("ops that a sentence puts in one kernel are in one kernel", () => {
  let told = 0;
  const faults = allLessons.flatMap((lesson) => {
    const compilation = compile(lesson.text, optionsFor(lesson, defaultOptions, null, defaultOptions));
    return compilation.steps.flatMap((step) => {
      const { graph, regions } = fusionAt(compilation, step.seq - 1);
      const kernels = step.regions.from.map((id) =>
        (regions.get(id)?.members ?? []).flatMap((member) => findNode(graph, member) ?? []).map(nodeName),
      );
      const counts = (names: readonly string[], name: string): number => names.filter((each) => each === name).length;
      return [...settled(step).text.matchAll(/[^.]* are in the kernel of [^.]*\./g)].flatMap(([sentence]) => {
        told++;
        const names = namesIn(sentence);
        const isTrue = kernels.some((kernel) => names.every((name) => counts(kernel, name) >= counts(names, name)));
        return isTrue ? [] : [`${lesson.id} ${step.seq}: ${sentence}`];
      });
    });
  });
  expect(faults).toEqual([]);
  expect(told).toBeGreaterThan(20);
});

/** The kernels that compute an op after so many steps. */
const homesOf = (compilation: Compilation, cursor: number, id: Node["id"]): number =>
  [...fusionAt(compilation, cursor).regions.values()].filter(({ members }) => members.includes(id)).length;

const wholeMax = "x: f32[8192, 1024]\nm = x.max()\ne = exp(x - m)\ns = e.sum(-1, keepdim=True)\np = e / s\nreturn p";

test("only what two kernels compute afterwards is recomputed; what moves to its reader leaves the kernel that it was in", () => {
  const [told, moved] = [new Set<number>(), new Set<string>()];
  const programs = [
    ...allLessons.map((lesson) => compile(lesson.text, optionsFor(lesson, defaultOptions, null, defaultOptions))),
    compile(wholeMax, defaultOptions),
  ];
  const faults = programs.flatMap((compilation) =>
    compilation.steps.flatMap((step) => {
      if (!step.accepted || step.kind !== "fuse") return [];
      const { text } = settled(step);
      const way = step.cost?.alternatives.find(({ chosen }) => chosen)?.what ?? "";
      const homes = homesOf(compilation, step.seq, step.nodes[0]!);
      const isSaid = /recomput/i.test(text + way);
      if (isSaid) told.add(homes);
      if (/ leaves? the kernel of /.test(text)) moved.add(text);
      if (step.rule === "recomputed-output" && homes === 1 && !text.includes(" the kernel of ")) return [text];
      return isSaid && homes < 2 ? [`${step.seq}: ${text} (${way})`] : [];
    }),
  );
  expect(faults).toEqual([]);
  expect(told.size).toBeGreaterThan(1);
  expect([...moved].at(-1)).toMatch(
    /^Computing `exp` in the kernel of `sum` and `div` instead of storing it moves .+\. `sub` and `exp` leave the kernel of `max`\.$/,
  );
});

test("a headline names first what saves more of the time: memory traffic, or launches", () => {
  const titles = new Set<string>();
  const faults = allLessons.flatMap((lesson) => {
    const compilation = compile(lesson.text, optionsFor(lesson, defaultOptions, null, defaultOptions));
    return compilation.steps.flatMap((step) => {
      const [title, { code, numbers, text }] = [titleOf(step), settled(step)];
      const [without, withIt] = step.cost?.alternatives ?? [];
      if (code !== "A_BYTES" || !title.includes("memory traffic") || !without || !withIt) return [];
      titles.add(title);
      const ofLaunches = (numbers?.["launchMicros"] ?? 0) / (without.micros - withIt.micros);
      return title.startsWith("It saves memory") && ofLaunches > 0.5 ? [`${lesson.id} ${step.seq}: ${text}`] : [];
    });
  });
  expect(faults).toEqual([]);
  expect([...titles].toSorted()).toEqual([
    "It saves a launch and memory traffic.",
    "It saves launches and memory traffic.",
    "It saves memory traffic.",
  ]);
});

test("a title calls ops as the step found them, also what a rewrite replaced", () => {
  const { text } = allLessons.find(({ id }) => id === "splade-head")!;
  const compilation = compile(text, defaultOptions);
  const first = compilation.steps.find(({ rule }) => rule === "maximum-first")!;
  expect(stepNames(compilation, first)).toBe("relu → log1p → max");
});

test("a kernel of many ops is named after what it computes, not after what prepares indices and masks", () => {
  const rope = [
    "x: f32[128, 64]\nk: f32[128, 64]\nv: f32[128, 64]",
    "t = arange(128).reshape(128, 1) * exp(arange(64) * -0.1)",
    "q = x * cos(t) + flip(x, dims=(1,)) * sin(t)",
    "s = where(arange(128).reshape(128, 1) >= arange(128), q @ k.T, -inf)",
    "y = softmax(s, dim=-1) @ v",
  ].join("\n");
  const names = compile(rope, defaultOptions).fusedPlan!.kernels.map(({ name }) => name);
  expect(names).toEqual(["scaled_dot_product_attention"]);
});

test("over a column without an op stands no pass", () => {
  let told = 0;
  const faults = allLessons.flatMap((lesson) => {
    const compilation = compile(lesson.text, optionsFor(lesson, defaultOptions, null, defaultOptions));
    const { naive, fusedPlan: plan, steps } = compilation;
    if (![...(naive?.graph.nodes.values() ?? [])].some(({ phase }) => phase === "backward")) return [];
    const shown = { compilation, cursor: steps.length, plan, layout: placedBy(compilation), moved: {} };
    return [true, false].flatMap((folds) => {
      const { headings, scene } = stillOf({ ...shown, folds });
      told += headings.length;
      const isEmpty = scene.nodes.every(({ kind, late }) => kind === "output" || kind === "input" || !late);
      return headings.length > 0 && isEmpty ? [`${lesson.id}, ${folds ? "folded" : "open"}`] : [];
    });
  });
  expect(faults).toEqual([]);
  expect(told).toBeGreaterThan(10);
});

test("no kernel's name covers a box", () => {
  const faults: string[] = [];
  for (const lesson of allLessons.filter(({ id }) => !id.includes("/"))) {
    const compilation = compile(lesson.text, optionsFor(lesson, defaultOptions, null, defaultOptions));
    if ((compilation.naive?.graph.nodes.size ?? Infinity) > 40) continue;
    const layout = placedBy(compilation);
    const cursor = compilation.steps.length;
    const plan = compilation.fusedPlan;
    const { hulls, boxes } = stillOf({ compilation, cursor, plan, layout, moved: {}, folds: true });
    for (const { tag, kernel } of hulls) {
      const { x0, x1, y0, y1 } = tagRect(tag);
      for (const [id, { x, y, width, height }] of boxes)
        if (x0 < x + width && x < x1 && y0 < y + height && y < y1)
          faults.push(`${lesson.id}: ${kernel.name} ${kernel.title} covers ${id}`);
    }
  }
  expect(faults).toEqual([]);
});

test.each([
  "x: f32[2048, 512]\ny = x - x.mean(dim=0, keepdim=True)\n",
  "x: f32[512, 64]\ne: f32[64, 2048]\ny = (x @ e).max(dim=0)\n",
  "x: f32[256, 4096]\ny = x.cumsum(dim=0) * 2\n",
])("what is folded along columns is called so, in the decision and in the schedule: %s", (text) => {
  const { steps, fusedPlan } = compile(text, defaultOptions);
  const said = [...steps.map((step) => settled(step).text), ...fusedPlan!.kernels.map(({ schedule }) => schedule)];
  expect(said.join(" ")).toMatch(/column/);
  expect(said.join(" ")).not.toMatch(/(per|each|neighbouring|of|same) rows?\b/);
});

test("the kernel of one op of a call is called as its box is", () => {
  let met = 0;
  for (const lesson of allLessons) {
    const options = { ...optionsFor(lesson, defaultOptions, null, defaultOptions), granularity: "primitive" } as const;
    const { naive, naivePlan } = compile(lesson.text, options);
    for (const { id, name, region } of naivePlan?.kernels ?? []) {
      const members = naive!.regions.get(region)!.members.flatMap((each) => findNode(naive!.graph, each) ?? []);
      const [only] = members;
      const call = only?.groups.find(({ kind, recognised }) => kind === "composite" && !recognised);
      if (members.length > 1 || !only || !call || only.cotangentOf !== undefined || only.id !== call.id) continue;
      met++;
      expect([lesson.id, id, kernelWords(name).split(" ")[0]]).toEqual([
        lesson.id,
        id,
        kernelWords(nodeName(only)).split(" ")[0],
      ]);
    }
  }
  expect(met).toBeGreaterThan(20);
});
