/** @file Scale, offset and power: literals that follow each other become one, powers with a cheap name get it. */
import { type Graph, isLiteral, node, type Node, nodeId, type NodeId } from "../../ir";
import { opDef, withDefaults } from "../../ops";
import type { Proposal } from "../identities";
import { mutated } from "../mutations";
import type { Planner } from "../planner";
import { openRewriter, type Rewriter } from "../rewriter";
import { rewritingPass, untilNoneFits } from "../rewriting";
import { nameOf, yes } from "../sentences";
import { titled } from "../catalogue";

export const scalarAlgebra = rewritingPass({
  ...titled("scalar-algebra"),
  teaches: "scalar-algebra",
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
  switch (n.op) {
    case "mul":
      return { ...found, kind: "mul", number };
    case "add":
      return { ...found, kind: "add", number };
    case "div":
      return right && number !== 0 ? { ...found, kind: "mul", number: 1 / number } : null;
    case "sub":
      return right ? { ...found, kind: "add", number: -number } : null;
    default:
      return null;
  }
}

/** (x · a) · b = x · ab and (x + a) + b = x + (a + b). */
function twoLiterals(planner: Planner, rewriter: Rewriter, n: Node): Proposal | null {
  const { graph } = planner;
  const outer = withLiteral(graph, n);
  const middle = outer && node(graph, outer.value);
  const inner = middle && withLiteral(graph, middle);
  if (!inner || inner.kind !== outer.kind) return null;
  if (planner.isOutput(middle.id) || rewriter.readersOf(middle.id).size > 1) return null;
  const number = mutated("literal-lost")
    ? outer.number
    : outer.kind === "mul"
      ? inner.number * outer.number
      : inner.number + outer.number;
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
  id: nodeId(`${n.id}~literal`),
  attrs: { value },
  label: String(Number(value.toPrecision(6))),
  origins: [],
});

const NAMED_POWERS: ReadonlyMap<number, readonly [op: string, words: string]> = new Map([
  [2, ["square", "one multiplication"]],
  [0.5, ["sqrt", "a square root"]],
  [-0.5, ["rsqrt", "one over a square root"]],
  [-1, ["reciprocal", "one division"]],
]);

function cheapPower(planner: Planner, rewriter: Rewriter, n: Node): Proposal | null {
  if (n.op !== "pow" || n.type.dtype !== "f32") return null;
  const { graph } = planner;
  const [base, exponent] = [node(graph, n.inputs[0]!), node(graph, n.inputs[1]!)];
  const named = isLiteral(exponent) ? NAMED_POWERS.get(Number(exponent.attrs["value"])) : undefined;
  if (!named || base.type.dtype !== "f32" || isLiteral(base)) return null;
  const [op, words] = named;
  const text = `${nameOf(graph, n.id)} raises ${nameOf(graph, base.id)} to ${Number(exponent.attrs["value"])}: that is ${words}, where a power costs an exponential and a logarithm.`;
  const change = rewriter.become({ ...n, op, inputs: [base.id], attrs: withDefaults(opDef(op), {}) });
  return { rule: "power", change, verdict: yes("A_PATTERN", [n.id], text), nodes: [n.id, base.id] };
}
