/** Derivatives that JAX computed, where the folder of external cases is there: each traced function as a program, its vjp and jvp against ours. */
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseProgram, type NodeId } from "../src/fusion";
import { runReference } from "../src/fusion/reference";
import { DTYPES, flat, Unsupported, written, Writer, type Data, type Jaxpr, type Typed } from "./jaxpr";

interface Case { readonly id: string; readonly jaxpr: Jaxpr; readonly inputs: readonly Data[]; readonly cotangents: readonly Data[]; readonly vjp: readonly Data[]; readonly tangents: readonly Data[]; readonly jvp: readonly Data[]; readonly rtol: number; readonly atol: number } // prettier-ignore

const FILE = join(homedir(), ".cache/fusion-playground/cases/jax_autodiff/autodiff.json");
/** The case as a program whose results are the vjp and then the jvp. */
function programOf({ jaxpr, cotangents }: Case): string {
  const type = ({ dtype, shape }: Typed): string => `${DTYPES[dtype] ?? "complex"}[${shape.join(", ")}]`;
  if (jaxpr.consts.length > 0) throw new Unsupported("constants");
  if (jaxpr.in.some(({ dtype }) => dtype !== "float32")) throw new Unsupported("inputs that are no floats");
  const writer = new Writer();
  const names = jaxpr.in.map((_, i) => `x${i}`);
  const results = writer.inline(jaxpr, names);
  const declared = [...jaxpr.in.map((each, i) => `x${i}: ${type(each)}`), ...jaxpr.in.map((each, i) => `t${i}: ${type(each)}`), ...cotangents.map((each, i) => `g${i}: ${type(each)}`)]; // prettier-ignore
  const tuple = (items: readonly string[]): string => `(${items.join(", ")},)`;
  return `${declared.join("\n")}
def f(${names.join(", ")}):
${writer.lines.map((line) => `    ${line}\n`).join("")}    return ${results.join(", ")}
y, pull = vjp(f, ${names.join(", ")})
d = pull(${cotangents.map((_, i) => `g${i}`).join(", ")})
z, dz = jvp(f, ${tuple(names)}, ${tuple(names.map((_, i) => `t${i}`))})
return ${names.map((_, i) => `d[${i}]`).join(", ")}, ${results.length === 1 ? "dz * 1" : results.map((_, i) => `dz[${i}] * 1`).join(", ")}
`;
}

const KNOWN =
  /bessel|erf_inv|scatter|gather|dynamic|reduce_window|^reduce$|pairs|between|spread|constants|no floats|literal tensor/;

/** Where our vjp and jvp are not JAX's, in words. */
function differences(each: Case, text: string): readonly string[] {
  const { graph, outputs, diagnostics } = parseProgram(text);
  const wrong = diagnostics.filter(({ severity }) => severity === "error").map((one) => `${one.line}: ${one.text}`);
  if (wrong.length > 0) return wrong;
  const given = new Map<NodeId, number[]>();
  for (const [prefix, tensors] of [["x", each.inputs], ["t", each.tangents], ["g", each.cotangents]] as const) tensors.forEach(({ data }, i) => given.set(`${prefix}${i}` as NodeId, flat(data))); // prettier-ignore
  const found = runReference(graph, given);
  return [...each.vjp, ...each.jvp].flatMap((expected, i) => {
    const ours = found.get(outputs[i]!)!.data;
    return flat(expected.data).flatMap((value, k) => {
      const same = Object.is(ours[k], value) || Math.abs(ours[k]! - value) <= each.atol + each.rtol * Math.abs(value);
      return same ? [] : [`result ${i}[${k}] is ${ours[k]}, not ${value}`];
    });
  });
}

describe.skipIf(!existsSync(FILE))("derivatives that JAX computed", () => {
  const cases = existsSync(FILE) ? (JSON.parse(readFileSync(FILE, "utf8")) as Case[]) : [];
  const all = cases.map((each) => ({ each, made: written(() => programOf(each)) }));

  test("what has no program here is known", () => {
    const why = all.flatMap(({ made }) => ("why" in made ? [made.why] : []));
    expect(why.filter((one) => !KNOWN.test(one))).toEqual([]);
    expect(why.length).toBeLessThan(cases.length / 4);
  });

  const programs = all.flatMap(({ each, made }) => ("text" in made ? [[each.id, each, made.text] as const] : []));
  test.each(programs)("%s", (_, each, text) => expect(differences(each, text)).toEqual([]));
});
