/** @file `lax.fori_loop` and `lax.scan`: a loop where every iteration works element by element, else the function called iteration after iteration. */
import type { NodeId } from "../../ir";
import type { Interpreter, StatementRun } from "../interpreter";
import { mayGoOn, toNode, typeOf } from "../interpreter";
import { truthOf } from "../values/constants";
import { itemsOf } from "../statements/iterate";
import { asOneLoop } from "../statements/one-loop";
import type { Walked } from "../statements/loop-reading";
import { rowsFirst } from "../statements/loop-rows";
import type { CallExpr } from "../reading/syntax";
import { leavesOf, mapLeaves } from "../values/trees";
import {
  BROKEN,
  describe,
  type GivenArgument,
  isBroken,
  NONE,
  numberValue,
  type Operand,
  tensorValue,
  type Value,
} from "../values/values";

interface Call {
  readonly expr: CallExpr;
  readonly path: string;
}
/** Calls a function with operands. */
type Apply = (f: Operand, operands: readonly Operand[], path: string) => Value;
/** Stacks tensors of equal shape on a new first axis. */
type Stack = (operands: readonly Operand[], path: string) => Value;

const LOOPS: ReadonlySet<string> = new Set(["fori_loop", "scan", "while_loop"]);
/** Whether a call of this name is a loop that a function is given to. */
export const isLoopCall = (name: string): boolean => LOOPS.has(name);

const PARAMS: Readonly<Record<string, readonly string[]>> = {
  fori_loop: ["lower", "upper", "body_fun", "init_val", "unroll"],
  while_loop: ["cond_fun", "body_fun", "init_val"],
  scan: ["f", "init", "xs", "length", "reverse", "unroll"],
};

/** A function that is called more often than this is a slip. */
const MAX_ITERATIONS = 10_000;

const loose = (value: Value): Operand => ({ value, path: "", expr: null });

interface Reader {
  readonly interpreter: Interpreter;
  readonly run: StatementRun;
  readonly call: Call;
  readonly apply: Apply;
  readonly stack: Stack;
}

/** The value of `fori_loop(0, n, f, init)` or `scan(f, init, xs)`. */
export function loopCall(reader: Reader, name: string, given: readonly GivenArgument[]): Value {
  const { interpreter, call } = reader;
  const names = PARAMS[name]!;
  const found = new Map<string, Operand>();
  let next = 0;
  for (const { name: keyword, operand } of given) found.set(keyword?.text ?? names[next++] ?? "", operand);
  const odd = [...found.keys()].find((key) => !names.includes(key));
  const refuse = (text: string): Value => {
    interpreter.diagnostics.add("bad-argument", call.expr.span, text);
    return BROKEN;
  };
  if (odd !== undefined) return refuse(`${name} has no argument \`${odd}\`; it has ${names.join(", ")}.`);
  const missing = names.slice(0, name === "scan" ? 2 : name === "while_loop" ? 3 : 4).find((key) => !found.has(key));
  if (missing !== undefined)
    return refuse(`${name} still needs \`${missing}\`: ${name}(${names.slice(0, 4).join(", ")}).`);
  if ([...found.values()].some(({ value }) => isBroken(value))) return BROKEN;
  if (name === "while_loop") return whileLoop(reader, found, refuse);
  return name === "scan" ? scan(reader, found, refuse) : foriLoop(reader, found, refuse);
}

/** `while_loop(cond, body, init)` whose condition is known while it is read, as that of a count is. */
function whileLoop(reader: Reader, found: ReadonlyMap<string, Operand>, refuse: Refuse): Value {
  const { interpreter, call, apply } = reader;
  const [test, body] = [found.get("cond_fun")!, found.get("body_fun")!];
  let carried = found.get("init_val")!;
  for (let i = 0; i <= MAX_ITERATIONS; i++) {
    if (!mayGoOn(interpreter, call.expr.span)) return BROKEN;
    const { value } = loose(apply(test, [carried], `${call.path}/test${i}`));
    if (isBroken(value)) return BROKEN;
    const holds = truthOf(value);
    if (holds === null) return refuse(OPEN_LOOP);
    if (!holds) return carriedOf(reader, carried).value;
    carried = loose(apply(body, [carried], `${call.path}/turn${i}`));
    if (isBroken(carried.value)) return BROKEN;
  }
  return refuse(`This condition still holds after ${MAX_ITERATIONS} iterations.`);
}

