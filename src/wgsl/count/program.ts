/**
 * @file A kernel's text reduced to what decides which elements it touches: whole numbers, conditions and storage accesses.
 * Numbers that are loaded or computed in floating point are never evaluated; where an address or a branch depends on one,
 * the count is refused. So what is counted holds for any data.
 */
import type { Expression, Statement } from "wgsl_reflect";
import * as W from "wgsl_reflect/wgsl_reflect.module.js";
import { arithmetic, type Scalar } from "./arithmetic";
import type { Frame, Scope, Variable } from "./names";
import { isIdle, leaving, sequence, type Run } from "./runs";
import { DATA, shapeOfType, wrapped } from "./types";
import { NotCounted } from "./trace";
import { laneOf, Values } from "./values";

/** Statements and loop turns of all invocations together. */
export const MAX_STEPS = 6e7;
/** Those of one invocation: a loop that never ends is met soon. */
export const MAX_OF_ONE = 2 ** 22;

export class Program extends Values {
  /**
   * The entry point, compiled until nothing more turns out to be data or needed.
   * @param builtins slots of the built-in values, by name: `global_invocation_id`, …
   */
  compile(name: string, builtins: ReadonlyMap<string, { readonly slot: number; readonly lanes: number }>): Run {
    const entry = this.functions.get(name);
    if (!entry) throw new NotCounted(`There is no function ${name}`, null);
    for (;;) {
      this.changed = false;
      this.next = 64;
      this.pass = 0;
      const scope: Scope = new Map();
      for (const { name: own, type, attributes } of entry.args) {
        const builtin = attributes?.find((each) => each.name === "builtin")?.value;
        const known = builtins.get(String(builtin));
        const shape = known ? { ...shapeOfType(type), lanes: known.lanes } : DATA;
        scope.set(own, { shape, slot: known?.slot ?? 0, key: `argument ${own}`, opaque: false });
      }
      const run = this.block(entry.body, { scope, path: "", result: null, unsure: 0 });
      if (!this.changed) return run ?? (() => 0);
    }
  }

  protected inlined(own: W.Function, node: W.CallExpr | W.Call, args: readonly Expression[], frame: Frame): Run | null {
    if (this.calls.includes(own.name)) this.refuse(`${own.name} calls itself`);
    const path = `${frame.path}/${node.id}`;
    const shape = shapeOfType(own.returnType);
    // A function that data may leave early runs as a whole or not, as far as anybody knows.
    const unsure = this.dataExits.has(path);
    const result = { shape, slot: this.next, key: `${path} result`, opaque: false };
    const inner: Frame = { scope: new Map(), path, result, unsure: this.unsure + (unsure ? 1 : 0) };
    this.results.set(`${path} result`, { slot: this.next, lanes: shape.lanes });
    this.next += shape.lanes;
    const steps: (Run | null)[] = args.map((each) => this.effects(each, frame));
    for (const [i, { name, type }] of own.args.entries()) {
      const variable = this.declare(inner, name, own.args[i]!, shapeOfType(type));
      if (args[i]) steps.push(this.assignTo(variable, args[i], frame));
    }
    const line = this.line;
    this.calls.push(own.name);
    const compile = (): Run | null => this.block(own.body, inner);
    const body = unsure ? this.maybe(compile) : compile();
    this.calls.pop();
    this.line = line;
    if (body && !isIdle(body)) {
      if (unsure) this.refuse(`What ${own.name} touches depends on loaded values`);
      steps.push(() => (body(), 0));
    }
    return sequence(steps);
  }

  // ---- statements -------------------------------------------------------------------------------------------------

  protected block(statements: readonly Statement[], frame: Frame): Run | null {
    const inner = { ...frame, scope: new Map(frame.scope) };
    return sequence(statements.map((each) => this.statement(each, inner)));
  }

  protected statement(node: Statement, frame: Frame): Run | null {
    if (Array.isArray(node)) return this.block(node as readonly Statement[], frame);
    if (node.line > 0) this.line = node.line;
    if (node instanceof W.Var || node instanceof W.Let || node instanceof W.Const) return this.definition(node, frame);
    if (node instanceof W.Assign) return this.assignment(node, frame);
    if (node instanceof W.Increment) return this.increment(node, frame);
    if (node instanceof W.If) return this.branch(node, frame);
    if (node instanceof W.For || node instanceof W.While || node instanceof W.Loop) return this.looped(node, frame);
    if (node instanceof W.Switch) return this.switched(node, frame);
    if (node instanceof W.Call) return this.call(node, node.args, frame);
    if (node instanceof W.Break) return this.leave(node.condition, 1, frame);
    if (node instanceof W.Continue) return this.leave(null, 2, frame);
    if (node instanceof W.Return) return this.returned(node, frame);
    if (node instanceof W.StaticAssert) return null;
    return this.refuse("This statement is not supported");
  }

