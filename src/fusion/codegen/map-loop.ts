/** @file A loop inside a kernel: carried values are registers that each iteration sets again. */
import type { DType, NodeId } from "../ir";
import { carriedFor, opDef, operandTypes, readBy, type BodyArg, type LoopBody } from "../ops";
import { registerScalar, type Emitter } from "./emitter";
import { literal, type Reg, type Scalar, type Value, type Width } from "./kernel-ir";

export interface LoopCall {
  readonly body: LoopBody;
  readonly dtypes: readonly DType[];
  readonly iterations: number;
  /** Which carried values are wanted. */
  readonly results: readonly number[];
  /** One for each parameter of the body; those that the results do not need may be left out. */
  readonly args: readonly (Value | undefined)[];
  /** Nodes of the graph that it computes. */
  readonly nodes: readonly NodeId[];
}

const widest = (values: readonly (Value | undefined)[]): Width =>
  values.some((value) => value?.kind === "reg" && value.width === 4) ? 4 : 1;

const numberAs = (value: number, to: Scalar): number =>
  to === "bool" ? Number(value !== 0) : to === "i32" ? Math.trunc(value) : value;

/** Writes the loop where the lowering stands; answers with the registers of `results` after the last iteration. */
export function writeLoop(low: Emitter, call: LoopCall): ReadonlyMap<number, Value> {
  const { body, dtypes, iterations, results, nodes } = call;
  const carried = carriedFor(body, results);
  const ends = carried.map((at) => body.next[at]!);
  const needed = readBy(body, ends);
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
    const valueOf = (arg: BodyArg): Value => {
      if (arg.kind === "literal") return literal(arg.value, registerScalar(arg.dtype));
      if (arg.kind === "iteration") return iteration;
      return arg.kind === "value" ? values.get(arg.at)! : (registers.get(arg.at) ?? args[arg.at]!);
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
    const after = carried.map((at, i): Value => {
      const value = valueOf(ends[i]!);
      // Another carried value is read before it is set.
      const swaps = value.kind === "reg" && own.has(value) && value !== registers.get(at);
      return swaps ? low.let(`${value.name}_before`, value.scalar, value.width, value, nodes) : value;
    });
    carried.forEach((at, i) => {
      const register = registers.get(at)!;
      if (after[i] !== register) low.set(register, after[i]!, nodes);
    });
  });
  return new Map(results.map((at) => [at, registers.get(at)!]));
}
