/** @file The bench page: every program's ONNX model computes what its text does; turns, verdicts and tables. */
import { expect, test } from "vitest";
import { compete, type Cell } from "../bench/page/measure";
import { OnnxModel } from "../bench/page/onnx-model";
import { pagePrograms, type PageProgram } from "../bench/page/programs";
import type { Contender, Task } from "../bench/page/runner";
import { csvOf, markdownOf, type Table } from "../bench/page/table";
import { distance, quickData } from "../bench/suite-data";
import { compile, defaultOptions, runReference, type Graph, type NodeId } from "../src/fusion";
import { importOnnx } from "../src/import";

const graphOf = (text: string): Graph => {
  const { drawn, diagnostics } = compile(text, { ...defaultOptions, level: 0 });
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  return drawn;
};

const inputsOf = ({ nodes }: Graph): { readonly id: NodeId; readonly shape: readonly number[] }[] =>
  [...nodes.values()].filter(({ op }) => op === "input").map(({ id, type }) => ({ id, shape: type.shape }));

/** What the graph computes of the inputs of the program's text, one after the other. */
function answersOf(graph: Graph, source: Graph): Float32Array[] {
  const own = inputsOf(graph);
  const data = inputsOf(source).map(({ id }, i) => [own[i]!.id, quickData(source.nodes.get(id)!, i + 1)] as const);
  const values = runReference(graph, new Map(data));
  return graph.outputs.map((id) => Float32Array.from(values.get(id)!.data));
}

function modelOf(program: PageProgram, source: Graph): Uint8Array {
  const model = new OnnxModel();
  const given = inputsOf(source).map(({ shape }, i) => model.input(`i${i}`, shape));
  for (const [i, value] of program.onnx(model, ...given).entries())
    model.output(`o${i}`, value, source.nodes.get(source.outputs[i]!)!.type.shape);
  return model.bytes();
}

// Its own op for rows scaled by their root mean square belongs to ONNX Runtime alone.
const standard = pagePrograms(16).filter(({ name }) => name !== "add, rms_norm");

test.each(standard)("the ONNX model of $name computes what its text does", (program) => {
  const source = graphOf(program.text);
  const read = importOnnx(modelOf(program, source));
  if (!read.ok) throw new Error(read.text);
  const got = answersOf(graphOf(read.value.text), source);
  const want = answersOf(source, source);
  expect(got).toHaveLength(want.length);
  for (const [i, data] of got.entries()) expect(distance(data, want[i]!)).toBeLessThan(1e-5);
});

/** A library that takes `millis` a run and answers `answer`. */
const fake = (name: string, millis: number, answer: number, log: string[] = []): Contender => ({
  name,
  version: "1",
  prepare: async () => ({
    async run(count) {
      log.push(name);
      return millis * count;
    },
    results: async () => [Float32Array.of(answer)],
    close: async () => void log.push(`${name} closed`),
  }),
});

const broken: Contender = {
  name: "broken",
  version: "1",
  prepare: () => Promise.reject(new Error("No such op.\nA long story.")),
};

test("libraries take turns; a wrong answer or a refusal is said instead", async () => {
  const log: string[] = [];
  const contenders = [fake("a", 2, 1, log), broken, fake("b", 0.5, 1, log), fake("c", 1, 3)];
  const cells = await compete({} as Task, contenders, { sampleMillis: 8, samples: 3 });
  expect(cells.map(({ median, runs }) => [median, runs])).toEqual([
    [2, 2],
    [Number.NaN, 0],
    [0.5, 8],
    [1, 4],
  ]);
  expect(cells.map(({ problem }) => problem)).toEqual([
    null,
    "No such op.",
    null,
    "Its answer is 2.0e+0 away from ours.",
  ]);
  expect(log.slice(-8)).toEqual(["a", "b", "a", "b", "a", "b", "a closed", "b closed"]);
});

test("the table keeps what it was measured with, and says why a time is missing", () => {
  const cell = { contender: "x", problem: null, median: 0.5, spread: 0.1, samples: [], runs: 4, apart: 0 };
  const cells: Cell[] = [cell, { ...cell, contender: "y", problem: 'No "a|b", sorry.' }];
  const contenders = [
    { name: "x", version: "" },
    { name: "y", version: "1.2" },
  ];
  const setting = { date: "2026-11-23", browser: "Chromium 1", adapter: "gpu", clock: "clock", quantumMicros: 100 };
  const table: Table = { setting: { ...setting, divide: 2, contenders }, rows: [{ program: "p", text: "", cells }] };
  const markdown = markdownOf(table);
  for (const part of ["Chromium 1", "Adapter: gpu", "steps of 100 µs", "divided by 2", "y 1.2"])
    expect(markdown).toContain(part);
  expect(markdown).toContain('| p | 0.500 (10 %) | No "a\\|b", sorry. |');
  expect(csvOf(table).split("\n")[2]).toMatch(/^p,y,1\.2,0\.5,0\.1,4,0,"No ""a\|b"", sorry\.",2026-11-23/);
});
