/**
 * @file Optimizers: `opt.step()` puts the next value instead of each parameter, and keeps what it carries along as states; schedules of
 * their rates, and what clips the gradients that they read.
 */
import { isInput, nodeId, type NodeId, type TensorType } from "../../ir";
import { opDef, withDefaults } from "../../ops";
import type { CallAt, Interpreter, StatementRun } from "../interpreter";
import { addNode } from "../interpreter";
import { libraryClass } from "../library/library";
import { gradOf } from "../calls/transforms";
import {
  type GivenArgument,
  isBroken,
  NONE,
  type ObjectInfo,
  type Operand,
  type Scope,
  tensorValue,
  type Value,
} from "../values/values";
import { canBegin } from "../statements/starting-values";
import { callMethod } from "./attributes";
import { inherited, lineOf } from "./inheritance";
import { setField } from "./fields";
import { latest } from "../values/grown";
import { type ParameterHome, homesIn, isFrozen, isTrained, rebind, replace, setWeight } from "./parameters";

const isOf = ({ of }: ObjectInfo, name: string): boolean => lineOf(of).includes(libraryClass(name)!);

/** Parameters with the options they are moved by: those of the optimizer, and what a group of them says otherwise. */
interface ParameterGroup {
  readonly params: Value;
  readonly options: ObjectInfo;
}

function groupsOf(interpreter: Interpreter, object: ObjectInfo): readonly ParameterGroup[] {
  const groups = object.fields.get(GROUPS);
  const now = groups && latest(interpreter, groups);
  return now?.kind === "sequence"
    ? now.items.flatMap(({ value }) => (value.kind === "dict" ? [withOptions(object, value.entries)] : []))
    : [];
}

/** What PyTorch calls the groups. */
const GROUPS = "param_groups";
/** Fields of an optimizer that are no options of its groups. */
const OWN: ReadonlySet<string> = new Set(["params", "schedulers", "defaults", GROUPS]);

/** Gives a new optimizer its groups, as programs read and change them: `group["lr"] = 0.1`. */
export function beginGroups(interpreter: Interpreter, object: ObjectInfo): void {
  const params = object.fields.get("params");
  if (!params || !isOf(object, "Optimizer")) return;
  const usual = [...object.fields].filter(([name]) => !OWN.has(name));
  const defaults = new Map(usual.map(([name, value]) => [name, loose(value)]));
  setField(interpreter, object, "defaults", { kind: "dict", entries: defaults });
  const items = groupsIn(params).map((own): Operand => {
    const entries = new Map([...usual, ...own].map(([name, value]) => [name, loose(value)]));
    return loose({ kind: "dict", entries });
  });
  setField(interpreter, object, GROUPS, { kind: "sequence", list: true, items });
}

const loose = (value: Value): Operand => ({ value, path: "", expr: null });

const withOptions = (object: ObjectInfo, entries: ReadonlyMap<string, Operand>): ParameterGroup => ({
  params: entries.get("params")!.value,
  options: {
    ...object,
    fields: new Map([...object.fields, ...[...entries].map(([name, { value }]) => [name, value] as const)]),
  },
});

/** What each group says, its parameters among it. */
function groupsIn(params: Value): readonly (readonly (readonly [string, Value])[])[] {
  const items = params.kind === "sequence" ? params.items.map(({ value }) => value) : [];
  const groups = items.flatMap((item) => (item.kind === "dict" && item.entries.has("params") ? [item.entries] : []));
  if (groups.length === 0) return [[["params", params]]];
  return groups.map((entries) => [...entries].map(([name, { value }]) => [name, value] as const));
}

/** `opt.param_groups`, with the rates that schedules make of theirs; null where no schedule does. */
export function scheduledGroups(
  interpreter: Interpreter,
  run: StatementRun,
  at: CallAt,
  object: ObjectInfo,
): Value | null {
  const groups = latest(interpreter, object.fields.get(GROUPS) ?? NONE);
  if (!object.fields.has("schedulers") || groups.kind !== "sequence") return null;
  const rates = scheduled(interpreter, run, at, object).map(({ options }) => options.fields.get("lr")!);
  const items = groups.items.map(({ value }, i) =>
    value.kind === "dict"
      ? loose({ ...value, entries: new Map([...value.entries, ["lr", loose(rates[i]!)]]) })
      : loose(value),
  );
  return { kind: "sequence", list: true, items };
}

