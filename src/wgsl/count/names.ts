/** @file The names of a kernel's text and what is known of them: their shapes, whether they hold data, whether an address needs them. */
import type { Expression, Statement } from "wgsl_reflect";
import * as W from "wgsl_reflect/wgsl_reflect.module.js";
import { builtinCall } from "./arithmetic";
import { DATA, joined, shapeOfType, type Shape } from "./types";
import { NotCounted, type Log } from "./trace";

/** A name in scope. */
export interface Variable {
  readonly shape: Shape;
  readonly slot: number;
  readonly key: string;
  /** Stored between invocations and shared, or an array: not followed. */
  readonly opaque: boolean;
}

export type Scope = Map<string, Variable>;

export interface Frame {
  readonly scope: Scope;
  readonly path: string;
  /** Where an inlined function leaves its result; null in the entry point. */
  readonly result: Variable | null;
  /** Data branches that were open when it began. */
  readonly unsure: number;
}

/** Where constants of the module are read. */
export const NOWHERE: Frame = { scope: new Map(), path: "", result: null, unsure: 0 };

/** Loops that are being compiled, the innermost last. */
export interface OpenLoop {
  readonly key: string;
  /** Data branches that were open when it began. */
  readonly unsure: number;
}

export class Names {
  readonly slots: Float64Array<ArrayBuffer> = new Float64Array(4096);
  steps = 0;
  /** Steps when the current invocation began. */
  begun = 0;

  protected readonly functions = new Map<string, W.Function>();
  protected readonly constants = new Map<string, Expression>();
  protected readonly shared = new Set<string>();
  protected readonly buffers: ReadonlyMap<string, number>;
  protected readonly log: Log;
  /** Variables that turned out to hold data, loops and calls that end by data, variables that an address needs. */
  protected readonly tainted = new Set<string>();
  protected readonly dataExits = new Set<string>();
  protected readonly used = new Set<string>();
  protected changed = false;
  protected next = 0;
  protected pass = 0;
  protected depth = 0;
  protected unsure = 0;
  protected line = 1;
  protected loops: OpenLoop[] = [];
  protected calls: string[] = [];

  constructor(statements: readonly Statement[], buffers: ReadonlyMap<string, number>, log: Log) {
    this.buffers = buffers;
    this.log = log;
    for (const each of statements) {
      if (each instanceof W.Function) this.functions.set(each.name, each);
      else if (each instanceof W.Const) this.constants.set(each.name, each.value);
      else if (each instanceof W.Override)
        throw new NotCounted(`\`override ${each.name}\` is not supported`, each.line);
      else if (each instanceof W.Var && !buffers.has(each.name)) this.shared.add(each.name);
    }
  }

  protected refuse(text: string): never {
    throw new NotCounted(text, this.line);
  }

  protected mark(set: Set<string>, key: string): void {
    if (set.has(key)) return;
    set.add(key);
    this.changed = true;
  }

  protected declare(frame: Frame, name: string, node: { readonly id: number }, shape: Shape, opaque = false): Variable {
    const key = `${frame.path}/${node.id}`;
    const tracked = this.tainted.has(key) || opaque ? DATA : shape;
    const variable = { shape: tracked, slot: this.next, key, opaque };
    this.next += shape.lanes;
    if (this.next > this.slots.length) this.refuse("The kernel has too many variables");
    frame.scope.set(name, variable);
    return variable;
  }

  // ---- shapes -----------------------------------------------------------------------------------------------------

  protected shapeOf(node: Expression, frame: Frame): Shape {
    const whole = this.wholeShape(node, frame);
    const { postfix } = node;
    if (!postfix || whole.kind === "data") return postfix ? DATA : whole;
    if (postfix instanceof W.StringExpr) return { kind: whole.kind, lanes: postfix.value.length };
    return { kind: whole.kind, lanes: 1 };
  }

  protected wholeShape(node: Expression, frame: Frame): Shape {
    if (node instanceof W.LiteralExpr) return shapeOfType(node.type);
    if (node instanceof W.ConstExpr) return this.constantShape(node.name, frame);
    if (node instanceof W.VariableExpr) {
      const variable = frame.scope.get(node.name);
      if (variable) return this.tainted.has(variable.key) ? DATA : variable.shape;
      return this.constants.has(node.name) ? this.constantShape(node.name, frame) : DATA;
    }
    if (node instanceof W.UnaryOperator) {
      const shape = this.shapeOf(node.right, frame);
      return node.operator === "&" || node.operator === "*" ? DATA : shape;
    }
    if (node instanceof W.BinaryOperator) {
      const [a, b] = [this.shapeOf(node.left, frame), this.shapeOf(node.right, frame)];
      if (node.operator === "<<" || node.operator === ">>") return b.kind === "data" ? DATA : a;
      const both = joined(a, b);
      const compares = /^(?:[<>]=?|[=!]=|&&|\|\|)$/.test(node.operator);
      return compares && both.kind !== "data" ? { kind: "bool", lanes: both.lanes } : both;
    }
    if (node instanceof W.CreateExpr) {
      const shape = shapeOfType(node.type);
      const args = node.args ?? [];
      return args.some((each) => this.shapeOf(each, frame).kind === "data") ? DATA : shape;
    }
    if (node instanceof W.BitcastExpr) {
      return this.shapeOf(node.value, frame).kind === "data" ? DATA : shapeOfType(node.type);
    }
    if (node instanceof W.CallExpr) return this.callShape(node, frame);
    return DATA;
  }

  protected constantShape(name: string, frame: Frame): Shape {
    const local = frame.scope.get(name);
    if (local) return this.tainted.has(local.key) ? DATA : local.shape;
    const value = this.constants.get(name);
    return value ? this.shapeOf(value, NOWHERE) : DATA;
  }

  protected callShape(node: W.CallExpr, frame: Frame): Shape {
    const args = node.args ?? [];
    if (node.name === "arrayLength") return { kind: "u32", lanes: 1 };
    const own = this.functions.get(node.name);
    if (own) {
      const key = `${frame.path}/${node.id} result`;
      return this.tainted.has(key) ? DATA : shapeOfType(own.returnType);
    }
    const shapes = args.map((each) => this.shapeOf(each, frame));
    return builtinCall(node.name, shapes)?.shape ?? DATA;
  }
}
