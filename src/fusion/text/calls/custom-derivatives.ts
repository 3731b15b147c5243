/**
 * @file Functions whose derivative the program writes itself: PyTorch's `autograd.Function`, JAX's `custom_vjp`, `custom_jvp` and
 * `custom_gradient`. A call's results are nodes that know the rule; it is read where a derivative first passes through them.
 */
import type { OwnRule, Template } from "../../autodiff";
import { isInput, type Node, type NodeId, nodeId, sameShape, showType, type TensorType } from "../../ir";
import { findOp, opDef, withDefaults } from "../../ops";
import type { CallAt, Interpreter, StatementRun } from "../interpreter";
import { addNode, toNode, typeOf } from "../interpreter";
import { libraryClass } from "../library/library";
import { instantiate } from "../objects/objects";
import { setField } from "../objects/fields";
import { openTrial } from "../trial";
import { leavesOf, mapLeaves } from "../values/trees";
import {
  BROKEN,
  type CustomFunction,
  type GivenArgument,
  isBroken,
  itemsIn,
  NONE,
  numberValue,
  type Operand,
  tensorValue,
  type Value,
} from "../values/values";
import { applyOp } from "./apply";
import { gradients } from "./written-derivatives";

const loose = (value: Value): Operand => ({ value, path: "", expr: null });
const tuple = (values: readonly Value[]): Value => ({ kind: "sequence", items: values.map(loose) });

/** What a rule is written with, by the kind of function. */
interface Answer {
  readonly value: Value;
  /** Cotangents of the arguments from those of the results. */
  readonly backward?: (cotangents: Value) => Value;
  /** The results' tangents from the arguments'. */
  readonly forward?: (tangents: readonly Value[]) => Value;
}

/** One call of such a function. */
class CustomCall {
  private readonly interpreter: Interpreter;
  private readonly run: StatementRun;
  private readonly at: CallAt;
  private readonly custom: CustomFunction;
  private readonly args: readonly Operand[];
  private calls = 0;

  constructor(
    interpreter: Interpreter,
    run: StatementRun,
    at: CallAt,
    custom: CustomFunction,
    args: readonly Operand[],
  ) {
    this.interpreter = interpreter;
    this.run = run;
    this.at = at;
    this.custom = custom;
    this.args = args;
  }

  private isSmooth(value: Value): value is Extract<Value, { kind: "tensor" }> {
    return value.kind === "tensor" && ["f32", "f16"].includes(typeOf(this.interpreter, value.node).dtype);
  }

  /** Calls a function of the program. */
  private ask(of: Value, values: readonly Value[]): Value {
    const { expr, path } = this.at;
    const given = values.map((value) => ({ name: null, operand: loose(value), span: expr.span }));
    const call = { ...this.at, expr: { ...expr, args: [] }, path: `${path}/${this.custom.name}${this.calls++}` };
    return this.interpreter.call(this.run, call, of, given);
  }

  /** Reads what may call the function itself. */
  private inside<T>(read: () => T): T {
    const { custom } = this;
    const was = custom.isOpen ?? false;
    custom.isOpen = true;
    const value = read();
    custom.isOpen = was;
    return value;
  }

  /** PyTorch's `setup_context(ctx, inputs, output)`, which answers nothing. */
  private setUp(of: Value, context: Value, values: readonly Value[]): void {
    if (of.kind !== "def" || context.kind !== "object") return;
    const owner = context.object.of;
    this.ask({ ...of, method: { self: context, owner } }, values);
  }

  private wrong(text: string): null {
    this.interpreter.diagnostics.add("bad-rule", this.at.expr.span, text);
    return null;
  }

  private context(): Value {
    const { interpreter, run, at, args } = this;
    const context = instantiate(
      interpreter,
      run,
      { ...at, expr: { ...at.expr, args: [] } },
      libraryClass("FunctionCtx")!,
      [],
    );
    const needs = args.map(({ value }): Value => ({ kind: "bool", value: this.isSmooth(value) }));
    if (context.kind === "object") setField(interpreter, context.object, "needs_input_grad", tuple(needs));
    return context;
  }

  private answer(): Answer {
    const { style, forward, rules, fixed, apart } = this.custom;
    const values = this.args.map(({ value }) => value);
    const [first, second] = rules;
    const held = values.filter((_, i) => fixed.has(i));
    if (style === "Function") {
      const context = this.context();
      const isApart = second!.kind === "def";
      const value = this.ask(forward, isApart ? values : [context, ...values]);
      if (isApart) this.setUp(second!, context, [tuple(values), value]);
      const backward = (cotangents: Value): Value => this.ask(first!, [context, ...itemsIn(cotangents)]);
      return { value, ...(first!.kind === "def" && { backward }) };
    }
    if (style === "custom_vjp" && first && second) {
      const answer = this.inside(() => this.ask(first, values));
      const [value = BROKEN, residuals = NONE] = itemsIn(answer);
      return { value, backward: (cotangents) => this.ask(second, [...held, residuals, cotangents]) };
    }
    if (style === "custom_gradient") {
      const [value = BROKEN, pull = BROKEN] = itemsIn(this.ask(forward, values));
      return { value, backward: (cotangents) => this.ask(pull, itemsIn(cotangents)) };
    }
    const value = this.ask(forward, values);
    if (!first) return { value };
    const primals = values.filter((_, i) => !fixed.has(i));
    const single = (tangents: readonly Value[]): Value => {
      const terms = rules.flatMap((rule, i) =>
        rule.kind === "none" ? [] : [this.ask(rule, [tangents[i]!, value, ...primals])],
      );
      return terms.reduce((sum, term) => this.ask({ kind: "op", op: findOp("add")! }, [sum, term]));
    };
    const whole = (tangents: readonly Value[]): Value =>
      itemsIn(this.ask(first, [...held, tuple(primals), tuple(tangents)]))[1] ?? BROKEN;
    return { value, forward: apart ? single : whole };
  }

