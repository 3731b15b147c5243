/** @file Laws of the typed language: text and graph follow each other, and edits of one are edits of the other. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { edgeId, node, type Graph, type NodeId, type TextEdit, isWithin } from "../../src/fusion/ir";
import {
  applyTextEdits,
  connect,
  disconnect,
  legalTargets,
  parseProgram,
  printGraph,
  removeNode,
  renameNode,
  setAttr,
  type Edited,
  type Parsed,
} from "../../src/fusion/text";
import { structure, textProgram, unread } from "./text-program";

/** The soak asks for more, and from another start. */
const RUNS = 60 * Number(process.env["LAW_FACTOR"] ?? 1);
const SEED = Number(process.env["LAW_SEED"] ?? 20260101);

function read(text: string): Parsed {
  const parsed = parseProgram(text);
  const errors = parsed.diagnostics.filter(({ severity }) => severity === "error");
  if (errors.length > 0)
    throw new Error(`${errors.map((error) => `${error.line}: ${error.text}`).join("\n")}\n${text}`);
  return parsed;
}

/** Edits that take `edits` back. */
function inverse(text: string, edits: readonly TextEdit[]): readonly TextEdit[] {
  let shift = 0;
  return edits
    .toSorted((a, b) => a.span.from - b.span.from)
    .map(({ span, insert }) => {
      const from = span.from + shift;
      shift += insert.length - (span.to - span.from);
      return { span: { from, to: from + insert.length }, insert: text.slice(span.from, span.to) };
    });
}