const OPEN_LOOP =
  "The condition of this while_loop depends on data, and the graph must be known in advance. Write a `for` over the most iterations that it may take, with `if not condition: break`, or fori_loop with where(condition, …).";

type Refuse = (text: string) => Value;

/** What a loop carries, with numbers as tensors, as JAX carries them. */
function carriedOf({ interpreter, run, call }: Reader, init: Operand): Operand {
  return mapLeaves(init, (leaf, at) =>
    leaf.value.kind === "number" || leaf.value.kind === "bool"
      ? loose(tensorValue(toNode(interpreter, run, { ...leaf, path: `${call.path}/init${at}` }, [])))
      : leaf,
  );
}

const nodesIn = (tree: Operand): readonly NodeId[] | null => {
  const leaves = leavesOf(tree);
  const nodes = leaves.flatMap(({ value }) => (value.kind === "tensor" ? [value.node] : []));
  return nodes.length === leaves.length ? nodes : null;
};

interface Loop {
  readonly iterations: number;
  /** The iteration's number, and what it is first; null where the function is given none. */
  readonly number: { readonly name: string; readonly start: number } | null;
  /** Tensors of which each iteration is given a row. */
  readonly rows: readonly Walked[];
  readonly backwards?: boolean;
}

/** An iteration: what it carries on, and what it gives a row of. */
interface Turn {
  readonly carried: Operand;
  readonly given: Operand;
}

/** The carried tree after a loop that stays one, and its rows; null where it has to be written out. */
function carriedAfter(
  reader: Reader,
  init: Operand,
  { number, ...loop }: Loop,
  iteration: (carried: Operand, number: Value, rows: readonly Operand[]) => Turn | null,
): { readonly carried: Value; readonly shown: Operand } | null {
  const { interpreter, run, call } = reader;
  const nodes = nodesIn(init);
  if (!nodes || nodes.length === 0) return null;
  const filled = (from: readonly NodeId[]): Operand => mapLeaves(init, (_, at) => loose(tensorValue(from[at]!)));
  const labels = nodes.map((id, at) => interpreter.nodes.get(id)!.label.replace(/^\d.*/, `carry_${at}`));
  let shown = loose(NONE);
  const found = asOneLoop(interpreter, run, {
    ...loop,
    id: call.path,
    carried: nodes.map((node, at) => ({ name: labels[at]!, node })),
    number: number?.name ?? null,
    iteration({ carried: standIns, rows, number: numbered }) {
      const own = rows.map((node) => loose(tensorValue(node)));
      const after = iteration(filled(standIns), numbered(number?.start ?? 0, 1), own);
      if (!after) return null;
      shown = after.given;
      const [carried, given] = [nodesIn(after.carried), nodesIn(shown)];
      return carried?.length === nodes.length && given ? { carried, rows: given } : null;
    },
  });
  if (found === null || typeof found === "number") return null;
  const { frame, statement } = run;
  const made = { groups: frame.groups, span: statement.span };
  const results = nodes.map((_, at) => {
    const id = (nodes.length === 1 ? call.path : `${call.path}#${at}`) as NodeId;
    return found.result(at, { ...made, id, label: labels[at]! });
  });
  const ys = mapLeaves(shown, (_, at) => {
    const path = `${call.path}/ys${at}`;
    const rows = found.rows(at, { ...made, id: path as NodeId, label: "ys" });
    return { value: tensorValue(rowsFirst(interpreter, run, rows, `${path}.first`)), path, expr: call.expr };
  });
  return { carried: filled(results).value, shown: ys };
}

function foriLoop(reader: Reader, found: ReadonlyMap<string, Operand>, refuse: Refuse): Value {
  const { apply, call } = reader;
  const [lower, upper] = ["lower", "upper"].map((key) => found.get(key)!.value);
  if (lower?.kind !== "number" || upper?.kind !== "number")
    return refuse("fori_loop goes from one number to another, and both must be known before the program runs.");
  const iterations = Math.max(0, upper.value - lower.value);
  if (iterations > MAX_ITERATIONS)
    return refuse(`fori_loop makes ${iterations} iterations here; ${MAX_ITERATIONS} are the maximum.`);
  const f = found.get("body_fun")!;
  const init = carriedOf(reader, found.get("init_val")!);
  const turn = (carried: Operand, number: Value, path: string): Operand =>
    loose(apply(f, [loose(number), carried], path));
  const loop = { iterations, number: { name: "i", start: lower.value }, rows: [] };
  const one = carriedAfter(reader, init, loop, (carried, number) => ({
    carried: turn(carried, number, `${call.path}/iteration`),
    given: loose(NONE),
  }));
  if (one) return one.carried;
  let carried = init;
  for (let i = 0; i < iterations && !isBroken(carried.value); i++)
    carried = turn(
      carried,
      numberValue(lower.value + i, true),
      i === iterations - 1 ? call.path : `${call.path}/iteration${i}`,
    );
  return carried.value;
}

