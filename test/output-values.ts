/** @file What a program computes, by the reference: for tests of the language that ask for values, not for graphs. */
import { inputData, parseProgram, runReference, type TensorType } from "../src/fusion";

export interface OutputValue {
  readonly name: string;
  readonly type: TensorType;
  /** Row-major, in 64 bits. */
  readonly data: readonly number[];
}

/** The outputs of `text`, computed with the data that its inputs are declared with. */
export function outputValues(text: string): readonly OutputValue[] {
  const { graph, outputs, diagnostics } = parseProgram(text);
  const wrong = diagnostics.find(({ severity }) => severity === "error");
  if (wrong) throw new Error(`${wrong.line}:${wrong.column} ${wrong.text}`);
  const inputs = new Map(
    [...graph.nodes.values()].filter(({ op }) => op === "input").map((node) => [node.id, inputData(node)] as const),
  );
  const values = runReference(graph, inputs, { precision: "f64" });
  return outputs.map((id) => ({ name: id, type: graph.nodes.get(id)!.type, data: Array.from(values.get(id)!.data) }));
}

/** The data that the input of `text` whose name ends so begins with. */
export function inputValues(text: string, ending: string): readonly number[] {
  const { graph } = parseProgram(text);
  const found = [...graph.nodes.values()].find(({ op, label }) => op === "input" && label.endsWith(ending));
  return found ? Array.from(inputData(found)) : [];
}