/** Whether a value of the graph hangs on another. */
function hangsOn({ nodes }: Interpreter, values: readonly NodeId[], on: NodeId): boolean {
  const seen = new Set(values);
  for (const id of seen) {
    if (id === on) return true;
    for (const input of nodes.get(id)?.inputs ?? []) seen.add(input);
  }
  return false;
}

/** What `name` of an optimizer does; null for what it has not, and for other objects. */
export function optimizerMethod(
  interpreter: Interpreter,
  run: StatementRun,
  at: CallAt,
  object: ObjectInfo,
  name: string,
  args: readonly GivenArgument[],
): Value | null {
  // `scaler.step(opt)`: what a scaler multiplies losses by, it divides gradients by.
  const scaled = name === "step" && isOf(object, "GradScaler") ? args[0]?.operand.value : undefined;
  if (scaled?.kind === "object") return optimizerMethod(interpreter, run, at, scaled.object, name, []);
  if ((name === "get_last_lr" || name === "get_lr") && isOf(object, "LRScheduler")) {
    const of = object.fields.get("optimizer");
    const groups = of?.kind === "object" ? scheduled(interpreter, run, at, of.object) : [];
    return { kind: "sequence", list: true, items: groups.map(({ options }) => loose(options.fields.get("lr")!)) };
  }
  if (name !== "step") return null;
  if (isOf(object, "LRScheduler")) stepSchedule(interpreter, run, at, object);
  else if (isOf(object, "Optimizer")) step(interpreter, run, at, object);
  else return null;
  return NONE;
}

/** An input that begins with zeros and goes on with what `step` computes for it. */
function stateOf(
  interpreter: Interpreter,
  run: StatementRun,
  { expr }: CallAt,
  name: string,
  type: TensorType,
): NodeId {
  let id = name;
  for (let again = 2; interpreter.nodes.has(nodeId(id)); again++) id = `${name}@${again}`;
  const attrs = withDefaults(opDef("input"), { source: "zeros", role: "state" });
  const { groups } = run.frame;
  const node = addNode(interpreter, { id, op: "input", inputs: [], attrs, type, label: name, groups, span: expr.span });
  interpreter.sites.set(node, { node, expr, run, param: null, op: null, attrs, operands: [] });
  return node;
}

const given = (interpreter: Interpreter, { expr }: CallAt, values: readonly Value[]): GivenArgument[] =>
  values.map((value) => {
    const path = value.kind === "tensor" ? interpreter.nodes.get(value.node)!.id : "";
    return { name: null, operand: { value, path, expr: null }, span: expr.span };
  });

/** Calls a method that a class of the library has. */
function own(
  interpreter: Interpreter,
  run: StatementRun,
  at: CallAt,
  object: ObjectInfo,
  name: string,
  args: readonly GivenArgument[],
): Value {
  const found = inherited(object.of, name)!;
  return callMethod(interpreter, run, at, { found, self: { kind: "object", object }, label: object.of.name }, args);
}

/** How often a schedule has stepped, as a state. */
function countOf(interpreter: Interpreter, run: StatementRun, at: CallAt, scheduler: ObjectInfo): [string, NodeId] {
  const key = `${scheduler.name ?? "scheduler"}.last_epoch`;
  const known = scheduler.weights.get(key) ?? stateOf(interpreter, run, at, key, { dtype: "f32", shape: [] });
  setWeight(interpreter, scheduler, key, known);
  return [key, known];
}

/** `scheduler.step()`: later updates have the next rate. */
function stepSchedule(interpreter: Interpreter, run: StatementRun, at: CallAt, scheduler: ObjectInfo): void {
  const [key, before] = countOf(interpreter, run, at, scheduler);
  const path = `${at.path}/step`;
  const count = own(
    interpreter,
    run,
    { ...at, path },
    scheduler,
    "_next",
    given(interpreter, at, [tensorValue(before)]),
  );
  if (count.kind === "tensor") keep(interpreter, scheduler, key, before, count.node);
}

/** Options with another momentum, as SGD and Adam call it. */
function withMomentum(fields: ReadonlyMap<string, Value>, momentum: Value): ReadonlyMap<string, Value> {
  const betas = fields.get("betas");
  if (momentum.kind === "none") return fields;
  if (betas?.kind !== "sequence") return new Map([...fields, ["momentum", momentum]]);
  const items = [loose(momentum), ...betas.items.slice(1)];
  return new Map([...fields, ["betas", { ...betas, items }]]);
}

