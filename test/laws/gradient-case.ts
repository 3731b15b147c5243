/** @file A random program together with its gradients: forward and backward as one graph. */
import { parseProgram } from "../../src/fusion/text";
import type { Case } from "./plan-laws";

/** The program with the gradients of its last float value by its float inputs; null where there is none. */
export function differentiated({ text, ways }: Case): Case | null {
  const { graph } = parseProgram(text);
  const smooth = (dtype: string): boolean => dtype === "f32";
  const last = [...graph.nodes.values()].findLast(({ id, type }) => /^v\d+$/.test(id) && smooth(type.dtype));
  const inputs = [...graph.nodes.values()].filter(({ op, type }) => op === "input" && smooth(type.dtype));
  if (!last || inputs.length === 0) return null;
  const body = text.replace(/^return .*$/m, "");
  const grads = inputs.map(({ id }) => `d_${id} = ${id}.grad\n`).join("");
  const whole = `${body}\nloss = sum(tanh(${last.id}))\nloss.backward()\n${grads}return loss, ${inputs.map(({ id }) => `d_${id}`).join(", ")}\n`;
  return parseProgram(whole).complete ? { text: whole, ways } : null;
}
