/**
 * @file Reverse mode of loops along rows: the loop is gone through once more from the last row to the first. It carries the cotangents of what
 * the loop carried, reads what that was before each iteration, adds up what each operand of all iterations gets, and gives rows of what each
 * row that was read gets. What the body computes is computed again.
 */
import type { Node, NodeId } from "../ir";
import {
  bodyText,
  givenRow,
  opDef,
  pruned,
  resultNumber,
  rowAt,
  rowLoopOf,
  rowsRead,
  sumTo,
  type BodyArg,
  type BodyParam,
  type Derivative,
  type DerivativeContext,
  type LoopBody,
  type Result,
  type RowLoop,
  type Walk,
} from "../ops";
import { BodyWriter, isKnown } from "./body-writer";
import { DerivativeBuilder, isSmooth } from "./derivative-builder";

/** Cotangents of values, given those of results; what has no rule otherwise. */
type PullBack = (
  builder: DerivativeBuilder,
  seeds: ReadonlyMap<NodeId, NodeId>,
  wrt: readonly NodeId[],
  name: () => void,
) => readonly NodeId[] | { readonly node: Node };

/** What a parameter of the loop that goes back is: the cotangent of the result or nothing yet, what was carried, an operand. */
type Source =
  | { readonly kind: "cotangent" }
  | { readonly kind: "nothing" }
  | { readonly kind: "before" | "operand"; readonly at: number };

interface Back {
  readonly body: LoopBody;
  readonly sources: readonly Source[];
  /** Which result is the cotangent of each operand. */
  readonly results: ReadonlyMap<number, Result>;
}

/**
 * The reverse rule of a loop along rows; none where an op of its body has none.
 * @param wanted operands whose cotangents are asked for
 */
export function rowLoopRule(node: Node, pull: PullBack, wanted: readonly number[]): Derivative | undefined {
  const { op, attrs } = node;
  const loop = rowLoopOf(node)!;
  if (!isKnown(loop.body)) return undefined;
  let known: Back | null = null;
  return {
    vjp(context, cotangent, operand) {
      const back = (known ??= backwards(loop, opDef(op).loop!.dtypesOf(loop.body), pull, wanted));
      const result = back.results.get(operand);
      if (!result) return null;
      const inputs = back.sources.map((source): NodeId | number => {
        if (source.kind === "cotangent") return cotangent;
        if (source.kind === "nothing") return 0;
        if (source.kind === "operand") return context.inputs[source.at]!;
        return context.of(op, context.inputs, {
          ...attrs,
          result: resultNumber(loop.body, { kind: "before", at: source.at }),
        });
      });
      const found = context.of(op, inputs, {
        iterations: loop.iterations,
        body: bodyText(back.body),
        result: resultNumber(back.body, result),
        axis: loop.axis,
        reverse: !loop.backwards,
        launched: true,
      });
      const { walk } = loop.body.params[operand]!;
      return walk ? atRows(context, loop, walk, found, context.inputs[operand]!) : found;
    },
  };
}

/** Rows in the order of the iterations as rows of the operand that was walked: nothing for those that no iteration read. */
function atRows(context: DerivativeContext, loop: RowLoop, walk: Walk, rows: NodeId, operand: NodeId): NodeId {
  const { shape } = context.typeOf(operand);
  const own = shape.length + loop.axis;
  const summed = sumTo(context, rows, shape.with(own, loop.iterations));
  const turned = walk.backwards === loop.backwards ? summed : context.of("flip", [summed], { axes: [own] });
  const [first, last] = rowsRead(loop, walk);
  const extent = shape[own]!;
  if (first === 0 && last === extent - 1) return turned;
  const pads = [...Array<number>(2 * (shape.length - 1 - own)).fill(0), first, extent - 1 - last];
  return context.of("pad", [turned], { pads });
}