/** Groups with the rates that schedules make of theirs. */
function scheduled(
  interpreter: Interpreter,
  run: StatementRun,
  at: CallAt,
  object: ObjectInfo,
): readonly ParameterGroup[] {
  const groups = groupsOf(interpreter, object);
  const schedulers = object.fields.get("schedulers");
  if (schedulers?.kind !== "sequence") return groups;
  return groups.map(({ params, options }, i) => {
    let rate = options.fields.get("lr")!;
    let fields: ReadonlyMap<string, Value> = options.fields;
    for (const [j, { value }] of schedulers.items.entries()) {
      if (value.kind !== "object") continue;
      const [, count] = countOf(interpreter, run, at, value.object);
      const path = `${at.path}/lr${i}${j}`;
      rate = own(
        interpreter,
        run,
        { ...at, path },
        value.object,
        "_rate",
        given(interpreter, at, [rate, tensorValue(count)]),
      );
      if (!inherited(value.object.of, "_momentum")) continue;
      const count2 = given(interpreter, at, [tensorValue(count)]);
      fields = withMomentum(
        fields,
        own(interpreter, run, { ...at, path: `${path}/momentum` }, value.object, "_momentum", count2),
      );
    }
    return { params, options: { ...options, fields: new Map([...fields, ["lr", rate]]) } };
  });
}

/** Whether a call changes gradients in place. */
export const isClip = (name: string): boolean => name === "clip_grad_norm_" || name === "clip_grad_value_";

/**
 * `clip_grad_norm_(model.parameters(), 1.0)`: later readers of those gradients find what `clip` makes of them; the answer is what it
 * gives beyond them, the norm.
 */
export function clipped(
  interpreter: Interpreter,
  run: StatementRun,
  { expr }: CallAt,
  args: readonly GivenArgument[],
  clip: (args: readonly GivenArgument[]) => Value,
): Value {
  const from = args.findIndex(({ name }, i) => name?.text === "parameters" || (i === 0 && !name));
  const parameters = args[from];
  if (!parameters) return clip(args);
  const { losses, optimizing } = interpreter;
  const now = ({ node }: ParameterHome): NodeId => optimizing.replaced.get(optimizing.first.get(node) ?? node) ?? node;
  const homes = [...new Set([...homesIn(parameters.operand.value)].map(now))];
  const moved = homes.filter((node) => !isFrozen(interpreter, node) && hangsOn(interpreter, losses, node));
  if (moved.length === 0) {
    const text = "There are no gradients to clip: call loss.backward() before.";
    interpreter.diagnostics.add("no-gradients", expr.span, text);
    return NONE;
  }
  const gradients = moved.map((node) => gradOf(interpreter, run, expr, node));
  const items = gradients.map((value): Operand => ({ value, path: "", expr: null }));
  const value: Value = { kind: "sequence", items, list: true };
  const answer = clip(args.map((arg, i) => (i === from ? { ...arg, operand: { ...arg.operand, value } } : arg)));
  if (answer.kind !== "sequence") return answer;
  moved.forEach((node, i) => {
    const result = answer.items[i]!.value;
    if (result.kind === "tensor") interpreter.cotangents.set(node, result.node);
  });
  return answer.items[moved.length]?.value ?? NONE;
}

