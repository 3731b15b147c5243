/** @file RNN, GRU and LSTM, written out step by step: the number of steps is known. */
import type { Value } from "../emit";
import type { NodeContext, Rule, Rules } from "../rule";
import { MAX_ITERATIONS } from "./loops";
import { activationNamed, takes } from "./activations";
import { range } from "./arithmetic";

/** Part `at` of `count` equal parts along an axis. */
function part(c: NodeContext, x: Value, axis: number, at: number, count: number): Value {
  const size = x.type.shape[axis]! / count;
  return c.op("slice", [x], { start: [at * size], stop: [(at + 1) * size], axes: [axis] });
}
const transposed = (c: NodeContext, x: Value): Value => c.op("transpose", [x], { perm: [1, 0] });

/** The activation with this number; names go on for each direction, and so do the constants of those that have any. */
function activation(c: NodeContext, at: number, otherwise: string): (x: Value) => Value {
  const names = (c.attribute("activations")?.strings ?? []).map((given) => given.toLowerCase());
  const name = names[at] ?? otherwise;
  const constant = (kind: "alpha" | "beta"): number | null => {
    const before = names.slice(0, at).filter((other) => takes(other, kind));
    return c.attribute(`activation_${kind}`)?.floats[before.length] ?? null;
  };
  return activationNamed(c, name, { alpha: constant("alpha"), beta: constant("beta") });
}

/** An activation of what is clipped first: of sums; a cell is not clipped. */
function gate(c: NodeContext, at: number, otherwise: string): (x: Value) => Value {
  const apply = activation(c, at, otherwise);
  const clip = c.maybeFloat("clip") ?? 0;
  return clip > 0 ? (x) => apply(c.op("clamp", [x], { min: -clip, max: clip })) : apply;
}

/** State of one direction: hidden, and the cell of an LSTM. */
interface State {
  readonly h: Value;
  readonly cell: Value | null;
}
/** One step: the input's share of all gates, the state before. */
type Step = (input: Value, state: State) => State;

/** What one direction works with. */
interface Direction {
  readonly weights: Value;
  readonly recurrent: Value;
  /** Of the input's and of the hidden share. */
  readonly biases: readonly [Value, Value] | null;
  /** Of the first activation of this direction. */
  readonly first: number;
  readonly index: number;
}

function rnnStep(c: NodeContext, { recurrent, biases, first }: Direction): Step {
  const f = gate(c, first, "tanh");
  const bias = biases && c.op("add", [biases[0], biases[1]]);
  return (input, { h }) => {
    const sum = c.op("add", [input, c.op("matmul", [h, transposed(c, recurrent)])]);
    return { h: f(bias ? c.op("add", [sum, bias]) : sum), cell: null };
  };
}

/** z: how much of the old state stays; r: how much of it the candidate sees. */
function gruStep(c: NodeContext, { recurrent, biases, first }: Direction): Step {
  const [f, g] = [gate(c, first, "sigmoid"), gate(c, first + 1, "tanh")];
  const after = c.int("linear_before_reset", 0) === 1;
  const rows = range(3).map((gate) => transposed(c, part(c, recurrent, 0, gate, 3)));
  const own = biases?.map((bias) => range(3).map((gate) => part(c, bias, 0, gate, 3))) ?? null;
  const shifted = (x: Value, which: number, gate: number): Value => (own ? c.op("add", [x, own[which]![gate]!]) : x);
  const one = c.emit.scalar(1, recurrent.type.dtype);
  return (input, { h }) => {
    const gates = range(3).map((gate) => shifted(part(c, input, 1, gate, 3), 0, gate));
    const hidden = (gate: number, x: Value): Value => shifted(c.op("matmul", [x, rows[gate]!]), 1, gate);
    const [z, r] = [0, 1].map((gate) => f(c.op("add", [gates[gate]!, hidden(gate, h)]))) as [Value, Value];
    const seen = after ? c.op("mul", [r, hidden(2, h)]) : hidden(2, c.op("mul", [r, h]));
    const candidate = g(c.op("add", [gates[2]!, seen]));
    return { h: c.op("add", [c.op("mul", [c.op("sub", [one, z]), candidate]), c.op("mul", [z, h])]), cell: null };
  };
}

/** Gates in the order input, output, forget, cell; peepholes look at the cell; coupled, what enters is what is forgotten. */
function lstmStep(c: NodeContext, { recurrent, biases, first, index }: Direction): Step {
  const [f, g, h] = [gate(c, first, "sigmoid"), gate(c, first + 1, "tanh"), activation(c, first + 2, "tanh")];
  const bias = biases && c.op("add", [biases[0], biases[1]]);
  const coupled = c.int("input_forget", 0) === 1;
  const holes = c.maybe(7);
  const own = holes
    ? c.reshape(c.op("slice", [holes], { start: [index], stop: [index + 1], axes: [0] }), [holes.type.shape[1]!])
    : null;
  const peep = (gate: number, x: Value, cell: Value): Value =>
    own ? c.op("add", [x, c.op("mul", [part(c, own, 0, gate, 3), cell])]) : x;
  return (input, state) => {
    const sum = c.op("add", [input, c.op("matmul", [state.h, transposed(c, recurrent)])]);
    const all = bias ? c.op("add", [sum, bias]) : sum;
    const [i, o, forget, fresh] = range(4).map((gate) => part(c, all, 1, gate, 4)) as [Value, Value, Value, Value];
    const enter = f(peep(0, i, state.cell!));
    const keep = coupled ? c.op("sub", [c.emit.scalar(1, enter.type.dtype), enter]) : f(peep(2, forget, state.cell!));
    const cell = c.op("add", [c.op("mul", [keep, state.cell!]), c.op("mul", [enter, g(fresh)])]);
    return { h: c.op("mul", [f(peep(1, o, cell)), h(cell)]), cell };
  };
}

