/** @file Programs inside programs: calls are opened, branches chosen, and loops whose iterations are known written out. */
import type { Value } from "../../onnx/emit";
import type { Equation, Rule, Rules } from "../rule";

/** Turns of a loop that are written out. */
const MAX_ITERATIONS = 256;

/** A call: custom derivatives are left aside, ours are taken of what is computed. */
const call: Rule = (c) => {
  const body = c.program("jaxpr", "call_jaxpr", "fun_jaxpr");
  return body ? c.inline(body, c.args) : c.fail("a call without its program");
};

/** One of several programs; where a run decides which, all are computed. */
function cond(c: Equation): Value | readonly Value[] {
  const branches = c.programs("branches");
  const operands = c.args.slice(1);
  const last = branches.length - 1;
  if (last < 0) return c.fail("branches without their programs");
  const known = c.known(0);
  if (known) return c.inline(branches[Math.min(Math.max(known[0]!, 0), last)]!, operands);
  const which = c.cast(c.in(0), "i32");
  const [first, ...others] = branches.map((branch) => c.inline(branch, operands));
  return others.reduce<readonly Value[]>((results, branch, i) => {
    const chosen = c.op("ge", [which, i + 1]);
    return results.map((result, at) => c.op("where", [chosen, branch[at]!, result]));
  }, first!);
}

/** Carries go from iteration to iteration; each iteration takes and gives one element. */
function scan(c: Equation): Value | readonly Value[] {
  const body = c.program("jaxpr");
  const [consts, carried, iterations] = [c.number("num_consts", 0), c.number("num_carry", 0), c.number("length", 0)];
  if (!body) return c.fail("a loop without its program");
  if (iterations > MAX_ITERATIONS) return c.fail(`a loop of ${iterations} iterations`);
  const fixed = c.args.slice(0, consts);
  const elements = c.args.slice(consts + carried);
  let carry: readonly Value[] = c.args.slice(consts, consts + carried);
  const made: (readonly Value[])[] = [];
  for (let iteration = 0; iteration < iterations; iteration++) {
    const at = c.flag("reverse") ? iterations - 1 - iteration : iteration;
    const own = elements.map((each) => c.reshape(c.slice(each, 0, at, at + 1), each.type.shape.slice(1)));
    const results = c.inline(body, [...fixed, ...carry, ...own]);
    carry = results.slice(0, carried);
    made[at] = results.slice(carried);
  }
  const stacked = c.out.slice(carried).map(({ shape, dtype }, i) => {
    if (iterations === 0) return c.filled(0, shape, c.dtype(dtype));
    const rows = made.map((results) => c.reshape(results[i]!, [1, ...results[i]!.type.shape]));
    return rows.length === 1 ? rows[0]! : c.op("concat", rows, { axis: 0 });
  });
  return [...carry, ...stacked];
}

/** A loop ends where its condition says so, which must be known before a run. */
function whileLoop(c: Equation): Value | readonly Value[] {
  const [condition, body] = [c.program("cond_jaxpr"), c.program("body_jaxpr")];
  if (!condition || !body) return c.fail("a loop without its program");
  const [asks, does] = [c.number("cond_nconsts", 0), c.number("body_nconsts", 0)];
  let carry: readonly Value[] = c.args.slice(asks + does);
  for (let iteration = 0; iteration <= MAX_ITERATIONS; iteration++) {
    const [goes] = c.inline(condition, [...c.args.slice(0, asks), ...carry]);
    const known = goes && c.emit.numbersOf(goes);
    if (!known) return c.fail("a loop whose end is computed");
    if (known.data[0] === 0) return carry;
    carry = c.inline(body, [...c.args.slice(asks, asks + does), ...carry]);
  }
  return c.fail(`a loop of more than ${MAX_ITERATIONS} iterations`);
}

const calls = [
  "jit",
  "pjit",
  "closed_call",
  "core_call",
  "xla_call",
  "remat",
  "remat2",
  "checkpoint",
  "custom_jvp_call",
  "custom_jvp_call_jaxpr",
  "custom_vjp_call",
  "custom_vjp_call_jaxpr",
  "custom_lin",
];

export const control: Rules = {
  ...Object.fromEntries(calls.map((prim): [string, Rule] => [prim, call])),
  cond,
  scan,
  while: whileLoop,
};
