/**
 * @file Scale, offset and power: literals that follow each other become one, powers with a cheap name get it.
 * @about pow: powers that have an op of their own.
 */
import { madeFor, type Graph, isLiteral, node, type Node, type NodeId, valueOfLiteral, standingOf } from "../../ir";
import { algebraOf, allOps, isProduct, opDef, withDefaults } from "../../ops";
import { rulesPass } from "../driver/rewriting";
import { operandOf, rule } from "../driver/rule";
import { capital, nameOf, namesOf } from "../driver/sentences";
import { titled } from "../catalogue";

/** `value ∘ number`, as a factor or as an addend. */
interface WithLiteral {
  readonly kind: "mul" | "add";
  readonly value: NodeId;
  readonly number: number;
  readonly literal: Node;
}

function withLiteral(graph: Graph, n: Node): WithLiteral | null {
  if (n.inputs.length !== 2 || n.type.dtype !== "f32") return null;
  const [a, b] = n.inputs.map((input) => node(graph, input));
  const right = isLiteral(b!);
  const literal = right ? b! : a!;
  const value = right ? a! : b!;
  if (!isLiteral(literal) || isLiteral(value) || value.type.dtype !== "f32") return null;
  const number = Number(literal.attrs["value"]);
  const found = { value: value.id, literal };
  const { powers, terms } = algebraOf(n.op);
  const [own, other] = right ? [1, 0] : [0, 1];
  if (terms?.[other] === 1) return { ...found, kind: "add", number: number * terms[own]! };
  if (!powers || powers[other] !== 1 || !isProduct({ powers })) return null;
  if (powers[own] === 1) return { ...found, kind: "mul", number };
  return number !== 0 ? { ...found, kind: "mul", number: 1 / number } : null;
}

/** (x · a) · b = x · ab and (x + a) + b = x + (a + b). */
const twoLiterals = rule({
  name: "literals",
  match(site) {
    const { graph, n, planner, rewriter } = site;
    const outer = withLiteral(graph, n);
    const middle = outer && node(graph, outer.value);
    const inner = middle && withLiteral(graph, middle);
    if (!inner || inner.kind !== outer.kind) return null;
    if (planner.isOutput(middle.id) || rewriter.readersOf(middle.id).size > 1) return null;
    const number = outer.kind === "mul" ? inner.number * outer.number : inner.number + outer.number;
    if (!Number.isFinite(number) || (number === 0 && outer.kind === "mul")) return null;
    const undone = number === (outer.kind === "mul" ? 1 : 0) && !planner.isOutput(n.id);
    return { inner, middle, number, undone, nodes: [n.id, middle.id] };
  },
  replace({ graph, rewriter, n }, { inner, number, undone }) {
    if (undone) return rewriter.redirect(n.id, inner.value);
    const literal = literalFor(graph, n, inner.literal, number);
    const attrs = withDefaults(opDef(inner.kind), {});
    const change = rewriter.become({ ...n, op: inner.kind, inputs: [inner.value, literal.id], attrs });
    return { ...change, after: [literal, ...change.after] };
  },
  because({ graph, n }, { inner, middle, number, undone }) {
    const x = nameOf(graph, inner.value);
    const both = capital(namesOf(graph, [middle.id, n.id]));
    if (undone) return `${both} undo each other: ${x} is left.`;
    const shown = Number(number.toPrecision(6));
    return inner.kind === "mul"
      ? `${both} multiply ${x} by two numbers: once by ${shown} does both, with one rounding instead of two.`
      : `${both} add two numbers to ${x}: adding ${shown} once does both, with one rounding instead of two.`;
  },
});

/** A literal of the same type for `n`; a second one replaces the first. */
const literalFor = (graph: Graph, n: Node, like: Node, value: number): Node => ({
  ...like,
  ...madeFor(standingOf(graph, n), "literal"),
  attrs: { value },
  label: String(Number(value.toPrecision(6))),
  origins: [],
});

/** What a power costs where an op of its own computes it. */
const CHEAP_POWERS: ReadonlyMap<number, string> = new Map([
  [2, "one multiplication"],
  [0.5, "a square root"],
  [-0.5, "one over a square root"],
  [-1, "one division"],
]);

/** x², √x, 1/√x and 1/x have ops of their own. */
const cheapPower = rule({
  name: "power",
  match(site) {
    if (site.n.op !== "pow" || site.n.type.dtype !== "f32") return null;
    const [base, exponent] = [operandOf(site), operandOf(site, 1)];
    const power = valueOfLiteral(exponent);
    const words = power === null ? undefined : CHEAP_POWERS.get(power);
    const named = allOps.find(({ algebra }) => algebra?.powers?.length === 1 && algebra.powers[0] === power);
    if (!words || !named || base.type.dtype !== "f32" || isLiteral(base)) return null;
    return { base, power, words, named, nodes: [site.n.id, base.id] };
  },
  replace: ({ rewriter, n }, { base, named }) =>
    rewriter.become({ ...n, op: named.name, inputs: [base.id], attrs: withDefaults(named, {}) }),
  because: ({ graph, n }, { base, power, words }) =>
    `${nameOf(graph, n.id)} raises ${nameOf(graph, base.id)} to ${power}: that is ${words}, where a power costs an exponential and a logarithm.`,
});

export const scalarAlgebra = rulesPass(titled("scalar-algebra"), [twoLiterals, cheapPower]);
