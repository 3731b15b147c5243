/** @file Pasted classes in tests: with the call that is offered, their mistakes, their ops and weights. */
import { applyTextEdits } from "../edits/apply";
import { parseProgram } from "../program";

/** The text after every fix that calls a class or declares made data. */
export function mended(text: string): string {
  let now = text;
  for (let iteration = 0; iteration < 8; iteration++) {
    const wrong = parseProgram(now).diagnostics.find(
      ({ code, fixes }) => /^(class|import|source)/.test(code) && (fixes ?? []).length > 0,
    );
    if (!wrong) return now;
    now = applyTextEdits(now, wrong.fixes![0]!.edits);
  }
  return now;
}

export const errors = (text: string): string[] =>
  parseProgram(text)
    .diagnostics.filter(({ severity }) => severity === "error")
    .map((each) => `${each.line}: ${each.text}`);
export const opsOf = (text: string): Map<string, number> => {
  const counts = new Map<string, number>();
  const { graph, calls } = parseProgram(text);
  const composites = calls.filter(({ kind }) => kind === "composite").map(({ label }) => label);
  for (const name of [...[...graph.nodes.values()].map(({ op }) => op), ...composites])
    counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
};

/** `fc.weight 8×16`, in the order in which the program meets them. */
export const weightsOf = (text: string): string[] =>
  [...parseProgram(text).graph.nodes.values()]
    .filter(({ op, attrs }) => op === "input" && attrs["role"] === "param")
    .map(({ label, type }) => `${label} ${type.shape.join("×")}`);

/** The lines that the fix added. */
export const added = (text: string): string[] => {
  const lines = mended(text).split("\n");
  return lines.slice(lines.findIndex((line) => line.startsWith("# Example sizes")) + 1).filter((line) => line !== "");
};
