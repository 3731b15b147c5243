import { expect, test } from "vitest";
import { compile, defaultOptions, fusionAt, parseEdgeId } from "../fusion";
import type { Compilation, EdgeId, Step } from "../fusion";
import { cardOfEdge, cardOfStep } from "./decision";
import { nameIn } from "./step-names";
import { lastWords, marksOf } from "./marks";
import { sceneOf } from "./scene";
import { stepNames } from "./step-names";
import { LOG_RELU, TWO_READERS, compiled } from "./test-scenes";

const graphAt = (compilation: Compilation, cursor: number) => fusionAt(compilation, cursor).graph;
const sceneFor = (compilation: Compilation, cursor: number) => sceneOf(fusionAt(compilation, cursor), null);

test("the card of an accepted step says what it saves, both ways, and offers to forbid it", () => {
  const compilation = compiled(LOG_RELU);
  const step = compilation.steps.find(({ accepted, edge }) => accepted && edge)!;
  const card = cardOfStep(compilation, step, defaultOptions);
  expect(card.question).toBe("Why fused?");
  expect(card.kick).toMatch(/^Step \d+: \w+ → \w+$/);
  expect(card.verdicts.map(({ text }) => text)).toEqual(["Allowed", "Worth it"]);
  const [time] = card.bars;
  expect([time!.title, time!.bars[0]!.part, time!.bars.map(({ chosen }) => chosen)]).toEqual([
    "Predicted time of these kernels",
    1,
    [false, true],
  ]);
  expect(card.reason).toBe(step.profitable!.text);
});