  protected definition(node: W.Var | W.Let | W.Const, frame: Frame): Run | null {
    const declared = node.type && !(node instanceof W.Const) ? shapeOfType(node.type) : null;
    const value = node.value;
    if (value instanceof W.UnaryOperator && value.operator === "&" && this.isStorage(value.right, frame))
      this.refuse("A pointer to a binding is not followed");
    let shape = declared ?? (value ? this.shapeOf(value, frame) : DATA);
    if (shape.kind === "int" && !(node instanceof W.Const)) shape = { ...shape, kind: "i32" };
    const before = this.effects(value, frame);
    // The value is read with the names of before.
    const outer = { ...frame, scope: new Map(frame.scope) };
    const variable = this.declare(frame, node.name, node, shape);
    const { slots } = this;
    if (!value) {
      if (variable.shape.kind === "data" || !this.used.has(variable.key)) return before;
      return sequence([before, () => (slots.fill(0, variable.slot, variable.slot + shape.lanes), 0)]);
    }
    return sequence([before, this.assignTo(variable, value, outer)]);
  }

  /** Keeps the value of a variable that an address may need. */
  protected assignTo(variable: Variable, value: Expression, frame: Frame): Run | null {
    if (variable.shape.kind === "data") return null;
    if (this.shapeOf(value, frame).kind === "data") {
      this.mark(this.tainted, variable.key);
      return null;
    }
    if (!this.used.has(variable.key)) return null;
    return this.store(variable, this.lanes(value, frame), null);
  }

  /** `only`: one component. */
  protected store(variable: Variable, values: readonly Scalar[], only: number | null): Run {
    const { slots } = this;
    const { kind, lanes } = variable.shape;
    const [value] = values;
    if (only !== null || lanes === 1) {
      const slot = variable.slot + (only ?? 0);
      return () => {
        slots[slot] = wrapped(kind, value!());
        return 0;
      };
    }
    const temporary = new Float64Array(lanes);
    return () => {
      for (let i = 0; i < lanes; i++) temporary[i] = wrapped(kind, values[values.length === 1 ? 0 : i]!());
      slots.set(temporary, variable.slot);
      return 0;
    };
  }

  protected assignment(node: W.Assign, frame: Frame): Run | null {
    const { variable: target, value } = node;
    const before = this.effects(value, frame);
    const updates = String(node.operator) !== "=";
    if (target instanceof W.VariableExpr) {
      const buffer = this.isStorage(target, frame) ? this.buffers.get(target.name)! : null;
      if (buffer !== null)
        return sequence([before, this.touch(target, buffer, frame, updates ? [false, true] : [true])]);
      const variable = frame.scope.get(target.name);
      if (!variable) return sequence([before, this.postfixEffects(target.postfix, frame)]);
      return sequence([before, this.postfixEffects(target.postfix, frame), this.update(variable, node, frame)]);
    }
    // Through a pointer: to a variable of the function, as pointers to bindings are refused.
    if (target instanceof W.UnaryOperator) this.refuse("Writing through a pointer is not followed");
    return before;
  }

  protected update(variable: Variable, { variable: target, operator, value }: W.Assign, frame: Frame): Run | null {
    if (variable.shape.kind === "data") return null;
    const data = this.shapeOf(value, frame).kind === "data" || this.unsure > 0;
    const { postfix } = target;
    const only = postfix instanceof W.StringExpr && postfix.value.length === 1 ? laneOf(postfix.value) : null;
    if (data || (postfix && only === null)) {
      this.mark(this.tainted, variable.key);
      return null;
    }
    if (!this.used.has(variable.key)) return null;
    const own = this.read(variable);
    const given = this.lanes(value, frame);
    const sign = String(operator).slice(0, -1);
    if (sign === "") return this.store(variable, given, only);
    const { kind } = variable.shape;
    const old = only === null ? own : [own[only]!];
    const combined = old.map((each, i) => arithmetic(sign, kind, each, given[given.length === 1 ? 0 : i]!));
    return this.store(variable, combined, only);
  }

