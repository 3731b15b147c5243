/** @file Training in the text: an input whose name ends as another value of its type begins the next step with that value. */
import { opDef, withDefaults } from "../../ops";
import {
  type Attrs,
  findNode,
  type Graph,
  isInput,
  type Node,
  type NodeId,
  nodeId,
  sameShape,
  showType,
  type TensorType,
  type TextEdit,
  type Update,
  usesOf,
} from "../../ir";
import type { Interpreter, Frame } from "../interpreter";
import type { Binding, SymbolRecord } from "../values/values";
import { sparesWeights } from "../objects/parameters";
import { sourceCall } from "./declare";
import { BINARY_OPS } from "../calls/names";
import { endings } from "../values/endings";
import { canBegin } from "./starting-values";

/** An input, or what can be one, whose name ends as another value. */
interface Next {
  readonly name: string;
  /** What the input is called that it begins as. */
  readonly label: string;
  readonly input: Node;
  readonly value: Node;
  readonly last: Binding;
}

/** Inputs whose names end as other values: their own names first, then lists and dictionaries that hold them. */
function endingsOf(interpreter: Interpreter, graph: Graph, { scope }: Frame): readonly Next[] {
  const found = new Map<NodeId, Next>();
  const names = [...scope.names].map(([name, bindings]) => ({ name, first: bindings[0]!, last: bindings.at(-1)! }));
  /** Another name of a list or dictionary that its first name still holds may go on as something of its own. */
  const isBorrowed = ({ name, first }: (typeof names)[number], at: number): boolean =>
    names.some(
      (other, i) =>
        i < at && other.name !== name && other.first.value === first.value && other.last.value === first.value,
    );
  const isAlone = ({ first }: (typeof names)[number]): boolean => first.value.kind === "tensor";
  const groups = names.filter((one, at) => !isAlone(one) && !isBorrowed(one, at));
  for (const each of [...names.filter(isAlone), ...groups]) {
    for (const { from, to, path } of endings(each.first.value, each.last.value, each.name)) {
      if (from.kind !== "tensor" || to.kind !== "tensor" || found.has(from.node)) continue;
      const [input, value] = [findNode(graph, from.node), findNode(graph, to.node)];
      if (!input || !value || !canBegin(interpreter, from.node)) continue;
      // Another name of an input may go on as something of its own.
      if (isAlone(each) && isDeclared(interpreter, input) && input.label !== each.name) continue;
      found.set(from.node, { name: each.name, label: path.join("."), input, value, last: each.last });
    }
  }
  return [...found.values()];
}

/** Whether the text declares it as an input, or a layer or an optimizer has it: it has its name. */
const isDeclared = ({ drawn }: Interpreter, input: Node): boolean => isInput(input) && !drawn.has(input.id);

/** What is computed while training begins and replaced by it, with the names that it has as an input. */
export function computedStarts(interpreter: Interpreter, graph: Graph, frame: Frame): ReadonlyMap<NodeId, string> {
  const { replaced, labels } = interpreter.optimizing;
  const called = new Map<NodeId, string>();
  if (isNoTraining(interpreter, endingsOf(interpreter, graph, frame))) return called;
  for (const [id] of replaced) {
    const node = findNode(graph, id);
    if (node && !isDeclared(interpreter, node)) called.set(id, labels.get(id) ?? node.label);
  }
  for (const { input, value, label } of endingsOf(interpreter, graph, frame))
    if (value.phase === "backward" && !isDeclared(interpreter, input)) called.set(input.id, label);
  return called;
}

/** Whether what the program moves along derivatives is an input of a model, and none of its weights. */
function isNoTraining(interpreter: Interpreter, ends: readonly Next[]): boolean {
  const { replaced, turns } = interpreter.optimizing;
  const moved = ends.filter(({ value }) => value.phase === "backward");
  return (
    turns === 0 &&
    sparesWeights(interpreter, [...replaced, ...moved.map(({ input, value }) => [input.id, value.id] as const)])
  );
}