  /** The call's value, with nodes that have the rule for its tensors. */
  value(): Value {
    const { interpreter, run, at, custom } = this;
    const answer = this.answer();
    // Where nothing is differentiated, nobody asks for the rule.
    if (isBroken(answer.value) || interpreter.keepsWeights) return answer.value;
    const leaves = this.args.map((arg, i) => (custom.fixed.has(i) ? [] : leavesOf(arg)));
    const operands = leaves.flat().flatMap(({ value }) => (this.isSmooth(value) ? [value.node] : []));
    if (operands.length === 0) return answer.value;
    const outputs: NodeId[] = [];
    const single = answer.value.kind === "tensor";
    const value = mapLeaves(loose(answer.value), (leaf, i) => {
      if (!this.isSmooth(leaf.value)) return leaf;
      const path = this.free(single ? at.path : `${at.path}#${i}`);
      const result = applyOp(
        interpreter,
        run,
        { op: findOp("identity")!, path, expr: at.expr },
        { tensors: [leaf], attrs: {} },
      );
      if (result.kind === "tensor") outputs.push(result.node);
      return { ...leaf, value: result };
    }).value;
    const rule: OwnRule = { label: custom.name, operands, outputs, ...this.templates(answer, leaves, outputs) };
    for (const id of outputs) interpreter.ownRules.set(id, rule);
    return value;
  }

  private free(path: string): string {
    let id = path;
    for (let again = 2; this.interpreter.nodes.has(nodeId(id)); again++) id = `${path}@${again}`;
    return id;
  }

  private templates(
    { value, backward, forward }: Answer,
    leaves: readonly (readonly Operand[])[],
    outputs: readonly NodeId[],
  ): Pick<OwnRule, "vjp" | "jvp"> {
    const types = outputs.map((id) => typeOf(this.interpreter, id));
    const like = (nodes: readonly NodeId[]): Value => {
      let next = 0;
      return mapLeaves(loose(value), (leaf) =>
        this.isSmooth(leaf.value) ? loose(tensorValue(nodes[next++]!)) : loose(NONE),
      ).value;
    };
    const smooth = leaves
      .flat()
      .flatMap(({ value: each }) => (this.isSmooth(each) ? [typeOf(this.interpreter, each.node)] : []));
    const tangentsOf = (nodes: readonly NodeId[]): readonly Value[] => {
      let next = 0;
      return this.args.flatMap((arg, i) =>
        this.custom.fixed.has(i)
          ? []
          : [
              mapLeaves(arg, (leaf) =>
                loose(this.isSmooth(leaf.value) ? tensorValue(nodes[next++]!) : numberValue(0, false)),
              ).value,
            ],
      );
    };
    const pushed = (nodes: readonly NodeId[]): readonly (NodeId | null)[] | null => {
      const answer = forward!(tangentsOf(nodes));
      return isBroken(answer)
        ? null
        : leavesOf(loose(answer)).map(({ value: each }) => (each.kind === "tensor" ? each.node : null));
    };
    const pulled = (nodes: readonly NodeId[]): readonly (NodeId | null)[] | null => {
      if (backward) return this.cotangentsIn(backward(like(nodes)), leaves);
      const tangents = this.standIns(smooth, "tangent");
      const results = pushed(tangents.map(({ id }) => id));
      if (!results) return null;
      const seeds = new Map(results.flatMap((id, i) => (id === null ? [] : [[id, nodes[i]!] as const])));
      return gradients(
        this.interpreter,
        this.run,
        this.at.expr,
        () => seeds,
        tangents.map(({ id }) => id),
      );
    };
    return {
      vjp: once(() => (backward || forward ? this.traced(types, "cotangent", pulled) : null)),
      jvp: once(() => (forward ? this.traced(smooth, "tangent", pushed) : null)),
    };
  }

