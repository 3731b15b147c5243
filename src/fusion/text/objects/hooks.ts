/** @file Hooks: functions that PyTorch calls around a module's forward pass, or with a gradient once `backward()` has it. */
import type { NodeId } from "../../ir";
import { gradOf } from "../calls/transforms";
import { gradients, refuse } from "../calls/written-derivatives";
import type { CallAt, Interpreter, StatementRun } from "../interpreter";
import { callAnyDef, libraryClass } from "../library/library";
import { truthOf } from "../values/constants";
import {
  BROKEN,
  type GivenArgument,
  type Hook,
  type HookedCall,
  isBroken,
  itemsIn,
  NONE,
  type ObjectInfo,
  type Operand,
  tensorValue,
  type Value,
} from "../values/values";
import { leavesOf } from "../values/trees";
import { requiresGrad } from "./parameters";
import { instantiate } from "./objects";

const KINDS: ReadonlyMap<string, Hook["kind"]> = new Map([
  ["register_forward_pre_hook", "before"],
  ["register_forward_hook", "after"],
  ["register_backward_hook", "backward"],
  ["register_full_backward_hook", "backward"],
  ["register_hook", "gradient"],
  ["register_post_accumulate_grad_hook", "gradient"],
]);

const loose = (value: Value): Operand => ({ value, path: "", expr: null });
const tuple = (values: readonly Value[]): Value => ({ kind: "sequence", items: values.map(loose) });

/** What takes a hook away again, by the object that `register_…_hook` answers. */
const handles = new WeakMap<ObjectInfo, Hook>();

/** What the hooks of a module are known by: of a chain, what it holds. */
function hookedIn(module: Value): Exclude<Hook["of"], NodeId> | null {
  if (module.kind === "object") return module.object;
  if (module.kind === "layer") return module.layer;
  if (module.kind === "sequence" && module.chain) return module.items;
  return module.kind === "dict" && module.chain ? module.entries : null;
}

/** What `register_…_hook(f)` of a module or a tensor answers; null of another method. */
export function registerHook(
  interpreter: Interpreter,
  run: StatementRun,
  at: CallAt,
  self: Value,
  name: string,
  args: readonly GivenArgument[],
): Value | null {
  const kind = KINDS.get(name);
  const [first] = args.filter((arg) => arg.name === null || arg.name.text === "hook");
  if (!kind || !first) return null;
  const of = self.kind === "tensor" ? (kind === "gradient" ? self.node : null) : hookedIn(self);
  if (of === null) {
    const text = "Hooks stand at modules that are called, and at tensors.";
    interpreter.diagnostics.add("bad-method", at.expr.span, text);
    return BROKEN;
  }
  const given = (word: string): boolean =>
    truthOf(args.find((arg) => arg.name?.text === word)?.operand.value ?? NONE) === true;
  const hook: Hook = { kind, of, call: first.operand.value, withKeywords: given("with_kwargs") };
  if (given("prepend")) interpreter.hooks.unshift(hook);
  else interpreter.hooks.push(hook);
  const handle = instantiate(interpreter, run, at, libraryClass("RemovableHandle")!, []);
  if (handle.kind === "object") handles.set(handle.object, hook);
  return handle;
}

/** `handle.remove()`; whether that is what is called. */
export function removeHook({ hooks }: Interpreter, object: ObjectInfo, name: string): boolean {
  const hook = name === "remove" ? handles.get(object) : undefined;
  if (hook) hooks.splice(0, hooks.length, ...hooks.filter((each) => each !== hook));
  return hook !== undefined;
}

/** What a hook answers; None where it returns nothing. */
function ask(interpreter: Interpreter, run: StatementRun, at: CallAt, of: Value, values: readonly Value[]): Value {
  const { span } = at.expr;
  const given = values.map((value): GivenArgument => ({ name: null, operand: loose(value), span }));
  const call = { ...at, expr: { ...at.expr, args: [] } };
  const partial = of.kind === "partial" ? of : null;
  const def = partial ? partial.of : of;
  const args = [...(partial?.args ?? []), ...given];
  return def.kind === "def"
    ? callAnyDef(interpreter, run, { ...def, ...call, mayEnd: true }, args)
    : interpreter.call(run, call, def, args);
}

