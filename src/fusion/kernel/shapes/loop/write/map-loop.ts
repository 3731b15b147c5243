/** @file A loop inside a kernel: carried values are registers that each iteration sets again. */
import { sizeOf, type NodeId, type TensorType } from "../../../../ir";
import {
  neededFor,
  opDef,
  operandTypes,
  ownShape,
  resultAt,
  type BodyArg,
  type BodyValue,
  type LoopBody,
} from "../../../../ops";
import { registerScalar, type Emitter } from "../../../emit/emitter";
import type { Index } from "../../../emit/index-space";
import { literal, type Expr, type Reg, type Scalar, type Value, type Width } from "../../../emit/kernel-ir";
import { elementRefs, type Elements } from "./run-elements";

/** Where iterations meet rows of tensors. */
export interface RowsMet {
  /** The elements of a walked parameter that an iteration reads. */
  readonly read: (param: number, iteration: Index) => Elements;
  /** What an iteration gives of each of these results, by number; before it sets what it carries. */
  readonly give: (given: ReadonlyMap<number, Elements>, iteration: Index) => void;
}

export interface LoopCall {
  readonly body: LoopBody;
  /** Of the body's values. */
  readonly types: readonly TensorType[];
  readonly iterations: number;
  /** Which results are wanted, by number. */
  readonly results: readonly number[];
  /** The elements of each parameter of the body; those that the results do not need, and those that are walked, may be left out. */
  readonly args: readonly (Elements | undefined)[];
  /** Nodes of the graph that it computes. */
  readonly nodes: readonly NodeId[];
  readonly rows?: RowsMet;
}

const widest = (values: readonly (Value | undefined)[]): Width =>
  values.some((value) => value?.kind === "reg" && value.width === 4) ? 4 : 1;

const numberAs = (value: number, to: Scalar): number =>
  to === "bool" ? Number(value !== 0) : to === "i32" ? Math.trunc(value) : value;

const sameElements = (a: Elements, b: Elements): boolean => a.length === b.length && a.every((x, i) => x === b[i]);