/** `opt.step()`: one update of every parameter that the losses since the last `zero_grad()` hang on. */
function step(interpreter: Interpreter, run: StatementRun, at: CallAt, object: ObjectInfo): void {
  const { span } = at.expr;
  const { optimizing, losses } = interpreter;
  const groups = scheduled(interpreter, run, at, object);
  if (groups.some(({ params }) => isBroken(params))) return;
  const firstOf = (node: NodeId): NodeId => optimizing.first.get(node) ?? node;
  // The list was written before the steps that came since.
  const found = groups.flatMap(({ params, options }) =>
    [...homesIn(params)].map((held) => ({
      ...held,
      options,
      node: optimizing.replaced.get(firstOf(held.node)) ?? held.node,
    })),
  );
  const homes = found.filter(({ node }, i) => found.findIndex((each) => each.node === node) === i);
  const moved = homes.filter(
    ({ node }) =>
      isTrained(interpreter, node) &&
      !isFrozen(interpreter, node) &&
      (interpreter.cotangents.has(node) || hangsOn(interpreter, losses, node)),
  );
  if (moved.length === 0 && optimizing.unclear) return;
  if (moved.length === 0) {
    const text =
      losses.length === 0
        ? "step() finds no gradients: call loss.backward() between zero_grad() and step()."
        : "No loss depends on a parameter of this optimizer, so step() changes nothing.";
    interpreter.diagnostics.add("no-gradients", span, text);
    return;
  }
  const call = (of: ObjectInfo, name: string, path: string, args: readonly GivenArgument[]): Value =>
    own(interpreter, run, { ...at, path }, of, name, args);
  const carried = (key: string, type: TensorType): NodeId => {
    const known = object.weights.get(key);
    return known ?? stateOf(interpreter, run, at, key, type);
  };
  const kinds = groups.map(({ options }, i) => {
    const slots = call(options, "_slots", `${at.path}/slots${i}`, []);
    const counts = call(options, "_counts", `${at.path}/counts${i}`, []);
    const items = slots.kind === "sequence" ? slots.items : [];
    const names = items.flatMap(({ value }) => (value.kind === "string" ? [value.value] : []));
    return [options, { names, counts: counts.kind === "bool" && counts.value }] as const;
  });
  const kindOf = new Map(kinds);
  let count: Value = NONE;
  if (moved.some(({ options }) => kindOf.get(options)!.counts)) {
    const key = `${object.name ?? "optimizer"}.step`;
    const before = carried(key, { dtype: "f32", shape: [] });
    count = call(object, "_next", `${at.path}/step`, given(interpreter, at, [tensorValue(before)]));
    if (count.kind !== "tensor") return;
    keep(interpreter, object, key, before, count.node);
  }
  for (const { node, home, options } of moved) {
    const { names, counts } = kindOf.get(options)!;
    if (!canBegin(interpreter, firstOf(node))) {
      interpreter.diagnostics.add(
        "not-a-parameter",
        span,
        `${interpreter.nodes.get(node)!.label} is computed: an optimizer changes inputs alone, such as w: f32[8] = param().`,
        { nodes: [node] },
      );
      continue;
    }
    const { type } = interpreter.nodes.get(firstOf(node))!;
    const label = calledFirst(interpreter, run, firstOf(node));
    const gradient = gradOf(interpreter, run, at.expr, node);
    if (gradient.kind !== "tensor") return;
    const states = names.map((name) => carried(`${label}.${name}`, type));
    const path = `${at.path}/${label}`;
    const now = call(
      options,
      "_update",
      path,
      given(interpreter, at, [tensorValue(node), gradient, counts ? count : NONE, ...states.map(tensorValue)]),
    );
    const results =
      now.kind === "sequence" ? now.items.flatMap(({ value }) => (value.kind === "tensor" ? [value.node] : [])) : [];
    if (results.length !== 1 + states.length) return;
    const [next, ...nextStates] = results as [NodeId, ...NodeId[]];
    replace(interpreter, node, next);
    // A list of a model's weights was given: the model has the next value, too.
    const owner = home ?? interpreter.weightOf.get(firstOf(node));
    if (owner) setWeight(interpreter, owner.named, owner.key, next);
    if (!home) rebind(interpreter, run.frame, node, next);
    states.forEach((was, i) => keep(interpreter, object, `${label}.${names[i]!}`, was, nextStates[i]!));
  }
  optimizing.steps.push(span);
  optimizing.turns++;
}

/** What the input is called that a parameter began as: what is drawn or computed, after the name that it is bound to. */
function calledFirst(interpreter: Interpreter, { frame }: StatementRun, first: NodeId): string {
  const { nodes, drawn, optimizing } = interpreter;
  const node = nodes.get(first)!;
  if (isInput(node) && !drawn.has(first)) return node.label;
  for (let scope: Scope | null = frame.scope; scope; scope = scope.parent)
    for (const [name, history] of scope.names)
      if (history.some(({ value }) => value.kind === "tensor" && value.node === first)) {
        optimizing.labels.set(first, name);
        return name;
      }
  return node.label;
}

/** What an optimizer carries lies with it, under the parameter's name. */
function keep(interpreter: Interpreter, object: ObjectInfo, key: string, was: NodeId, now: NodeId): void {
  replace(interpreter, was, now);
  setWeight(interpreter, object, key, now);
}
