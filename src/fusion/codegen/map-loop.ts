/** @file A loop inside a kernel: carried values are registers that each iteration sets again. */
import type { DType, NodeId } from "../ir";
import { neededFor, opDef, operandTypes, resultAt, type BodyArg, type LoopBody } from "../ops";
import { registerScalar, type Emitter } from "./emitter";
import type { Index } from "./index-space";
import { literal, type Reg, type Scalar, type Value, type Width } from "./kernel-ir";

/** Where iterations meet rows of tensors. */
export interface RowsMet {
  /** The element of a walked parameter that an iteration reads. */
  readonly read: (param: number, iteration: Index) => Value;
  /** What an iteration gives of each of these results, by number; before it sets what it carries. */
  readonly give: (given: ReadonlyMap<number, Value>, iteration: Index) => void;
}

export interface LoopCall {
  readonly body: LoopBody;
  readonly dtypes: readonly DType[];
  readonly iterations: number;
  /** Which results are wanted, by number. */
  readonly results: readonly number[];
  /** One for each parameter of the body; those that the results do not need, and those that are walked, may be left out. */
  readonly args: readonly (Value | undefined)[];
  /** Nodes of the graph that it computes. */
  readonly nodes: readonly NodeId[];
  readonly rows?: RowsMet;
}

const widest = (values: readonly (Value | undefined)[]): Width =>
  values.some((value) => value?.kind === "reg" && value.width === 4) ? 4 : 1;

const numberAs = (value: number, to: Scalar): number =>
  to === "bool" ? Number(value !== 0) : to === "i32" ? Math.trunc(value) : value;

/** Writes the loop where the lowering stands; answers with the registers of what it carries after the last iteration, for `results` that are. */
export function writeLoop(low: Emitter, call: LoopCall): ReadonlyMap<number, Value> {
  const { body, dtypes, iterations, results, nodes, rows } = call;
  const needed = neededFor(body, results);
  const { carried, ends } = needed;
  const args = call.args.map((arg, at) => (carried.includes(at) || needed.params.has(at) ? arg : undefined));
  const width = widest(args);
  const registers = new Map<number, Reg>();
  for (const at of carried) {
    const { name, dtype } = body.params[at]!;
    registers.set(at, low.variable(name, registerScalar(dtype), width, args[at]!, nodes));
  }
  low.loop(body.iteration, iterations, (index) => {
    const values = new Map<number, Value>();
    const iteration = needed.iteration
      ? low.let(`${body.iteration}_now`, "i32", 1, { kind: "index", index }, nodes)
      : literal(0, "i32");
    const met = new Map<number, Value>();
    const paramOf = (at: number): Value => {
      const known = registers.get(at) ?? met.get(at);
      if (known) return known;
      const value = body.params[at]!.walk ? rows!.read(at, index) : args[at]!;
      met.set(at, value);
      return value;
    };
    const valueOf = (arg: BodyArg): Value => {
      if (arg.kind === "literal") return literal(arg.value, registerScalar(arg.dtype));
      if (arg.kind === "iteration") return iteration;
      return arg.kind === "value" ? values.get(arg.at)! : paramOf(arg.at);
    };
    const dtypeOf = (arg: BodyArg): DType =>
      arg.kind === "literal"
        ? arg.dtype
        : arg.kind === "iteration"
          ? "i32"
          : arg.kind === "value"
            ? dtypes[arg.at]!
            : body.params[arg.at]!.dtype;
    const as = (value: Value, to: Scalar): Value => {
      if (value.scalar === to) return value;
      if (value.kind === "literal") return literal(numberAs(value.value, to), to);
      return low.let(`${value.name}_${to}`, to, value.width, { kind: "convert", a: value, to }, nodes);
    };
    for (const at of [...needed.values].toSorted((a, b) => a - b)) {
      const { name, op, args: from, attrs } = body.values[at]!;
      const def = opDef(op);
      const wanted = operandTypes(def, from.map(dtypeOf), attrs);
      const given = from.map((arg, i) => as(valueOf(arg), registerScalar(wanted[i]!)));
      if (def.loop) {
        const inner = def.loop.bodyOf(attrs);
        const result = def.loop.result(attrs);
        const found = writeLoop(low, {
          body: inner,
          dtypes: def.loop.dtypesOf(inner),
          iterations: def.loop.iterations(attrs),
          results: [result],
          args: given,
          nodes,
        });
        values.set(at, found.get(result)!);
      } else {
        const scalar = registerScalar(dtypes[at]!);
        values.set(
          at,
          low.let(name, scalar, widest(given), { kind: "op", def, args: given, attrs, index: null }, nodes),
        );
      }
    }
    const own = new Set(registers.values());
    /** What a register holds now, whatever it is set to later. */
    const held = (value: Value): Value =>
      value.kind === "reg" && own.has(value)
        ? low.let(`${value.name}_before`, value.scalar, value.width, value, nodes)
        : value;
    const given = results.flatMap((number): [number, Value][] => {
      const { kind, at } = resultAt(body, number);
      if (kind === "last") return [];
      return [[number, kind === "before" ? registers.get(at)! : valueOf(body.rows[at]!)]];
    });
    if (given.length > 0) rows!.give(new Map(given), index);
    // Another carried value is read before it is set.
    const after = carried.map((at, i): Value => {
      const value = valueOf(ends[i]!);
      return value === registers.get(at) ? value : held(value);
    });
    carried.forEach((at, i) => {
      const register = registers.get(at)!;
      if (after[i] !== register) low.set(register, after[i]!, nodes);
    });
  });
  return new Map(
    results.flatMap((number): [number, Value][] => {
      const { kind, at } = resultAt(body, number);
      return kind === "last" ? [[number, registers.get(at)!]] : [];
    }),
  );
}
