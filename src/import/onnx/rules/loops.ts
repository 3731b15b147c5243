/** @file Loops, written out iteration by iteration: their number must be known while importing. */
import type { Value } from "../emit";
import type { NodeContext, Rules } from "../rule";
import { range } from "./arithmetic";

/** More iterations than this are refused: every one of them is written out. */
export const MAX_ITERATIONS = 4096;

/** Values of one shape, one after the other along a new axis. */
function stacked(c: NodeContext, values: readonly Value[], axis = 0): Value {
  const rows = values.map((value) => c.reshape(value, value.type.shape.toSpliced(axis, 0, 1)));
  return rows.length === 1 ? rows[0]! : c.op("concat", rows, { axis });
}

/** What a loop without iterations collects: nothing, in the shape that its graph states. */
function empty(c: NodeContext, output: number): Value {
  const stated = c.attribute("body")?.g?.outputs[output];
  const dims = stated?.dims?.map((dim) => (typeof dim === "number" ? dim : null)) ?? [null];
  if (!stated || dims.includes(null)) return c.fail("a Loop without an iteration whose results state no shape");
  return c.emit.host({
    dtype: c.dtypeOf(stated.dataType),
    dims: [0, ...dims.map(Number)],
    data: new Float64Array(0),
    wide: false,
  });
}

/** Turns until the count is reached or the condition, as far as it is known, is false. */
function loop(c: NodeContext): readonly Value[] {
  const most = c.maybe(0) ? (c.known(0, "number of iterations")[0] ?? 0) : MAX_ITERATIONS + 1;
  let going: Value | null = c.maybe(1);
  let carried = c.node.inputs.slice(2).map((_, i) => c.in(i + 2));
  const collected: Value[][] = [];
  let iteration = 0;
  for (; iteration < most; iteration++) {
    if (going && !going.host) {
      c.emit.wants(going);
      return [c.fail("a Loop whose condition is computed at run time")];
    }
    if (going?.host?.data[0] === 0) break;
    if (iteration === MAX_ITERATIONS) return [c.fail(`a Loop of more than ${MAX_ITERATIONS} iterations`)];
    const truth = going ?? c.emit.scalar(1, "bool");
    const results: readonly Value[] = c.subgraph("body", [c.emit.ints([iteration], true), truth, ...carried]);
    if (results.length === 0) return [c.fail("a Loop with an op that is not understood")];
    going = results[0] ?? null;
    carried = carried.map((value, i) => results[i + 1] ?? value);
    results.slice(carried.length + 1).forEach((value, i) => (collected[i] ??= []).push(value));
  }
  const scans = c.node.outputs.length - carried.length;
  return [
    ...carried,
    ...range(scans).map((i) => (iteration === 0 ? empty(c, carried.length + 1 + i) : stacked(c, collected[i] ?? []))),
  ];
}

/** One element of an axis, which goes. */
function element(c: NodeContext, x: Value, axis: number, at: number): Value {
  const part = c.op("slice", [x], { start: [at], stop: [at + 1], axes: [axis] });
  return c.reshape(part, x.type.shape.toSpliced(axis, 1));
}

/** States go from iteration to iteration; inputs are walked along an axis, outputs collected along one. */
function scanned(
  c: NodeContext,
  states: readonly Value[],
  inputs: readonly Value[],
  backwards: readonly number[],
): readonly Value[] {
  const numbers = (name: string): readonly number[] => c.ints(name) ?? [];
  const axes = inputs.map((x, i) => c.axis(numbers("scan_input_axes")[i] ?? 0, x.type.shape.length));
  const iterations = inputs[0]?.type.shape[axes[0]!] ?? 0;
  if (iterations > MAX_ITERATIONS) return [c.fail(`a Scan of more than ${MAX_ITERATIONS} iterations`)];
  let carried = states;
  const collected: Value[][] = [];
  for (const iteration of range(iterations)) {
    const elements = inputs.map((x, i) =>
      element(c, x, axes[i]!, backwards[i] === 1 ? iterations - 1 - iteration : iteration),
    );
    const results = c.subgraph("body", [...carried, ...elements]);
    if (results.length < carried.length) return [c.fail("a Scan with an op that is not understood")];
    results.slice(carried.length).forEach((value, i) => (collected[i] ??= []).push(value));
    carried = results.slice(0, carried.length);
  }
  const rows = collected.map((values, i) => {
    const reversed = numbers("scan_output_directions")[i] === 1 ? values.toReversed() : values;
    return stacked(c, reversed, c.axis(numbers("scan_output_axes")[i] ?? 0, (values[0]?.type.shape.length ?? 0) + 1));
  });
  return [...carried, ...rows];
}

/** Before opset 9 there was a batch in front of everything, and lengths of its sequences. */
function scan(c: NodeContext): readonly Value[] {
  const old = c.opset < 9;
  if (old && c.maybe(0)) return [c.fail("a Scan over sequences of different lengths")];
  const operands = c.node.inputs.slice(old ? 1 : 0).map((_, i) => c.in(i + (old ? 1 : 0)));
  const count = operands.length - c.int("num_scan_inputs", 1);
  const [states, inputs] = [operands.slice(0, count), operands.slice(count)];
  const backwards = c.ints(old ? "directions" : "scan_input_directions") ?? [];
  if (!old) return scanned(c, states, inputs, backwards);
  const batches = range(inputs[0]?.type.shape[0] ?? 0).map((b) => {
    const pick = (x: Value): Value => element(c, x, 0, b);
    return scanned(c, states.map(pick), inputs.map(pick), backwards);
  });
  return range(batches[0]?.length ?? 0).map((i) =>
    stacked(
      c,
      batches.map((results) => results[i]!),
    ),
  );
}

export const loopRules: Rules = { Loop: loop, Scan: scan };