  protected increment({ variable: target, operator }: W.Increment, frame: Frame): Run | null {
    if (!(target instanceof W.VariableExpr)) return this.refuse("This target is not supported");
    if (this.isStorage(target, frame)) return this.touch(target, this.buffers.get(target.name)!, frame, [false, true]);
    const variable = frame.scope.get(target.name);
    if (!variable || variable.shape.kind === "data" || target.postfix) return null;
    if (this.unsure > 0) {
      this.mark(this.tainted, variable.key);
      return null;
    }
    if (!this.used.has(variable.key)) return null;
    const [own] = this.read(variable);
    const by = String(operator) === "++" ? 1 : -1;
    return this.store(variable, [() => own!() + by], null);
  }

  /** Compiles what runs or not as loaded values say. */
  protected maybe<T>(compile: () => T): T {
    this.unsure++;
    try {
      return compile();
    } finally {
      this.unsure--;
    }
  }

  protected branch(node: W.If, frame: Frame): Run | null {
    const arms = [{ condition: node.condition, body: node.body }, ...(node.elseif ?? [])];
    const line = this.line;
    const chain = (at: number): Run | null => {
      const arm = arms[at];
      if (!arm) return node.else ? this.block(node.else, frame) : null;
      const before = this.effects(arm.condition, frame);
      if (this.shapeOf(arm.condition, frame).kind !== "data") {
        const [yes, no] = [this.block(arm.body, frame), chain(at + 1)];
        if (!yes && !no) return before;
        const test = this.lanes(arm.condition, frame)[0]!;
        const choice: Run = () => (test() !== 0 ? (yes ? yes() : 0) : no ? no() : 0);
        return sequence([before, isIdle(yes) && isIdle(no) ? leaving(choice) : choice]);
      }
      const [yes, no] = this.maybe(() => [this.block(arm.body, frame), chain(at + 1)] as const);
      if (isIdle(yes) && isIdle(no)) return before;
      const log = this.log;
      const both: Run = () => {
        const branches = [yes, no].map((run) => log.record(() => void run?.()));
        log.either(branches, line);
        return 0;
      };
      return sequence([before, both]);
    };
    return chain(0);
  }

  protected switched(node: W.Switch, frame: Frame): Run | null {
    const before = this.effects(node.condition, frame);
    const loop = { key: `${frame.path}/${node.id}`, unsure: this.unsure };
    this.loops.push(loop);
    const data = this.shapeOf(node.condition, frame).kind === "data";
    const compile = () => node.cases.map(({ body }) => this.block(body, frame));
    const bodies = data ? this.maybe(compile) : compile();
    this.loops.pop();
    if (bodies.every(isIdle)) return before;
    if (data) return this.refuse("Which case runs depends on loaded values");
    const value = this.lanes(node.condition, frame)[0]!;
    const selectors = node.cases.map((each) =>
      each instanceof W.Case
        ? each.selectors.map((one) => (one instanceof W.DefaultSelector ? null : this.lanes(one, frame)[0]!))
        : [null],
    );
    const fallback = selectors.findIndex((each) => each.includes(null));
    return sequence([
      before,
      () => {
        const now = value();
        const found = selectors.findIndex((each) => each.some((one) => one?.() === now));
        const done = bodies[found === -1 ? fallback : found]?.() ?? 0;
        return done === 1 ? 0 : done;
      },
    ]);
  }

  /** break, `break if`, continue. */
  protected leave(condition: Expression | null, how: 1 | 2, frame: Frame): Run | null {
    const loop = this.loops.at(-1);
    if (!loop) return this.refuse("There is no loop to leave");
    const data = condition !== null && this.shapeOf(condition, frame).kind === "data";
    if (data || this.unsure > loop.unsure) {
      this.mark(this.dataExits, loop.key);
      return null;
    }
    if (condition === null) return leaving(() => how);
    const test = this.lanes(condition, frame)[0]!;
    return sequence([this.effects(condition, frame), leaving(() => (test() !== 0 ? how : 0))]);
  }

  protected returned({ value }: W.Return, frame: Frame): Run {
    const { result } = frame;
    if (this.unsure > frame.unsure) {
      if (!result) this.refuse("A return depends on loaded values");
      this.mark(this.tainted, result!.key);
      this.mark(this.dataExits, frame.path);
    }
    const before = this.effects(value, frame);
    const assigned = !result || this.tainted.has(result.key) ? null : this.assignTo(result, value, frame);
    return sequence([before, assigned, leaving(() => 3)])!;
  }

