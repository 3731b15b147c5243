/** @file Lists of JAX functions in JSON: a jaxpr, inputs, and what JAX computed: results, derivatives in both modes, or a batch. */
import { readFileSync } from "node:fs";
import { dtypeOfJax, jaxprIn, tensorOf, type JaxQuestion, type Jaxpr, type JaxTensor } from "../../import";
import type { ExternalCase, NamedTensor } from "./case";

interface JaxCase {
  readonly id?: string;
  readonly jaxpr?: unknown;
  readonly jaxpr_unbatched?: unknown;
  readonly in_axes?: readonly (number | null)[];
  readonly inputs?: readonly JaxTensor[];
  readonly outputs?: readonly JaxTensor[];
  readonly cotangents?: readonly JaxTensor[];
  readonly vjp?: readonly JaxTensor[];
  readonly tangents?: readonly JaxTensor[];
  readonly jvp?: readonly JaxTensor[];
  readonly rtol?: number;
  readonly atol?: number;
}

/** Where a list states no tolerance: what f32 keeps of sums in another order. */
const [RELATIVE, ABSOLUTE] = [1e-4, 1e-5];

/** Tensors under a stem and their places; those of whole numbers have no derivative. */
function named(stem: string, list: readonly JaxTensor[] = [], derivative = false): NamedTensor[] {
  return list.flatMap((each, i) => {
    const tensor = tensorOf(each);
    if (derivative && (dtypeOfJax(each.dtype) ?? each.dtype) !== "f32" && dtypeOfJax(each.dtype) !== "f16") return [];
    return [{ name: `${stem}${i}`, dtype: each.dtype, tensor }];
  });
}

function caseOf(one: JaxCase, jaxpr: Jaxpr): ExternalCase {
  const { in_axes: axes, inputs = [] } = one;
  const derives = one.vjp !== undefined || one.jvp !== undefined;
  const question: JaxQuestion = axes ? { kind: "batch", axes, inputs } : { kind: derives ? "derivatives" : "results" };
  return {
    name: one.id ?? "a jaxpr",
    model: { jaxpr, question },
    inputs: [...named("x", inputs), ...named("g", one.cotangents, true), ...named("t", one.tangents, true)],
    expected: [...named("y", one.outputs, derives), ...named("vjp", one.vjp, true), ...named("jvp", one.jvp, true)],
    rtol: one.rtol ?? RELATIVE,
    atol: one.atol ?? ABSOLUTE,
    op: null,
    nodesAfter: null,
    hasData: one.outputs !== undefined || derives,
  };
}

/** Every case of one list; none where the file holds something else. */
export function readJax(path: string): ExternalCase[] {
  const list: unknown = JSON.parse(readFileSync(path, "utf8"));
  return (Array.isArray(list) ? (list as readonly JaxCase[]) : []).flatMap((one) => {
    const jaxpr = typeof one === "object" && one !== null ? jaxprIn(one.jaxpr_unbatched ?? one.jaxpr) : null;
    return jaxpr ? [caseOf(one, jaxpr)] : [];
  });
}
