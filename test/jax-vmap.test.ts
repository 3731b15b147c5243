/** Batches that JAX computed, where the folder of external cases is there: each traced function of one example as a program, under vmap. */
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseProgram, type NodeId } from "../src/fusion";
import { runReference } from "../src/fusion/reference";
import { DTYPES, flat, Unsupported, written, Writer, type Data, type Jaxpr } from "./jaxpr";

interface Case { readonly id: string; readonly jaxpr_unbatched: Jaxpr; readonly in_axes: readonly (number | null)[]; readonly inputs: readonly Data[]; readonly outputs: readonly Data[] } // prettier-ignore

const FILE = join(homedir(), ".cache/fusion-playground/cases/jax_vmap/vmap.json");
const [RTOL, ATOL] = [1e-4, 1e-5];

function programOf({ jaxpr_unbatched: jaxpr, in_axes: axes, inputs }: Case): string {
  if (jaxpr.consts.length > 0) throw new Unsupported("constants");
  const writer = new Writer();
  const names = inputs.map((_, i) => `x${i}`);
  const results = writer.inline(jaxpr, names);
  const declared = inputs.map(({ dtype, shape }, i) => `x${i}: ${DTYPES[dtype] ?? "complex"}[${shape.join(", ")}]`);
  const said = axes.map((axis) => (axis === null ? "None" : axis)).join(", ");
  return `${declared.join("\n")}
def f(${names.join(", ")}):
${writer.lines.map((line) => `    ${line}\n`).join("")}    return ${results.join(", ")}
y = vmap(f, in_axes=(${said},))(${names.join(", ")})
return ${results.length === 1 ? "y * 1" : results.map((_, i) => `y[${i}] * 1`).join(", ")}
`;
}

/** Where our batch is not JAX's, in words. */
function differences({ inputs, outputs: wanted }: Case, text: string): readonly string[] {
  const { graph, outputs, diagnostics } = parseProgram(text);
  const wrong = diagnostics.filter(({ severity }) => severity === "error").map((one) => `${one.line}: ${one.text}`);
  if (wrong.length > 0) return wrong;
  const found = runReference(graph, new Map(inputs.map(({ data }, i) => [`x${i}` as NodeId, flat(data)])));
  return wanted.flatMap((expected, i) => {
    const ours = found.get(outputs[i]!)!.data;
    return flat(expected.data).flatMap((value, k) => {
      const same = Object.is(ours[k], value) || Math.abs(ours[k]! - value) <= ATOL + RTOL * Math.abs(value);
      return same ? [] : [`result ${i}[${k}] is ${ours[k]}, not ${value}`];
    });
  });
}

describe.skipIf(!existsSync(FILE))("batches that JAX computed", () => {
  const cases = existsSync(FILE) ? (JSON.parse(readFileSync(FILE, "utf8")) as Case[]) : [];
  const all = cases.map((each) => ({ each, made: written(() => programOf(each)) }));

  test("all have a program here", () => {
    expect(all.flatMap(({ made }) => ("why" in made ? [made.why] : []))).toEqual([]);
  });

  const programs = all.flatMap(({ each, made }) => ("text" in made ? [[each.id, each, made.text] as const] : []));
  test.each(programs)("%s", (_, each, text) => expect(differences(each, text).slice(0, 3)).toEqual([]));
});
