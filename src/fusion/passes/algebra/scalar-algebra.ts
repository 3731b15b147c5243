/**
 * @file Scale, offset and power: literals that follow each other become one, powers with a cheap name get it.
 * @about pow: powers that have an op of their own.
 */
import { madeFor, type Graph, isLiteral, node, type Node, type NodeId, valueOfLiteral } from "../../ir";
import { algebraOf, allOps, isProduct, opDef, withDefaults } from "../../ops";
import type { Proposal } from "../identities";
import type { Planner } from "../planner";
import { openRewriter, type Rewriter } from "../rewriter";
import { rewritingPass, untilNoneFits } from "../rewriting";
import { nameOf, yes } from "../sentences";
import { titled } from "../catalogue";

export const scalarAlgebra = rewritingPass({
  ...titled("scalar-algebra"),
  *match(planner) {
    yield* untilNoneFits(
      planner,
      openRewriter(planner),
      (live, rewriter, n) => twoLiterals(live, rewriter, n) ?? cheapPower(live, rewriter, n),
    );
  },
});

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
function twoLiterals(planner: Planner, rewriter: Rewriter, n: Node): Proposal | null {
  const { graph } = planner;
  const outer = withLiteral(graph, n);
  const middle = outer && node(graph, outer.value);
  const inner = middle && withLiteral(graph, middle);
  if (!inner || inner.kind !== outer.kind) return null;
  if (planner.isOutput(middle.id) || rewriter.readersOf(middle.id).size > 1) return null;
  const number = outer.kind === "mul" ? inner.number * outer.number : inner.number + outer.number;
  if (!Number.isFinite(number) || (number === 0 && outer.kind === "mul")) return null;
  const nodes = [n.id, middle.id];
  const x = nameOf(graph, inner.value);
  const both = `${nameOf(graph, middle.id)} and ${nameOf(graph, n.id)}`;
  const neutral = outer.kind === "mul" ? 1 : 0;
  const shown = Number(number.toPrecision(6));
  const text =
    outer.kind === "mul"
      ? `${both} multiply ${x} by two numbers: once by ${shown} does both, with one rounding instead of two.`
      : `${both} add two numbers to ${x}: adding ${shown} once does both, with one rounding instead of two.`;
  if (number === neutral && !planner.isOutput(n.id)) {
    const change = rewriter.redirect(n.id, inner.value);
    const gone = `${both} undo each other: ${x} is left.`;
    return { rule: "literals", change, verdict: yes("A_PATTERN", nodes, gone), nodes };
  }
  const literal = literalFor(n, inner.literal, number);
  const changed: Node = {
    ...n,
    op: outer.kind,
    inputs: [inner.value, literal.id],
    attrs: withDefaults(opDef(outer.kind), {}),
  };
  const change = rewriter.become(changed);
  return {
    rule: "literals",
    change: { ...change, after: [literal, ...change.after] },
    verdict: yes("A_PATTERN", nodes, text),
    nodes,
  };
}

/** A literal of the same type for `n`; a second one replaces the first. */
const literalFor = (n: Node, like: Node, value: number): Node => ({
  ...like,
  ...madeFor(n, "literal"),
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

function cheapPower(planner: Planner, rewriter: Rewriter, n: Node): Proposal | null {
  if (n.op !== "pow" || n.type.dtype !== "f32") return null;
  const { graph } = planner;
  const [base, exponent] = [node(graph, n.inputs[0]!), node(graph, n.inputs[1]!)];
  const power = valueOfLiteral(exponent);
  const words = power === null ? undefined : CHEAP_POWERS.get(power);
  const named = allOps.find(({ algebra }) => algebra?.powers?.length === 1 && algebra.powers[0] === power);
  if (!words || !named || base.type.dtype !== "f32" || isLiteral(base)) return null;
  const text = `${nameOf(graph, n.id)} raises ${nameOf(graph, base.id)} to ${power}: that is ${words}, where a power costs an exponential and a logarithm.`;
  const change = rewriter.become({ ...n, op: named.name, inputs: [base.id], attrs: withDefaults(named, {}) });
  return { rule: "power", change, verdict: yes("A_PATTERN", [n.id], text), nodes: [n.id, base.id] };
}