  /** Cotangents as a rule answers them, one for each smooth leaf of the arguments. */
  private cotangentsIn(answer: Value, leaves: readonly (readonly Operand[])[]): readonly (NodeId | null)[] | null {
    if (isBroken(answer)) return null;
    const { interpreter, custom } = this;
    const given = leaves.filter((_, i) => !custom.fixed.has(i));
    const each = answer.kind === "sequence" ? itemsIn(answer) : [answer];
    const beyond = each.slice(given.length);
    if (each.length < given.length || beyond.some(({ kind }) => kind !== "none"))
      return this.wrong(
        `The derivative of \`${custom.name}\` answers ${each.length} gradients for ${given.length} arguments: return one for each, and None for what is no tensor.`,
      );
    const found: (NodeId | null)[] = [];
    for (const [i, own] of given.entries()) {
      const parts = leavesOf(loose(each[i]!));
      for (const [j, { value }] of own.entries()) {
        if (!this.isSmooth(value)) continue;
        const part = parts.length === own.length ? parts[j]!.value : NONE;
        const node =
          part.kind === "number" && part.value !== 0
            ? toNode(interpreter, this.run, loose(part), [])
            : part.kind === "tensor"
              ? part.node
              : null;
        const [want, got] = [value.node, node ?? value.node].map((id) => typeOf(interpreter, id)) as [
          TensorType,
          TensorType,
        ];
        if (!sameShape(want.shape, got.shape))
          return this.wrong(
            `The derivative of \`${custom.name}\` answers ${showType(got)} for argument ${i + 1}, which is ${showType(want)}: a gradient has the shape of its argument.`,
          );
        found.push(node);
      }
    }
    return found;
  }

  private standIns(types: readonly TensorType[], label: string): readonly Node[] {
    const { interpreter, at, run } = this;
    return types.map((type, i) => {
      const id = addNode(interpreter, {
        id: this.free(`${at.path}/${label}#${i}`),
        op: "input",
        inputs: [],
        attrs: withDefaults(opDef("input"), {}),
        type,
        label,
        groups: run.frame.groups,
        span: at.expr.span,
      });
      return interpreter.nodes.get(id)!;
    });
  }

  /** What `answer` makes of stand-ins, as a template; nothing of it stays in the graph but what it draws. */
  private traced(
    types: readonly TensorType[],
    label: string,
    answer: (nodes: readonly NodeId[]) => readonly (NodeId | null)[] | null,
  ): Template | null {
    const { interpreter } = this;
    const { nodes } = interpreter;
    const trial = openTrial(interpreter);
    const standIns = this.standIns(types, label);
    const results = answer(standIns.map(({ id }) => id));
    const all = trial.made();
    const reached = new Set((results ?? []).filter((id) => id !== null && all.has(id)) as NodeId[]);
    for (const id of reached) for (const input of nodes.get(id)!.inputs) if (all.has(input)) reached.add(input);
    const own = [...all]
      .filter((id) => reached.has(id) && !standIns.some((each) => each.id === id))
      .map((id) => nodes.get(id)!);
    const isNonlinear = own.some((node) => isInput(node) && node.label === "tangent" && label !== "tangent");
    const drawn = own.filter((node) => isInput(node)).map(({ id }) => id);
    const isKnown = results !== null && !trial.hasErrors();
    trial.dropAllBut(new Set(isNonlinear ? [] : drawn));
    if (isNonlinear)
      return this.wrong(
        `The rule of \`${this.custom.name}\` is not linear in its tangents, so that no gradient follows from it.`,
      );
    for (const id of drawn) interpreter.spare.add(id);
    return isKnown ? { standIns, nodes: own.filter((node) => !isInput(node)), results } : null;
  }
}

function once<T>(make: () => T): () => T {
  let known: { readonly value: T } | null = null;
  return () => (known ??= { value: make() }).value;
}

/** Arguments by position: JAX finds keywords among the parameters of the def. */
function positional({ forward }: CustomFunction, args: readonly GivenArgument[]): readonly Operand[] {
  const names = forward.kind === "def" ? forward.def.params.map(({ name }) => name.text) : [];
  const found = args.filter(({ name }) => name === null).map(({ operand }) => operand);
  for (const { name, operand } of args) if (name) found[names.indexOf(name.text)] = operand;
  return found;
}

/** A call of a function with a derivative of its own. */
export function callCustom(
  interpreter: Interpreter,
  run: StatementRun,
  at: CallAt,
  custom: CustomFunction,
  args: readonly GivenArgument[],
): Value {
  const { forward } = custom;
  const unknown = args.find(
    ({ name }) =>
      name && (forward.kind !== "def" || !forward.def.params.some((param) => param.name.text === name.text)),
  );
  // Missing and unknown arguments are told as those of the function itself.
  if (unknown && forward.kind === "def" && custom.style !== "Function") return interpreter.call(run, at, forward, args);
  const operands = positional(custom, args);
  const isOpen = operands
    .flatMap(leavesOf)
    .some(
      ({ value }) =>
        isBroken(value) || value.kind === "hole" || (value.kind === "tensor" && interpreter.unknown.has(value.node)),
    );
  if (custom.isOpen) return interpreter.call(run, at, forward, args);
  return isOpen ? BROKEN : new CustomCall(interpreter, run, at, custom, operands).value();
}