/** What a step leaves where a sequence is over: its state as it was, and 0 as its output. */
interface Ends {
  /** Whether step `t` still belongs to each sequence of the batch, [batch, 1]. */
  readonly going: (t: number) => Value;
  readonly none: Value;
}

/** Lengths of the sequences as data; null where all are as long as there are steps. */
function endsOf(c: NodeContext, x: Value): Ends | null {
  const lengths = c.maybe(4);
  const [steps, batch] = x.type.shape as [number, number];
  if (!lengths || c.emit.numbersOf(lengths)?.data.every((length) => length === steps)) return null;
  const rows = c.reshape(c.cast(lengths, "i32"), [batch, 1]);
  return {
    going: (t) => c.op("gt", [rows, c.emit.scalar(t, "i32")]),
    none: c.emit.scalar(0, x.type.dtype),
  };
}

/** A step where the sequence goes on, the state before where it is over. */
function held(c: NodeContext, going: Value | null, next: State, before: State): State {
  if (!going) return next;
  const pick = (a: Value, b: Value): Value => c.op("where", [going, a, b]);
  return { h: pick(next.h, before.h), cell: next.cell && pick(next.cell, before.cell!) };
}

const recurrent =
  (gates: number, activations: number, stepOf: (c: NodeContext, direction: Direction) => Step): Rule =>
  (c) => {
    const byBatch = c.int("layout", 0) === 1;
    const x = byBatch ? c.op("transpose", [c.in(0)], { perm: [1, 0, 2] }) : c.in(0);
    const [steps, batch] = x.type.shape as [number, number];
    if (steps > MAX_ITERATIONS) return c.fail(`more than ${MAX_ITERATIONS} steps`);
    const [w, r] = [c.in(1), c.in(2)];
    const hidden = r.type.shape[2]!;
    c.implied("hidden_size");
    const ends = endsOf(c, x);
    const kind = c.text("direction", "forward");
    const ways = kind === "bidirectional" ? [false, true] : [kind === "reverse"];
    const results = ways.map((backwards, index) => {
      const pick = (v: Value): Value => {
        const [, ...rest] = v.type.shape;
        return c.reshape(c.op("slice", [v], { start: [index], stop: [index + 1], axes: [0] }), rest);
      };
      const b = c.maybe(3) ? pick(c.in(3)) : null;
      const biases = b && ([part(c, b, 0, 0, 2), part(c, b, 0, 1, 2)] as const);
      const direction = { weights: pick(w), recurrent: pick(r), biases, first: index * activations, index };
      const step = stepOf(c, direction);
      const start = (i: number): Value => {
        const given = c.maybe(i);
        if (given) return pick(byBatch ? c.op("transpose", [given], { perm: [1, 0, 2] }) : given);
        return c.filled(0, [batch, hidden], x.type.dtype);
      };
      let state: State = { h: start(5), cell: gates === 4 ? start(6) : null };
      const shares = c.op("matmul", [x, transposed(c, direction.weights)]);
      const outputs: Value[] = [];
      for (const t of backwards ? range(steps).toReversed() : range(steps)) {
        const share = c.op("slice", [shares], { start: [t], stop: [t + 1], axes: [0] });
        const going = ends?.going(t) ?? null;
        const next = step(c.reshape(share, [batch, gates * hidden]), state);
        state = held(c, going, next, state);
        outputs[t] = going ? c.op("where", [going, next.h, ends!.none]) : next.h;
      }
      return { outputs, state };
    });
    const stacked = (values: readonly Value[]): Value => {
      const rows = values.map((value) => c.reshape(value, [1, ...value.type.shape]));
      return rows.length === 1 ? rows[0]! : c.op("concat", rows, { axis: 0 });
    };
    const all = stacked(range(steps).map((t) => stacked(results.map(({ outputs }) => outputs[t]!))));
    const last = stacked(results.map(({ state }) => state.h));
    const cell = gates === 4 ? [stacked(results.map(({ state }) => state.cell!))] : [];
    const after = [last, ...cell].map((v) => (byBatch ? c.op("transpose", [v], { perm: [1, 0, 2] }) : v));
    return [byBatch ? c.op("transpose", [all], { perm: [2, 0, 1, 3] }) : all, ...after];
  };

export const recurrentRules: Rules = {
  RNN: recurrent(1, 1, rnnStep),
  GRU: recurrent(3, 2, gruStep),
  LSTM: recurrent(4, 3, lstmStep),
};