/** Whether nothing reads an input, or what becomes of it on the way to its next value, but that value. */
function isReadByItself({ nodes, outputs }: Graph, from: NodeId, to: NodeId): boolean {
  const before = new Set([to]);
  for (const id of before) for (const input of nodes.get(id)!.inputs) before.add(input);
  const between = new Set([from]);
  for (const { id, inputs } of nodes.values())
    if (before.has(id) && inputs.some((input) => between.has(input))) between.add(id);
  const reads = ({ id, inputs }: Node): boolean => !before.has(id) && inputs.some((input) => between.has(input));
  return !outputs.some((id) => between.has(id)) && ![...nodes.values()].some(reads);
}

const isState = ({ attrs }: Node): boolean => attrs["role"] === "state";
const isConstantStart = ({ attrs }: Node): boolean => attrs["source"] === "zeros" || attrs["source"] === "ones";

/** What makes `zeros()` of an input's declaration `state()`. */
function stateFix({ sites, text }: Interpreter, { id }: Node): readonly TextEdit[] | null {
  const site = sites.get(id);
  const { statement } = site?.run ?? {};
  const written = statement?.kind === "assign" ? statement.value : (site?.param?.value ?? null);
  const call = written && sourceCall(written);
  if (!call) return null;
  const zeros = text.slice(call.span.from, call.span.to) === "zeros()";
  return [{ span: call.span, insert: zeros ? "state()" : `state(${text.slice(call.span.from, call.span.to)})` }];
}

/**
 * The values that replace inputs in the next step. An input is replaced where its name ends as a value of its type
 * that is computed from a derivative; one that is declared `state()`, by whatever its name ends as.
 * @param graph with phases
 */
export function updatesOf(
  interpreter: Interpreter,
  graph: Graph,
  frame: Frame,
): { readonly updates: readonly Update[]; readonly names: ReadonlySet<SymbolRecord> } {
  const all = endingsOf(interpreter, graph, frame).filter(({ input }) => isInput(input));
  const fits = ({ input, value }: Pick<Next, "input" | "value">): boolean =>
    input.type.dtype === value.type.dtype && sameShape(input.type.shape, value.type.shape);
  const isPlain = isNoTraining(interpreter, all);
  const meant = all.filter(({ input, value }) => isState(input) || (value.phase === "backward" && !isPlain));
  const updates = meant.filter(fits);
  const stepped: Pick<Next, "input" | "value">[] = [];
  for (const { name, input, value, last } of meant) {
    if (updates.some((each) => each.input === input) || interpreter.unknown.has(value.id)) continue;
    const text = `\`${name}\` begins as ${showType(input.type)} and ends as ${showType(value.type)}, so a step of training can't replace one with the other.`;
    const severity = isState(input) ? "error" : "warning";
    interpreter.diagnostics.add("other-type", last.symbol.definition, text, { severity, nodes: [value.id] });
  }
  for (const [from, to] of isPlain ? [] : interpreter.optimizing.replaced) {
    const [input, value] = [findNode(graph, from), findNode(graph, to)];
    const known = input && value && isInput(input) && fits({ input, value });
    const isIdle = interpreter.weightOf.get(from)?.buffer === true && isReadByItself(graph, from, to);
    if (known && !isIdle && !updates.some((each) => each.input === input)) stepped.push({ input, value });
  }
  const replaced = new Set([...updates, ...stepped].map(({ input }) => input.id));
  const read = usesOf(graph);
  for (const node of graph.nodes.values())
    if (
      isState(node) &&
      read.get(node.id)!.length > 0 &&
      !replaced.has(node.id) &&
      !meant.some(({ input }) => input === node)
    )
      interpreter.diagnostics.add(
        "state-unchanged",
        node.span ?? { from: 0, to: 0 },
        `\`${node.label}\` is declared state() and never bound again, so it keeps its first value. Bind its name to the next one: ${node.label} = …`,
        { severity: "warning", nodes: [node.id] },
      );
  if (updates.some(({ value }) => value.phase === "backward"))
    for (const each of all)
      if (!meant.includes(each) && !replaced.has(each.input.id) && isConstantStart(each.input) && fits(each))
        tellForgotten(interpreter, each);
  const { steps, zeroed } = interpreter.optimizing;
  if (steps[0] && zeroed === 0)
    interpreter.diagnostics.add(
      "not-zeroed",
      steps[0],
      "Nothing sets the gradients to zero. In PyTorch they would add up from step to step; here each step begins anew. Call zero_grad() before backward().",
      { severity: "warning" },
    );
  return {
    updates: [...updates, ...stepped].map(({ input, value }) => ({ input: input.id, value: value.id })),
    names: new Set(updates.map(({ last }) => last.symbol)),
  };
}