/** The body that goes back. */
function backwards(
  loop: RowLoop,
  dtypes: readonly Node["type"]["dtype"][],
  pull: PullBack,
  wanted: readonly number[],
): Back {
  const { body, iterations, result } = loop;
  const { params, values, next } = body;
  const writer = new BodyWriter([...params, ...values].map(({ name }) => name));
  const iteration = writer.unique(body.iteration);
  const own: BodyParam[] = [];
  const sources: Source[] = [];
  const add = (source: Source, name: string, { dtype }: BodyParam, walk?: Walk): NodeId => {
    const label = params.some((param) => param.name === name) ? name : writer.unique(name);
    const at = own.push({ name: label, dtype, ...(walk && { walk }) }) - 1;
    sources.push(source);
    return writer.given({ kind: "param", at }, dtype, label);
  };
  const isSoft = (at: number): boolean => isSmooth({ dtype: params[at]!.dtype, shape: [] });
  const isCarried = (at: number): boolean => at < next.length;
  const asked = [...params.keys()].filter((at) => !isCarried(at) && isSoft(at) && wanted.includes(at));
  const shared = asked.filter((at) => !params[at]!.walk);
  const walked = asked.filter((at) => params[at]!.walk);
  const soft = [...next.keys()].filter(isSoft);
  // What is carried back comes first.
  const cotangents = new Map(
    soft.map((at) => {
      const isSeed = result.kind === "last" && result.at === at;
      return [
        at,
        add(isSeed ? { kind: "cotangent" } : { kind: "nothing" }, `d_${params[at]!.name}`, params[at]!),
      ] as const;
    }),
  );
  const sums = new Map(
    shared.map((at) => [at, add({ kind: "nothing" }, `d_${params[at]!.name}`, params[at]!)] as const),
  );
  const float: BodyParam = { name: "", dtype: "f32" };
  const spare = cotangents.size + sums.size === 0 ? add({ kind: "nothing" }, "none", float) : null;
  const last = iterations - 1;
  const from = (walk: Walk): Walk => ({ start: rowAt(walk, last), backwards: !walk.backwards });
  const given = from(givenRow(loop));
  const before = params.map((param, at) =>
    isCarried(at)
      ? add({ kind: "before", at }, param.name, param, given)
      : add({ kind: "operand", at }, param.name, param, param.walk && from(param.walk)),
  );
  const row = result.kind === "last" ? null : add({ kind: "cotangent" }, "d_row", float, given);
  let number: NodeId | null = null;
  const numbered = (): NodeId =>
    (number ??= writer.op("turn", "sub", [
      writer.scalar(last, "i32"),
      writer.given({ kind: "iteration" }, "i32", iteration),
    ]));
  const made: NodeId[] = [];
  const idOf = (arg: BodyArg): NodeId =>
    arg.kind === "param"
      ? before[arg.at]!
      : arg.kind === "iteration"
        ? numbered()
        : arg.kind === "value"
          ? made[arg.at]!
          : writer.scalar(arg.value, arg.dtype);
  for (const [at, value] of values.entries()) {
    const inputs = value.args.map(idOf);
    made.push(writer.value({ ...value, args: inputs.map(writer.argOf) }, inputs, dtypes[at]!));
  }
  const seeds = new Map<NodeId, NodeId>();
  const plus = (a: NodeId | undefined, b: NodeId): NodeId => (a === undefined ? b : writer.op("d_sum", "add", [a, b]));
  const seed = (id: NodeId, cotangent: NodeId): void => {
    if (isSmooth(writer.typeOf(id))) seeds.set(id, plus(seeds.get(id), cotangent));
  };
  for (const [at, cotangent] of cotangents) seed(idOf(next[at]!), cotangent);
  if (row !== null && result.kind === "rows") seed(idOf(body.rows[result.at]!), row);
  const order = [...soft, ...shared, ...walked];
  const found = pull(
    new DerivativeBuilder(writer),
    seeds,
    order.map((at) => before[at]!),
    () => {},
  );
  if ("node" in found) throw new TypeError(`${found.node.op} has no derivative`);
  const of = new Map(order.map((at, i) => [at, found[i]!] as const));
  const ends = [
    ...soft.map((at) =>
      row !== null && result.kind === "before" && result.at === at ? plus(row, of.get(at)!) : of.get(at)!,
    ),
    ...shared.map((at) => plus(sums.get(at), of.get(at)!)),
    ...(spare === null ? [] : [spare]),
  ];
  const whole: LoopBody = {
    params: own,
    iteration,
    values: writer.values,
    next: ends.map(writer.argOf),
    rows: walked.map((at) => writer.argOf(of.get(at)!)),
  };
  const results = new Map<number, Result>([
    ...[...soft, ...shared].map((at, i) => [at, { kind: "last", at: i }] as const),
    ...walked.map((at, i) => [at, { kind: "rows", at: i }] as const),
  ]);
  return onlyNeeded(whole, sources, new Map([...results].filter(([at]) => wanted.includes(at))));
}

function onlyNeeded(body: LoopBody, sources: readonly Source[], results: ReadonlyMap<number, Result>): Back {
  const numbers = [...results].map(([at, result]) => [at, resultNumber(body, result)] as const);
  const left = pruned(
    body,
    numbers.map(([, number]) => number),
  );
  const count = left.body.next.length;
  return {
    body: left.body,
    sources: left.params.map((at) => sources[at]!),
    results: new Map(
      numbers.map(([at, number]) => {
        const now = left.results.get(number)!;
        return [at, now < count ? { kind: "last", at: now } : { kind: "rows", at: now - 2 * count }];
      }),
    ),
  };
}