  // ---- loops ------------------------------------------------------------------------------------------------------

  protected looped(node: W.For | W.While | W.Loop, frame: Frame): Run | null {
    const inner: Frame = { ...frame, scope: new Map(frame.scope) };
    const key = `${frame.path}/${node.id}`;
    const init = node instanceof W.For && node.init ? this.statement(node.init, inner) : null;
    const condition = node instanceof W.Loop ? null : node.condition;
    const unsure = this.dataExits.has(key) || (condition !== null && this.shapeOf(condition, inner).kind === "data");
    const [parts, own] = unsure
      ? this.maybe(() => this.turnOf(node, condition, inner, key))
      : this.turnOf(node, condition, inner, key);
    if (!own) return init;
    if (unsure) return this.refuse("How often a loop touches memory depends on loaded values");
    const test = condition ? this.lanes(condition, inner)[0]! : null;
    const { before, body, after } = parts;
    const line = node.line;
    return sequence([
      init,
      () => {
        for (;;) {
          if (++this.steps > MAX_STEPS) throw new NotCounted("The kernel takes too many steps to follow here", null);
          if (this.steps - this.begun > MAX_OF_ONE)
            throw new NotCounted("A loop takes millions of iterations in one thread: does it end?", line);
          before?.();
          if (test && test() === 0) return 0;
          const done = body?.() ?? 0;
          if (done === 1) return 0;
          if (done === 3) return 3;
          if (after && after() === 1) return 0;
        }
      },
    ]);
  }

  /** One turn of a loop; and whether it does anything that outlives it. */
  protected turnOf(node: W.For | W.While | W.Loop, condition: Expression | null, frame: Frame, key: string) {
    // Passes are told apart by barriers and outermost loops. A loop around loops that read is one over rows or tiles.
    const inside = this.readsInLoops(node) ? 0 : 1;
    this.depth += inside;
    this.loops.push({ key, unsure: this.unsure });
    const before = this.effects(condition, frame);
    const statements = node instanceof W.Loop ? node.body.filter((each) => each !== node.continuing) : node.body;
    const scope = { ...frame, scope: new Map(frame.scope) };
    const body = sequence(statements.map((each) => this.statement(each, scope)));
    const update = node instanceof W.For ? node.increment : null;
    const continuing = node instanceof W.Loop ? (node.continuing?.body ?? []) : [];
    const after = update
      ? this.statement(update, frame)
      : sequence(continuing.map((each) => this.statement(each, scope)));
    this.loops.pop();
    this.depth -= inside;
    if (this.depth === 0 && inside === 1) this.pass++;
    // A loop whose turns do nothing but count themselves is left out.
    const counts = update instanceof W.Increment || update instanceof W.Assign;
    return [{ before, body, after }, !isIdle(before) || !isIdle(body) || (!isIdle(after) && !counts)] as const;
  }

  readonly #touching = new Map<string, boolean>();
  /** Whether a function touches memory that is bound, itself or through others. */
  protected touches(name: string): boolean {
    const known = this.#touching.get(name);
    if (known !== undefined) return known;
    this.#touching.set(name, false);
    const found = namesIn(this.functions.get(name)).some((each) => this.buffers.has(each) || this.touches(each));
    this.#touching.set(name, found);
    return found;
  }

  protected readsInLoops(node: Statement): boolean {
    let found = false;
    const look = (each: unknown, depth: number): void => {
      if (found || each === null || typeof each !== "object") return;
      if (Array.isArray(each)) return each.forEach((one) => look(one, depth));
      const loops = each instanceof W.For || each instanceof W.While || each instanceof W.Loop;
      const name = each instanceof W.VariableExpr || each instanceof W.CallExpr ? each.name : null;
      if (depth > 1 && name !== null && (this.buffers.has(name) || this.touches(name))) found = true;
      else if (each instanceof W.Node) Object.values(each).forEach((one) => look(one, depth + (loops ? 1 : 0)));
    };
    look(node, 0);
    return found;
  }
}

/** Names of values and functions in a piece of the text. */
function namesIn(piece: unknown): string[] {
  if (piece === null || typeof piece !== "object") return [];
  if (Array.isArray(piece)) return piece.flatMap(namesIn);
  const own =
    piece instanceof W.VariableExpr || piece instanceof W.CallExpr || piece instanceof W.Call ? [piece.name] : [];
  return piece instanceof W.Node ? [...own, ...Object.values(piece).flatMap(namesIn)] : own;
}