/** Tensors that `scan` goes along: the rows of each, and how many there are; null of anything else. */
function alongOf(
  interpreter: Interpreter,
  xs: Operand,
  backwards: boolean,
): { readonly rows: readonly Walked[]; readonly length: number | null } | null {
  const leaves = leavesOf(xs);
  const nodes = nodesIn(xs);
  if (!nodes || nodes.some((node) => interpreter.unknown.has(node))) return null;
  const extents = nodes.map((node) => typeOf(interpreter, node).shape[0]);
  const [length = null] = extents;
  if (extents.some((extent) => extent === undefined || extent !== length)) return null;
  const walk = { start: backwards ? (length ?? 1) - 1 : 0, backwards };
  const rows = nodes.map((node, at) => ({
    name: interpreter.nodes.get(node)!.label.replace(/^\W.*|^\d.*/, `x_${at}`),
    node,
    axis: 0,
    walk,
  }));
  return leaves.length === rows.length ? { rows, length } : null;
}

function scan(reader: Reader, found: ReadonlyMap<string, Operand>, refuse: Refuse): Value {
  const { interpreter, run, apply, call, stack } = reader;
  const f = found.get("f")!;
  const xs = found.get("xs") ?? loose(NONE);
  const reverse = found.get("reverse")?.value;
  const backwards = reverse?.kind === "bool" && reverse.value;
  const length = found.get("length")?.value;
  const pairOf = (value: Value): readonly [Operand, Operand] | null =>
    value.kind === "sequence" && value.items.length === 2 ? [value.items[0]!, value.items[1]!] : null;
  const init = carriedOf(reader, found.get("init")!);
  const along = alongOf(interpreter, xs, backwards);
  const known = along?.length ?? (length?.kind === "number" ? length.value : null);
  if (along && known !== null) {
    const loop = { iterations: known, number: null, rows: along.rows, backwards };
    const one = carriedAfter(reader, init, loop, (carried, _, rows) => {
      const row = mapLeaves(xs, (_leaf, at) => rows[at]!);
      const pair = pairOf(apply(f, [carried, row], `${call.path}/iteration`));
      return pair && { carried: pair[0], given: pair[1] };
    });
    if (one) return { kind: "sequence", items: [loose(one.carried), one.shown] };
  }
  const lists: (readonly Operand[])[] = [];
  for (const [at, leaf] of leavesOf(xs).entries()) {
    const rows = itemsOf(interpreter, run, leaf, `${call.path}/xs${at}`);
    if (!rows) return refuse(`scan goes along the first axis of tensors; this is ${describe(leaf.value)}.`);
    lists.push(rows);
  }
  const iterations = lists[0]?.length ?? (length?.kind === "number" ? length.value : null);
  if (iterations === null) return refuse("scan needs xs, or a length that is known before the program runs.");
  if (lists.some((list) => list.length !== iterations))
    return refuse(`scan goes along tensors of one length; these have ${lists.map((list) => list.length).join(", ")}.`);
  const rowAt = (at: number): Operand => mapLeaves(xs, (_, leaf) => lists[leaf]![at]!);
  let carried = init;
  const shown: Operand[] = [];
  for (let turn = 0; turn < iterations; turn++) {
    const at = backwards ? iterations - 1 - turn : turn;
    const answer = apply(f, [carried, rowAt(at)], `${call.path}/iteration${turn}`);
    if (isBroken(answer)) return BROKEN;
    const pair = pairOf(answer);
    if (!pair)
      return refuse(
        `The function that scan calls must return two values, what it carries on and its output; this is ${describe(answer)}.`,
      );
    [carried] = pair;
    shown[at] = pair[1];
  }
  const [first] = shown;
  const ys = first
    ? mapLeaves(first, (_, leaf) => {
        const path = `${call.path}/ys${leaf}`;
        return {
          value: stack(
            shown.map((each) => leavesOf(each)[leaf]!),
            path,
          ),
          path,
          expr: call.expr,
        };
      })
    : loose(NONE);
  return { kind: "sequence", items: [carried, ys] };
}