test("a card calls what its step removed by its name, never by its path in the graph", () => {
  const compilation = compiled("x: f32[64, 32]\nw: f32[32]\nb: f32[32]\ny = layer_norm(x, w, b)");
  const removing = compilation.steps.filter(({ patch }) => (patch?.removedNodes.length ?? 0) > 0);
  const kicks = removing.map((step) => cardOfStep(compilation, step, defaultOptions).kick);
  expect(kicks[0]).toBe("Step 1: centre_again → centre in layer_norm");
  expect(kicks.filter((kick) => /[/@#]/.test(kick))).toEqual([]);
});

test("an arrow stands only where one op feeds the other", () => {
  const programs = [
    TWO_READERS,
    "x: f32[64, 64]\na = relu(x @ x)\nb = exp(x @ x)\nc = tanh(x)\n",
    "x: f32[64, 1024]\ns = sort(softmax(x, dim=-1), descending=True)\nc = cumsum(s, dim=-1)\ny = where(c - s < 0.9, s, 0.0)\n",
    "x: f32[64, 256]\nw: f32[256]\nb: f32[256]\ny = x + gelu(layer_norm(x, w, b))\n",
  ];
  const seen = new Set<string>();
  for (const text of programs) {
    const compilation = compiled(text);
    for (const step of compilation.steps.filter(({ kind }) => kind !== "graph")) {
      const pairs = [...step.edges, ...(step.edge ? [step.edge] : [])].map((edge) => {
        const { producer, consumer } = parseEdgeId(edge)!;
        return [producer, consumer];
      });
      const [first, ...others] = stepNames(compilation, step).split(" → ");
      seen.add(others.length > 0 ? "arrow" : "list");
      if (others.length === 0) continue;
      const fed = pairs.map(([from, to]) => [from, to].map((id) => nameIn(graphAt(compilation, step.seq - 1), id!)));
      expect(fed).toContainEqual([first, others[0]!.split(/, | and /)[0]]);
    }
  }
  expect(seen).toEqual(new Set(["arrow", "list"]));
});

test("a refusal that is not worth it keeps both verdicts apart and may be forced", () => {
  const compilation = compiled(TWO_READERS);
  const step = compilation.steps.find(({ accepted, legal }) => !accepted && legal.ok)!;
  const card = cardOfStep(compilation, step, defaultOptions);
  expect(card.question).toBe("Why not fused?");
  expect(card.verdicts.map(({ text }) => text)).toEqual(["Allowed", "Not worth it"]);
  expect(card.cannotForce).toBeNull();
});

test("what is not allowed can't be forced, and the card says why", () => {
  const compilation = compiled(LOG_RELU);
  const step = compilation.steps[0]!;
  const legal = {
    ok: false,
    code: "L_CYCLE" as const,
    text: "It would wait for itself.",
    nodes: [],
    remedy: "Fuse `b` too.",
  };
  const refused: Step = { ...step, accepted: false, legal, profitable: null };
  const card = cardOfStep(compilation, refused, defaultOptions);
  expect(card.cannotForce).toMatch(/^Not allowed/);
  expect(card.verdicts.map(({ text }) => text)).toEqual(["Not allowed"]);
  expect(card.remedy).toEqual({ question: "What would make it fuse?", text: "Fuse `b` too." });
  const rewrite = cardOfStep(compilation, { ...refused, kind: "graph" }, defaultOptions);
  expect([rewrite.question, rewrite.remedy!.question]).toEqual(["Why not rewritten?", "What would change that?"]);
});

test("a remedy that names a choice may be tried; edges have their own buttons", () => {
  const compilation = compiled(LOG_RELU);
  const step = compilation.steps[0]!;
  const refusal = { ok: false, code: "L_STRICT" as const, text: "No.", nodes: [], remedy: "Switch it off." };
  const cardFor = (remedyOptions: object) =>
    cardOfStep(
      compilation,
      { ...step, accepted: false, legal: { ...refusal, remedyOptions }, profitable: null },
      defaultOptions,
    );
  expect(cardFor({ strict: false }).remedyOptions).toEqual({ strict: false });
  expect(cardFor({ forced: [step.edges[0]!] }).remedyOptions).toBeNull();
  expect(cardOfStep(compilation, step, defaultOptions).remedyOptions).toBeNull();
});

test("a boundary says why its value stays in memory", () => {
  const [edge] = compiled(LOG_RELU).steps.find((each) => each.accepted && each.edge)!.edges as [EdgeId];
  const options = { ...defaultOptions, forbidden: [edge], kept: [{ edge, reason: "backward" as const }] };
  const planned = compile(LOG_RELU, options);
  const refused = planned.steps.find(({ legal }) => legal.code === "U_USER_BARRIER")!;
  expect(refused.legal.text).toMatch(/goes through memory: the backward pass needs it\.$/);
  expect(cardOfStep(planned, refused, options).forbidReason).toBe("backward");
  const plain = compile(LOG_RELU, { ...options, kept: undefined });
  expect(plain.fusedPlan!.kernels.map(({ wgsl }) => wgsl)).toEqual(planned.fusedPlan!.kernels.map(({ wgsl }) => wgsl));
});

test("an edge answers with its last decision so far and names the others", () => {
  const compilation = compiled(TWO_READERS);
  const end = compilation.steps.length;
  const edge = sceneFor(compilation, end).edges.find(({ from, to }) => from === "t" && to === "z1")!;
  const decided = compilation.steps.filter(({ edges }) => edges.includes(edge.id));
  const card = cardOfEdge(
    compilation,
    { graph: graphAt(compilation, end), cursor: end },
    edge,
    decided,
    defaultOptions,
  );
  expect(card.question).toBe("Why fused?");
  expect(card.others).toHaveLength(decided.length - 1);
});

test("edges of inputs and results say why they stay in memory", () => {
  const compilation = compiled(LOG_RELU);
  const graph = graphAt(compilation, 0);
  const edges = sceneFor(compilation, 0).edges;
  const cardFrom = (from: string) =>
    cardOfEdge(
      compilation,
      { graph, cursor: 0 },
      edges.find((edge) => edge.from === from)!,
      [],
      defaultOptions,
    );
  expect(cardFrom("x").answer).toBe("An input.");
  expect(cardFrom("y")).toMatchObject({ kick: "log → y", answer: "A result of the program." });
});

test("a pin shows on the card and on the line", () => {
  const compilation = compiled(LOG_RELU);
  const edge = sceneFor(compilation, 0).edges.find(({ from }) => from === "y/0")!;
  const options = { ...defaultOptions, forbidden: [edge.id] };
  expect(cardOfEdge(compilation, { graph: graphAt(compilation, 0), cursor: 0 }, edge, [], options).pin).toBe(
    "forbidden",
  );
  expect(marksOf([edge], null, new Map(), options).get(edge.id)?.pin).toBe("forbidden");
});

test("the candidate's line has the disc; what an earlier step refused keeps a small mark until it is fused", () => {
  const compilation = compiled(TWO_READERS);
  const refusal = compilation.steps.find(({ accepted }) => !accepted)!;
  const { edges } = sceneFor(compilation, refusal.seq);
  const words = lastWords(compilation.steps, refusal.seq);
  const marks = [...marksOf(edges, refusal, words, defaultOptions).values()];
  expect(marks.filter(({ candidate }) => candidate?.disc)).toHaveLength(1);
  expect(marks.every(({ refused }) => refused)).toBe(true);
  const later = lastWords(compilation.steps, compilation.steps.length);
  expect(later.get(refusal.edges[0] as EdgeId)).toBe(true);
});

test("a step that asks again names what earlier steps asked of the same pair, and what came of it", () => {
  const compilation = compiled("q: f32[1024, 64]\nk: f32[1024, 64]\np = softmax(q @ k.T, dim=-1)\n");
  const cards = compilation.steps.map((step) => cardOfStep(compilation, step, defaultOptions));
  const again = cards.filter(({ others }) => others.some(({ takes }) => !takes));
  expect(again.map(({ asks, others }) => [asks, others.map(({ text }) => text)])).toEqual([
    ["keep rows of a matmul in one kernel", ["fuse epilogues into matmuls: not allowed (reduction boundary)"]],
  ]);
});

test("a refusal names the step that does it after all, unless that waits for a prediction", () => {
  const compilation = compiled(TWO_READERS);
  const { steps } = compilation;
  const taken = steps.flatMap((step) => {
    const others = (known: number) => cardOfStep(compilation, step, defaultOptions, { known }).others;
    const later = others(Infinity).find(({ takes }) => takes);
    if (!later) return [];
    expect(others(later.seq - 1).some(({ takes }) => takes)).toBe(false);
    expect([step.accepted, steps.find(({ seq }) => seq === later.seq)?.accepted]).toEqual([false, true]);
    return `${step.pass} ${later.text}`;
  });
  expect(taken).toEqual([
    "producer-consumer several outputs from one kernel: accepted (it saves launches and memory traffic)",
  ]);
});

test("a step between ops that are called alike tells them apart", () => {
  const compilation = compiled("x: f32[64, 64]\ny = tanh(tanh(x))\n");
  const [card] = compilation.steps.map((step) => cardOfStep(compilation, step, defaultOptions));
  expect(card!.kick).toBe("Step 1: tanh → another tanh");
  expect(card!.reason).toMatch(/^Merging `tanh` into the next `tanh`/);
});
