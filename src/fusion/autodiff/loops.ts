/**
 * @file Derivatives of loops: beside each carried value the loop carries how fast it changes. Nothing of the iterations is saved, and what
 * a cotangent is worth to an operand is that, element by element, times the cotangent.
 */
import type { DType, Node, NodeId } from "../ir";
import {
  bodyText,
  opDef,
  resultAt,
  resultNumber,
  type BodyArg,
  type Derivative,
  type DerivativeContext,
  type LoopBody,
} from "../ops";
import { BodyWriter, isKnown } from "./body-writer";
import { dependents, DerivativeBuilder, isSmooth } from "./derivative-builder";

/** Changes of parameters: a tensor each, or one number everywhere. */
type Seeds = ReadonlyMap<number, NodeId | number>;

/** Tangents of results, given those of other values; what has no rule otherwise. */
type PushForward = (
  builder: DerivativeBuilder,
  tangents: ReadonlyMap<NodeId, NodeId>,
  results: readonly NodeId[],
  name: () => void,
) => readonly NodeId[] | { readonly node: Node };

/** The rule of a loop; none where an op of its body has none. */
export function loopDerivative({ op, attrs }: Node, push: PushForward): Derivative | undefined {
  const loop = opDef(op).loop!;
  const body = loop.bodyOf(attrs);
  if (!isKnown(body)) return undefined;
  const changeOf = (context: DerivativeContext, seeds: Seeds): NodeId | null => {
    const made = changing(body, loop.dtypesOf(body), seeds, push);
    const { kind, at } = resultAt(body, loop.result(attrs));
    const changed = kind === "rows" ? body.rows.length + at : made.results.get(at);
    if (changed === undefined) return null;
    const result = resultNumber(made.body, { kind, at: changed });
    const count = body.next.length;
    const operands = [
      ...context.inputs.slice(0, count),
      ...made.carried.map((at) => seeds.get(at) ?? 0),
      ...context.inputs.slice(count),
      ...made.shared.map((at) => seeds.get(at)!),
    ];
    return context.of(op, operands, { ...attrs, body: bodyText(made.body), result });
  };
  return {
    vjp(context, cotangent, operand) {
      const slope = changeOf(context, new Map([[operand, 1]]));
      return slope === null ? null : context.of("mul", [cotangent, slope]);
    },
    jvp(context, tangents) {
      const seeds = new Map(tangents.flatMap((tangent, at) => (tangent === null ? [] : [[at, tangent] as const])));
      const { shape } = context.typeOf(context.output);
      return changeOf(context, seeds) ?? context.of("expand", [0], { shape });
    },
  };
}

interface Changing {
  readonly body: LoopBody;
  /** Carried values whose change is carried beside them, in this order. */
  readonly carried: readonly number[];
  /** Parameters of all iterations that change by a tensor. */
  readonly shared: readonly number[];
  /** Where the change of each of these is carried. */
  readonly results: ReadonlyMap<number, number>;
}

/** The body with changes beside its values. */
function changing(body: LoopBody, dtypes: readonly DType[], seeds: Seeds, push: PushForward): Changing {
  const { params, iteration, values, next, rows } = body;
  const writer = new BodyWriter([...params, ...values].map(({ name }) => name));
  writer.unique(iteration);
  const own = params.map(({ name, dtype }, at) => writer.given({ kind: "param", at }, dtype, name));
  const number = writer.given({ kind: "iteration" }, "i32", iteration);
  const made: NodeId[] = [];
  const idOf = (arg: BodyArg): NodeId =>
    arg.kind === "param"
      ? own[arg.at]!
      : arg.kind === "iteration"
        ? number
        : arg.kind === "value"
          ? made[arg.at]!
          : writer.scalar(arg.value, arg.dtype);
  values.forEach((value, at) => made.push(writer.value(value, value.args.map(idOf), dtypes[at]!)));
  const ends = next.map(idOf);
  const builder = new DerivativeBuilder(writer);
  // What changes in one iteration changes others in the next.
  const changes = new Set([...seeds.keys()].filter((at) => isSmooth(writer.typeOf(own[at]!))));
  for (let before = -1; before < changes.size;) {
    before = changes.size;
    const roots = new Set([...changes].map((at) => own[at]!));
    const reached = new Set(dependents(builder, roots, ends).map(({ id }) => id));
    ends.forEach((end, at) => reached.has(end) && changes.add(at));
  }
  const isCarried = (at: number): boolean => at < next.length;
  const carried = [...changes].filter(isCarried).toSorted((a, b) => a - b);
  const shared = [...changes].filter((at) => !isCarried(at) && typeof seeds.get(at) !== "number");
  // Parameters are told apart by slot: carried ones, their changes, what all iterations read, its changes.
  const moved = (at: number): number => (isCarried(at) ? at : at + carried.length);
  const beside = [
    ...carried.map((at, i) => [at, next.length + i] as const),
    ...shared.map((at, i) => [at, params.length + carried.length + i] as const),
  ];
  const tangents = new Map<NodeId, NodeId>();
  const added = new Map<number, string>();
  for (const [at, slot] of beside) {
    const name = writer.unique(`d_${params[at]!.name}`);
    added.set(slot, name);
    // Told by a slot that is no parameter's yet: it is moved with the others.
    tangents.set(own[at]!, writer.given({ kind: "param", at: -1 - slot }, params[at]!.dtype, name));
  }
  for (const at of changes)
    if (!isCarried(at) && typeof seeds.get(at) === "number")
      tangents.set(own[at]!, writer.scalar(Number(seeds.get(at)), params[at]!.dtype));
  const shown = rows.map(idOf);
  const wanted = [...carried.map((at) => ends[at]!), ...shown];
  const found = push(builder, tangents, wanted, () => {});
  if ("node" in found) throw new TypeError(`${found.node.op} has no derivative`);
  const renumbered = (arg: BodyArg): BodyArg =>
    arg.kind !== "param" ? arg : { kind: "param", at: arg.at < 0 ? -1 - arg.at : moved(arg.at) };
  const numbered = Array.from({ length: params.length + beside.length }, (_, at) => {
    const name = added.get(at);
    if (name !== undefined) return { ...params[beside.find(([, slot]) => slot === at)![0]]!, name };
    return params[at < next.length ? at : at - carried.length]!;
  });
  return {
    body: {
      params: numbered,
      iteration,
      values: writer.values.map((value) => ({ ...value, args: value.args.map(renumbered) })),
      next: [...next, ...found.slice(0, carried.length).map(writer.argOf)].map(renumbered),
      rows: [...rows, ...found.slice(carried.length).map(writer.argOf)].map(renumbered),
    },
    carried,
    shared,
    results: new Map(carried.map((at, i) => [at, next.length + i])),
  };
}
