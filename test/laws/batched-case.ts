/** @file A random program written for one example, lifted to a batch by `vmap`: what it computes, or the gradients of each example. */
import { parseProgram } from "../../src/fusion/text";
import type { Case } from "./plan-laws";

const EXAMPLES = 3;

/** The program under `vmap`: every third input is shared, every fourth program is differentiated; null where it can't be lifted. */
export function batched({ text, ways }: Case): Case | null {
  const lines = text.split("\n");
  const at = lines.findIndex((line) => line.startsWith("x0: "));
  const declared = lines.flatMap((line) => {
    const [, name, dtype, list, source] = /^(x\d+): (\w+)\[(.*?)\](.*)$/.exec(line) ?? [];
    return name ? [{ name, dtype: dtype!, list: list!, source: source! }] : [];
  });
  const body = lines.slice(at).filter((line) => !/^(?:x\d+: |return )/.test(line));
  const last = body.findLast((line) => /^v\d+ = /.test(line))?.split(" ")[0];
  if (!last) return null;
  const isShared = (i: number): boolean => declared.length > 1 && (i + text.length) % 3 === 0;
  const inputs = declared.map(
    ({ name, dtype, list, source }, i) =>
      `${name}: ${dtype}[${[...(isShared(i) ? [] : [EXAMPLES]), ...(list === "" ? [] : [list])].join(", ")}]${source}`,
  );
  const names = declared.map(({ name }) => name).join(", ");
  const floats = declared.flatMap(({ dtype }, i) => (dtype === "f32" ? [i] : []));
  const differentiates = text.length % 4 === 0 && floats.length > 0;
  const result = differentiates ? `sum(tanh(${last}))` : last;
  const f = differentiates ? `grad(one, argnums=(${floats.join(", ")},))` : "one";
  const axes = `(${declared.map((_, i) => (isShared(i) ? "None" : "0")).join(", ")},)`;
  const whole = [
    ...lines.slice(0, at),
    ...inputs,
    `def one(${names}):`,
    ...[...body, `return ${result}`].map((line) => `    ${line}`),
    `y = vmap(${f}, in_axes=${axes})(${names})`,
    "return y",
  ].join("\n");
  return parseProgram(whole).complete ? { text: whole, ways } : null;
}
