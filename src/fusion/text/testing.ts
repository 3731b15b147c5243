/** @file Pictures of parsed programs for tests: one line a node, one line a problem. */
import type { Parsed } from "./program";
import { parseProgram } from "./program";
import { showType } from "../ir";

/** `y = relu(x) f32[4, 8]`, literals as their value, holes as `...`. */
export function picture(text: string): string[] {
  const { graph, unknown } = parseProgram(text);
  const operand = (id: string): string => {
    const node = [...graph.nodes.values()].find((one) => one.id === id)!;
    return node.op === "const" ? String(node.attrs["value"]) : node.op === "hole" ? "..." : id;
  };
  return [...graph.nodes.values()]
    .filter(({ op }) => op !== "const" && op !== "hole")
    .map(
      ({ id, op, inputs, type }) =>
        `${id} = ${op}(${inputs.map(operand).join(", ")}) ${unknown.has(id) ? "?" : showType(type)}`,
    );
}

/** `2:5 unknown-op No op is called …` */
export const problems = (parsed: Parsed | string): string[] =>
  (typeof parsed === "string" ? parseProgram(parsed) : parsed).diagnostics.map(
    ({ line, column, code, text }) => `${line}:${column} ${code} ${text}`,
  );