function done(text: string, edited: Edited): { readonly text: string; readonly ids: ReadonlyMap<NodeId, NodeId> } {
  if (!edited.ok) throw new Error(`${edited.text}\n${text}`);
  const after = applyTextEdits(text, edited.edits);
  expect(applyTextEdits(after, inverse(text, edited.edits))).toBe(text);
  expect(after.match(/#.*/g)?.sort()).toEqual(text.match(/#.*/g)?.sort());
  return { text: after, ids: edited.ids };
}

const returns = (parsed: Parsed): boolean => parsed.statements.some(({ kind }) => kind === "return");

/** The graph after an edit of its nodes; without a `return`, outputs follow from what is read. */
function withNodes(
  parsed: Parsed,
  nodes: ReadonlyMap<NodeId, Graph extends { nodes: ReadonlyMap<NodeId, infer N> } ? N : never>,
): Graph {
  const graph: Graph = { nodes, outputs: parsed.graph.outputs };
  return returns(parsed) ? graph : { nodes, outputs: unread(graph) };
}

/** Top-level nodes that are written once: no def, no loop turn, no part. */
const simple = (parsed: Parsed, id: NodeId): boolean =>
  !parsed.partOf.has(id) && node(parsed.graph, id).groups.every(({ kind }) => kind === "composite");

describe("reading and printing", () => {
  test("what is printed reads as the same graph", () => {
    fc.assert(
      fc.property(textProgram, (text) => {
        const { graph } = read(text);
        const again = read(printGraph(graph)).graph;
        const named = (of: Graph): Graph => ({
          ...of,
          nodes: new Map([...of.nodes].map(([id, one]) => [id, { ...one, label: one.label.replaceAll(/\W+/g, "_") }])),
        });
        expect(structure(named(again), "types")).toEqual(structure(named(graph), "types"));
      }),
      { numRuns: RUNS, seed: SEED },
    );
  });

  test("printing twice prints the same", () => {
    fc.assert(
      fc.property(textProgram, (text) => {
        const printed = printGraph(read(text).graph);
        expect(printGraph(read(printed).graph)).toBe(printed);
      }),
      { numRuns: RUNS, seed: SEED },
    );
  });

  test("every node's span lies in the text and reading is repeatable", () => {
    fc.assert(
      fc.property(textProgram, (text) => {
        const { graph } = read(text);
        for (const { span } of graph.nodes.values())
          expect(span!.from < span!.to && span!.to <= text.length).toBe(true);
        expect(structure(read(text).graph, "types")).toEqual(structure(graph, "types"));
      }),
      { numRuns: 50 },
    );
  });
});

/** `parsed` with the operand's value replaced wherever the argument is read. */
function rewired(parsed: Parsed, consumer: NodeId, operand: number, producer: NodeId | null): Graph {
  const call = parsed.partOf.get(consumer) ?? consumer;
  const composite = parsed.sites.get(call)!.op?.kind === "composite" || parsed.sites.get(call)!.op === null;
  const old = node(parsed.graph, consumer).inputs[operand]!;
  const nodes = new Map(parsed.graph.nodes);
  const hole = { ...node(parsed.graph, old), id: "…" as NodeId, op: "hole", inputs: [], attrs: {} };
  if (producer === null) nodes.set(hole.id, hole);
  for (const one of parsed.graph.nodes.values()) {
    if (one.id !== call && parsed.partOf.get(one.id) !== call) continue;
    const inputs = one.inputs.map((input, i) =>
      (composite ? input === old : i === operand) && input === old ? (producer ?? hole.id) : input,
    );
    nodes.set(one.id, { ...one, inputs });
  }
  return withNodes(parsed, nodes);
}

describe("edits", () => {
  test("connecting in the drawing is connecting in the text", () => {
    let connected = 0;
    let refusedLate = 0;
    fc.assert(
      fc.property(textProgram, fc.nat(), fc.nat(), (text, a, b) => {
        const parsed = read(text);
        const producers = [...parsed.graph.nodes.keys()].filter((id) => node(parsed.graph, id).op !== "const");
        const producer = producers[a % producers.length]!;
        const targets = legalTargets(parsed, producer).filter(({ ok, consumer }) => ok && simple(parsed, consumer));
        const target = targets[b % Math.max(targets.length, 1)];
        if (!target) return;
        const old = node(parsed.graph, node(parsed.graph, target.consumer).inputs[target.operand]!);
        // What an index or a transpose is made of follows from the rank.
        if (old.type.shape.length !== node(parsed.graph, producer).type.shape.length) return;
        const edited = connect(text, producer, target.consumer, target.operand);
        if (!edited.ok) {
          refusedLate++;
          return;
        }
        const after = parseProgram(done(text, edited).text);
        // A value of another shape may not suit those who read the consumer: that is for the text to say.
        if (after.diagnostics.some(({ severity }) => severity === "error")) return;
        connected++;
        expect(structure(after.graph, "attrs").nodes).toEqual(
          structure(rewired(parsed, target.consumer, target.operand, producer), "attrs").nodes,
        );
      }),
      { numRuns: RUNS, seed: SEED },
    );
    expect(connected).toBeGreaterThan(RUNS / 8);
    expect(refusedLate).toBeLessThan(connected / 3);
  });

  test("cutting an edge leaves everything else", () => {
    fc.assert(
      fc.property(textProgram, fc.nat(), (text, a) => {
        const parsed = read(text);
        const edges = [...parsed.graph.nodes.values()].flatMap(({ id, inputs }) =>
          simple(parsed, id) ? inputs.map((input, operand) => ({ id, input, operand })) : [],
        );
        const edge = edges[a % Math.max(edges.length, 1)];
        if (!edge) return;
        const edited = disconnect(text, edgeId(edge.input, edge.id, edge.operand));
        if (!edited.ok && /locked/.test(edited.text)) return;
        const after = parseProgram(done(text, edited).text);
        expect(structure(after.graph, "ops").nodes).toEqual(
          structure(rewired(parsed, edge.id, edge.operand, null), "ops").nodes,
        );
      }),
      { numRuns: RUNS, seed: SEED },
    );
  });

  test("a new name changes names only", () => {
    fc.assert(
      fc.property(textProgram, fc.nat(), (text, a) => {
        const parsed = read(text);
        const ids = [...parsed.graph.nodes.keys()].filter(
          (id) =>
            !parsed.partOf.has(id) && node(parsed.graph, id).op !== "const" && node(parsed.graph, id).op !== "input",
        );
        const id = ids[a % Math.max(ids.length, 1)];
        if (id === undefined) return;
        const edited = renameNode(text, id, "fresh");
        if (!edited.ok && /has no name|would change|outside/.test(edited.text)) return;
        const after = done(text, edited);
        const graph = read(after.text).graph;
        expect(structure(graph, "types")).toEqual(structure(parsed.graph, "types"));
        for (const [from, to] of after.ids)
          expect([node(parsed.graph, from).op, graph.nodes.get(to)?.op]).toEqual([
            node(parsed.graph, from).op,
            node(parsed.graph, from).op,
          ]);
      }),
      { numRuns: RUNS, seed: SEED },
    );
  });

  test("deleting leaves `...` and everything else", () => {
    fc.assert(
      fc.property(textProgram, fc.nat(), (text, a) => {
        const parsed = read(text);
        const ids = [...parsed.graph.nodes.keys()].filter(
          (id) => simple(parsed, id) && node(parsed.graph, id).op !== "const",
        );
        const id = ids[a % ids.length]!;
        const edited = removeNode(text, id);
        if (!edited.ok) throw new Error(edited.text);
        const gone = new Set([...parsed.graph.nodes.keys()].filter((other) => isWithin(other, id)));
        const nodes = new Map([...parsed.graph.nodes].filter(([other]) => !gone.has(other)));
        const hole = { ...node(parsed.graph, id), id: "…" as NodeId, op: "hole", inputs: [], attrs: {} };
        for (const [key, one] of nodes)
          nodes.set(key, { ...one, inputs: one.inputs.map((input) => (gone.has(input) ? hole.id : input)) });
        nodes.set(hole.id, hole);
        const after = applyTextEdits(text, edited.edits);
        expect(applyTextEdits(after, inverse(text, edited.edits))).toBe(text);
        expect(structure(parseProgram(after).graph, "ops").nodes).toEqual(
          structure({ nodes, outputs: [] }, "ops").nodes,
        );
      }),
      { numRuns: RUNS, seed: SEED },
    );
  });

  test("an attribute that is set is the attribute that is read", () => {
    fc.assert(
      fc.property(textProgram, fc.nat(), fc.boolean(), (text, a, keep) => {
        const parsed = read(text);
        const ids = [...parsed.graph.nodes.values()].filter(
          ({ id, attrs }) =>
            simple(parsed, id) && attrs["keepdims"] !== undefined && parsed.sites.get(id)?.op?.kind === "reduce",
        );
        const one = ids[a % Math.max(ids.length, 1)];
        if (!one) return;
        const edited = setAttr(text, one.id, "keepdims", keep ? "True" : "False");
        if (!edited.ok) return;
        expect(parseProgram(done(text, edited).text).graph.nodes.get(one.id)?.attrs["keepdims"]).toBe(keep);
      }),
      { numRuns: RUNS, seed: SEED },
    );
  });
});
