/**
 * @file Arguments that a derivative is taken by, apart from everything else that is the same tensor: in `grad(lambda v: (v * x).sum())(x)`
 * the x inside is a constant, and `grad(f)(x, x)` is by the first alone.
 */
import type { NodeId } from "../../ir";
import { findOp } from "../../ops";
import type { Interpreter, StatementRun } from "../interpreter";
import { everyStatement, rootsOf, walk } from "../reading/syntax";
import type { CallExpr, DefStatement, Expr } from "../reading/syntax";
import { leavesOf, mapLeaves } from "../values/trees";
import type { Operand, Scope, Value } from "../values/values";
import { applyOp } from "./apply";

/** Nodes that a function may find outside of its arguments. */
function capturedBy(of: Value): ReadonlySet<NodeId> {
  const found = new Set<NodeId>();
  const seen = new Set<unknown>();
  const known = new Map<DefStatement, Set<Scope>>();
  const open: Value[] = [of];
  const once = (key: unknown): boolean => !seen.has(key) && seen.add(key) !== null;
  for (let value = open.pop(); value; value = open.pop()) {
    if (value.kind === "tensor") found.add(value.node);
    else if (value.kind === "sequence") open.push(...value.items.map((item) => item.value));
    else if (value.kind === "dict") open.push(...[...value.entries.values()].map((item) => item.value));
    else if (value.kind === "transform") open.push(value.of);
    else if (value.kind === "partial") open.push(value.of, ...value.args.map(({ operand }) => operand.value));
    else if (value.kind === "custom") open.push(value.custom.forward, ...value.custom.rules);
    else if (value.kind === "pullback") for (const id of value.results) found.add(id);
    else if (value.kind === "weight") for (const id of value.weight.weights.values()) found.add(id);
    else if (value.kind === "layer") for (const id of value.layer.weights.values()) found.add(id);
    else if (value.kind === "object" && once(value.object)) {
      for (const id of value.object.weights.values()) found.add(id);
      open.push(...value.object.fields.values());
      open.push(...[...value.object.of.attributes.values()].map((item) => item.value));
    } else if (value.kind === "def" && !(known.get(value.def)?.has(value.scope) ?? false)) {
      known.set(value.def, (known.get(value.def) ?? new Set()).add(value.scope));
      open.push(...namedIn(value));
    }
  }
  return found;
}

/** What the names stand for that a def reads and that are none of its parameters. */
function namedIn({ def, scope, method }: Extract<Value, { kind: "def" }>): readonly Value[] {
  const own = new Set(def.params.map(({ name }) => name.text));
  const names = new Set(
    [...everyStatement(def.body)].flatMap((each) =>
      rootsOf(each).flatMap((root) => [...walk(root)].flatMap((expr) => namesOf(expr))),
    ),
  );
  const values = [...names].filter((name) => !own.has(name)).map((name) => scope.find(name)?.value);
  return [...values.filter((value) => value !== undefined), ...(method ? [method.self] : [])];
}

/** Names that an expression reads; the names of what it calls are no operands of it. */
const namesOf = (expr: Expr): readonly string[] => {
  const names = expr.kind === "name" ? [expr.name] : [];
  if (expr.kind === "call" && expr.callee.kind === "name") return [...names, expr.callee.name];
  if (expr.kind !== "lambda") return names;
  return [
    ...names,
    ...expr.def.body.flatMap((each) => rootsOf(each).flatMap((root) => [...walk(root)].flatMap(namesOf))),
  ];
};

/** `from` and all that they are computed from. */
function ancestorsOf({ nodes }: Interpreter, from: ReadonlySet<NodeId>): ReadonlySet<NodeId> {
  const all = new Set(from);
  for (const id of all) for (const input of nodes.get(id)?.inputs ?? []) all.add(input);
  return all;
}

/**
 * The operands, those at `wanted` as nodes of their own where the function could meet the same tensor otherwise.
 * @param wanted of which operands a derivative is taken by
 */
export function argumentsApart(
  interpreter: Interpreter,
  run: StatementRun,
  call: { readonly expr: CallExpr; readonly path: string },
  of: Value,
  operands: readonly Operand[],
  wanted: (operand: Operand) => boolean,
): readonly Operand[] {
  const leaves = operands.flatMap(leavesOf).flatMap(({ value }) => (value.kind === "tensor" ? [value.node] : []));
  const inputs = leaves.flatMap((node) => interpreter.nodes.get(node)?.inputs ?? []);
  const elsewhere = ancestorsOf(interpreter, new Set([...capturedBy(of), ...inputs]));
  const others = (node: NodeId): boolean => elsewhere.has(node) || leaves.indexOf(node) !== leaves.lastIndexOf(node);
  return operands.map((operand, i) =>
    wanted(operand)
      ? mapLeaves(operand, (leaf, at) => {
          if (leaf.value.kind !== "tensor" || !others(leaf.value.node)) return leaf;
          const { node } = leaf.value;
          let path = `${call.path}/own${i}_${at}`;
          for (let again = 2; interpreter.nodes.has(path as NodeId); again++)
            path = `${call.path}/own${i}_${at}@${again}`;
          const value = applyOp(
            interpreter,
            run,
            { op: findOp("identity")!, path, expr: call.expr },
            { tensors: [leaf], attrs: {} },
          );
          if (value.kind !== "tensor") return leaf;
          const { label } = interpreter.nodes.get(node)!;
          interpreter.nodes.set(value.node, { ...interpreter.nodes.get(value.node)!, label });
          interpreter.spare.add(value.node);
          return { ...leaf, value };
        })
      : operand,
  );
}