/** A module's call with the hooks that it has. */
export function withHooks(
  interpreter: Interpreter,
  run: StatementRun,
  at: CallAt,
  module: Value,
  args: readonly GivenArgument[],
  call: (args: readonly GivenArgument[]) => Value,
): Value {
  const named = hookedIn(module);
  const own = interpreter.hooks.filter(({ of }) => of === named);
  if (own.length === 0) return call(args);
  let given = args;
  const positions = (): readonly Value[] => given.filter(({ name }) => !name).map(({ operand }) => operand.value);
  const keywords = (): Value => ({
    kind: "dict",
    entries: new Map(given.flatMap(({ name, operand }) => (name ? [[name.text, operand]] : []))),
  });
  const asked = (hook: Hook, i: number, rest: readonly Value[]): Value =>
    ask(interpreter, run, { ...at, path: `${at.path}/hook${i}` }, hook.call, [
      module,
      tuple(positions()),
      ...(hook.withKeywords ? [keywords()] : []),
      ...rest,
    ]);
  for (const [i, hook] of own.entries()) {
    const answer = hook.kind === "before" ? asked(hook, i, []) : NONE;
    if (isBroken(answer)) return BROKEN;
    if (answer.kind === "none") continue;
    const { span } = at.expr;
    const [values, words] = hook.withKeywords ? itemsIn(answer) : [answer, keywords()];
    given = [
      ...itemsIn(values!).map((value): GivenArgument => ({ name: null, operand: loose(value), span })),
      ...(words?.kind === "dict"
        ? [...words.entries].map(([text, operand]): GivenArgument => ({ name: { text, span }, operand, span }))
        : []),
    ];
  }
  let value = call(given);
  for (const [i, hook] of own.entries()) {
    if (isBroken(value)) return BROKEN;
    const answer = hook.kind === "after" ? asked(hook, i, [value]) : NONE;
    if (answer.kind !== "none") value = answer;
  }
  for (const hook of own)
    if (hook.kind === "backward") interpreter.hooked.push({ hook, module, inputs: positions(), output: value });
  return value;
}

/** A hook that is called with a gradient, and the last tensor that it waits for. */
interface Waiting {
  readonly node: NodeId;
  readonly call: (gradient: Value, i: number) => Value;
}

/** Calls the hooks that wait for gradients, from the loss on; `backward()` was called. */
export function callGradientHooks(interpreter: Interpreter, run: StatementRun, at: CallAt): void {
  const { hooks, hooked, nodes, losses, optimizing, cotangents } = interpreter;
  if (hooked.length === 0 && !hooks.some(({ kind }) => kind === "gradient")) return;
  if (losses.length > 1) {
    refuse(interpreter, at.expr.span, "Hooks of gradients are called by one backward() here: add up the losses.");
    return;
  }
  const reached = new Set(losses);
  for (const id of reached) for (const input of nodes.get(id)?.inputs ?? []) reached.add(input);
  const path = (i: number): CallAt => ({ ...at, path: `${at.path}/hook${i}` });
  const ofTensors = hooks.flatMap(({ kind, of, call }): Waiting[] => {
    if (kind !== "gradient" || typeof of !== "string") return [];
    const node = optimizing.replaced.get(of) ?? of;
    return [{ node, call: (gradient, i) => ask(interpreter, run, path(i), call, [gradient]) }];
  });
  const ofModules = hooked.flatMap((each): Waiting[] => {
    const [output] = leavesOf(loose(each.output));
    if (output?.value.kind !== "tensor") return [];
    const { node } = output.value;
    return [{ node, call: (gradient, i) => askBackward(interpreter, run, path(i), each, node, gradient) }];
  });
  const order = [...nodes.keys()];
  const waiting = [...ofTensors, ...ofModules]
    .filter(({ node }) => reached.has(node))
    .toSorted((a, b) => order.indexOf(b.node) - order.indexOf(a.node));
  for (const [i, { node, call }] of waiting.entries()) {
    const gradient = gradOf(interpreter, run, at.expr, node);
    if (gradient.kind !== "tensor") return;
    const answer = call(gradient, i);
    cotangents.set(node, answer.kind === "tensor" ? answer.node : gradient.node);
  }
}

/** `hook(module, grad_input, grad_output)`. */
function askBackward(
  interpreter: Interpreter,
  run: StatementRun,
  at: CallAt,
  { hook, module, inputs }: HookedCall,
  output: NodeId,
  gradient: Value,
): Value {
  if (gradient.kind !== "tensor") return BROKEN;
  const seeds = new Map([[output, gradient.node]]);
  const given = inputs.map((input): Value => {
    if (input.kind !== "tensor" || !requiresGrad(interpreter, input.node)) return NONE;
    const found = gradients(interpreter, run, at.expr, () => seeds, [input.node]);
    return found ? tensorValue(found[0]!) : NONE;
  });
  const answer = ask(interpreter, run, at, hook.call, [module, tuple(given), tuple([gradient])]);
  if (answer.kind === "none" || isBroken(answer)) return answer;
  const text =
    "A hook of a module that answers other gradients isn't called here: change them at a tensor, x.register_hook(f).";
  return refuse(interpreter, at.expr.span, text);
}