/** `t: f32[] = zeros()`, `t = t + 1`: it looks like a state and begins anew in every step. */
function tellForgotten(interpreter: Interpreter, { name, input, last }: Next): void {
  const edits = stateFix(interpreter, input);
  interpreter.diagnostics.add(
    "not-carried",
    last.symbol.definition,
    `\`${name}\` begins anew in every step of training. Declare it with state() to go on from this value.`,
    {
      severity: "warning",
      nodes: [input.id],
      fixes: edits ? [{ title: `Declare ${name} as state`, edits }] : [],
    },
  );
}

/**
 * The graph with the values of `updates` among its outputs, and inputs that they replace known to change: `next` is the output's number.
 * @param beginOf how training begins with an input; null: as it is fed otherwise
 */
export function withUpdates(graph: Graph, updates: readonly Update[], beginOf: (input: NodeId) => Attrs | null): Graph {
  if (updates.length === 0) return graph;
  const outputs = [...new Set([...graph.outputs, ...updates.map(({ value }) => value)])];
  const next = new Map(updates.map(({ input, value }) => [input, outputs.indexOf(value)]));
  const nodes = new Map(
    [...graph.nodes].map(([id, n]) => {
      const index = next.get(id);
      if (index === undefined) return [id, n];
      const begin = beginOf(id);
      const attrs = begin ? withDefaults(opDef("input"), begin) : n.attrs;
      return [id, { ...n, attrs: { ...attrs, role: "state", next: index } }];
    }),
  );
  return { nodes, outputs };
}

const COUNT: TensorType = { dtype: "i32", shape: [] };

const draws = ({ op, inputs, attrs }: Node): boolean =>
  opDef(op).kind === "random" && inputs.length === 1 && attrs["training"] !== false;

/**
 * Random ops of a program that trains draw anew in each step.
 * @returns the graph with a count of steps that its random ops read, and the count's own update; as it is where it trains or draws nothing
 */
export function withDraws(
  graph: Graph,
  updates: readonly Update[],
): { readonly graph: Graph; readonly updates: readonly Update[] } {
  if (updates.length === 0 || ![...graph.nodes.values()].some(draws)) return { graph, updates };
  const free = (wanted: string): NodeId => {
    let id = nodeId(wanted);
    for (let again = 2; findNode(graph, id); again++) id = nodeId(`${wanted}@${again}`);
    return id;
  };
  const [count, one, next] = ["draws", "draws.one", "draws.next"].map(free) as [NodeId, NodeId, NodeId];
  const made = (id: NodeId, op: string, inputs: readonly NodeId[], attrs: Node["attrs"]): Node => ({
    id,
    op,
    inputs,
    attrs,
    type: COUNT,
    label: "draws",
    origins: [id],
    groups: [],
  });
  const added = [
    made(count, "input", [], withDefaults(opDef("input"), { source: "zeros", role: "state" })),
    made(one, "const", [], { value: 1 }),
    made(next, BINARY_OPS.get("+")!, [count, one], {}),
  ];
  const nodes = [...added, ...graph.nodes.values()].map((each): readonly [NodeId, Node] => [
    each.id,
    draws(each) ? { ...each, inputs: [...each.inputs, count] } : each,
  ]);
  return {
    graph: { nodes: new Map(nodes), outputs: graph.outputs },
    updates: [...updates, { input: count, value: next }],
  };
}