/** Writes the loop where the lowering stands; answers with the registers of what it carries after the last iteration, for `results` that are. */
export function writeLoop(low: Emitter, call: LoopCall): ReadonlyMap<number, Elements> {
  const { body, types, iterations, results, nodes, rows } = call;
  const needed = neededFor(body, results);
  const { carried, ends } = needed;
  const args = call.args.map((arg, at) => (carried.includes(at) || needed.params.has(at) ? arg : undefined));
  const width = widest(args.flatMap((arg) => arg ?? []));
  const registers = new Map<number, readonly Reg[]>();
  for (const at of carried) {
    const { name, dtype } = body.params[at]!;
    registers.set(
      at,
      args[at]!.map((arg) => low.variable(name, registerScalar(dtype), width, arg, nodes)),
    );
  }
  const typeOf = (arg: BodyArg): TensorType => {
    if (arg.kind === "value") return types[arg.at]!;
    if (arg.kind === "param") return { dtype: body.params[arg.at]!.dtype, shape: ownShape(body.params[arg.at]!) };
    return { dtype: arg.kind === "iteration" ? "i32" : arg.dtype, shape: [] };
  };
  const as = (value: Value, to: Scalar): Value => {
    if (value.scalar === to) return value;
    if (value.kind === "literal") return literal(numberAs(value.value, to), to);
    return low.let(`${value.name}_${to}`, to, value.width, { kind: "convert", a: value, to }, nodes);
  };
  low.loop(body.iteration, iterations, (index) => {
    const values = new Map<number, Elements>();
    const iteration = needed.iteration
      ? low.let(`${body.iteration}_now`, "i32", 1, { kind: "index", index }, nodes)
      : literal(0, "i32");
    const met = new Map<number, Elements>();
    const paramOf = (at: number): Elements => {
      const known = registers.get(at) ?? met.get(at);
      if (known) return known;
      const value = body.params[at]!.walk ? rows!.read(at, index) : args[at]!;
      met.set(at, value);
      return value;
    };
    const valueOf = (arg: BodyArg): Elements => {
      if (arg.kind === "literal") return [literal(arg.value, registerScalar(arg.dtype))];
      if (arg.kind === "iteration") return [iteration];
      return arg.kind === "value" ? values.get(arg.at)! : paramOf(arg.at);
    };
    for (const at of [...needed.values].toSorted((a, b) => a - b)) {
      const value = body.values[at]!;
      const def = opDef(value.op);
      const wanted = operandTypes(
        def,
        value.args.map((arg) => typeOf(arg).dtype),
        value.attrs,
      );
      const given = value.args.map((arg, i) => valueOf(arg).map((one) => as(one, registerScalar(wanted[i]!))));
      values.set(at, elementsOf(value, given, value.args.map(typeOf), types[at]!));
    }
    const own = new Set<Value>([...registers.values()].flat());
    /** What a register holds now, whatever it is set to later. */
    const held = (value: Value): Value =>
      value.kind === "reg" && own.has(value)
        ? low.let(`${value.name}_before`, value.scalar, value.width, value, nodes)
        : value;
    const given = results.flatMap((number): [number, Elements][] => {
      const { kind, at } = resultAt(body, number);
      if (kind === "last") return [];
      return [[number, kind === "before" ? registers.get(at)! : valueOf(body.rows[at]!)]];
    });
    if (given.length > 0) rows!.give(new Map(given), index);
    // Another carried value is read before it is set.
    const after = carried.map((at, i): Elements => {
      const value = valueOf(ends[i]!);
      return sameElements(value, registers.get(at)!) ? value : value.map(held);
    });
    carried.forEach((at, i) => {
      registers.get(at)!.forEach((register, k) => {
        if (after[i]![k] !== register) low.set(register, after[i]![k]!, nodes);
      });
    });
  });
  return new Map(
    results.flatMap((number): [number, Elements][] => {
      const { kind, at } = resultAt(body, number);
      return kind === "last" ? [[number, registers.get(at)!]] : [];
    }),
  );

  /** The elements of one value, one register each. */
  function elementsOf(
    { name, op, attrs }: BodyValue,
    given: readonly Elements[],
    from: readonly TensorType[],
    type: TensorType,
  ): Elements {
    const def = opDef(op);
    const scalar = registerScalar(type.dtype);
    const shapes = from.map(({ shape }) => shape);
    const each = (of: (k: number) => Value): Elements => Array.from({ length: sizeOf(type.shape) }, (_, k) => of(k));
    if (def.loop) {
      const inner = def.loop.bodyOf(attrs);
      const result = def.loop.result(attrs);
      const found = writeLoop(low, {
        body: inner,
        types: def.loop.typesOf(inner),
        iterations: def.loop.iterations(attrs),
        results: [result],
        args: given,
        nodes,
      });
      return found.get(result)!;
    }
    const refs = elementRefs(def, attrs, shapes, type.shape);
    if (def.kind === "movement")
      return each((k) => {
        const [ref] = refs[k]!;
        return ref ? given[ref.operand]![ref.at]! : literal(def.movement!.fill?.(attrs) ?? 0, scalar);
      });
    if (def.kind === "reduce")
      return each((k) =>
        folded(
          name,
          op,
          refs[k]!.map(({ at }) => given[0]![at]!),
          scalar,
        ),
      );
    if (def.kind === "contraction")
      return each((k) => {
        let sum: Value | null = null;
        for (let i = 0; i < refs[k]!.length; i += 2) {
          const [a, b] = [given[0]![refs[k]![i]!.at]!, given[1]![refs[k]![i + 1]!.at]!];
          const product: Expr = { kind: "op", def: opDef("mul"), args: [a, b], attrs: {}, index: null };
          const next: Expr = sum === null ? product : { kind: "fma", a, lane: null, b, c: sum };
          sum = low.let(name, scalar, widest([a, b]), next, nodes);
        }
        return sum ?? literal(0, scalar);
      });
    return each((k) => {
      const args = refs[k]!.map(({ operand, at }) => given[operand]![at]!);
      return low.let(name, scalar, widest(args), { kind: "op", def, args, attrs, index: null }, nodes);
    });
  }

  function folded(name: string, op: string, elements: Elements, scalar: Scalar): Value {
    const def = opDef(op);
    const { map, finish } = def.reduce!;
    const parts = elements.map((a) =>
      map ? low.let(`${name}_part`, a.scalar, widest([a]), { kind: "map", def, a }, nodes) : a,
    );
    const [first, ...rest] = parts as [Value, ...Value[]];
    const all = rest.reduce<Value>(
      (a, b) => low.let(`${name}_acc`, a.scalar, widest([a, b]), { kind: "combine", def, a, b }, nodes),
      first,
    );
    if (!finish) return all;
    return low.let(name, scalar, widest([all]), { kind: "finish", def, a: all, count: elements.length }, nodes);
  }
}
