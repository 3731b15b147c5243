/**
 * @file Derivatives of loops: beside each carried value the loop carries how fast it changes. Nothing of the iterations is saved, and what
 * a cotangent is worth to an operand is that, element by element, times the cotangent.
 */
import { nodeId, type DType, type Node, type NodeId, type TensorType } from "../ir";
import {
  bodyText,
  opDef,
  withDefaults,
  type BodyArg,
  type BodyValue,
  type Derivative,
  type DerivativeContext,
  type LoopBody,
} from "../ops";
import { dependents, DerivativeBuilder, isSmooth, type Writer } from "./derivative-builder";

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
  const known = ({ op: inner }: BodyValue): boolean => Boolean(opDef(inner).derivative ?? opDef(inner).loop);
  if (!body.values.every(known)) return undefined;
  const changeOf = (context: DerivativeContext, seeds: Seeds): NodeId | null => {
    const made = changing(body, loop.dtypesOf(body), seeds, push);
    const result = made.results.get(loop.result(attrs));
    if (result === undefined) return null;
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

/** A body as nodes of one element, to which changes are written. */
class BodyWriter implements Writer {
  readonly nodes = new Map<NodeId, Node>();
  readonly #args = new Map<NodeId, BodyArg>();
  readonly #values: BodyValue[] = [];
  readonly #names: Set<string>;

  constructor(names: Iterable<string>) {
    this.#names = new Set(names);
  }

  get values(): readonly BodyValue[] {
    return this.#values;
  }

  argOf = (id: NodeId): BodyArg => this.#args.get(id)!;

  /** A name that nothing here has yet. */
  unique(wanted: string): string {
    const word = wanted.replaceAll(/\W+/g, "_");
    let name = word;
    for (let i = 2; this.#names.has(name); i++) name = `${word}_${i}`;
    this.#names.add(name);
    return name;
  }

  #add(id: string, op: string, inputs: readonly NodeId[], attrs: Node["attrs"], dtype: DType, label: string): NodeId {
    const own = nodeId(id);
    this.nodes.set(own, { id: own, op, inputs, attrs, type: { dtype, shape: [] }, label, origins: [], groups: [] });
    return own;
  }

  /** A value from outside of the iteration. */
  given(arg: BodyArg, dtype: DType, label: string): NodeId {
    const id = this.#add(`given ${label}`, "input", [], {}, dtype, label);
    this.#args.set(id, arg);
    return id;
  }

  /** A value of the body as it was written. */
  value(made: BodyValue, inputs: readonly NodeId[], dtype: DType): NodeId {
    const at = this.#values.push(made) - 1;
    const id = this.#add(`value ${at}`, made.op, inputs, made.attrs, dtype, made.name);
    this.#args.set(id, { kind: "value", at });
    return id;
  }

  typeOf(id: NodeId): TensorType {
    return this.node(id).type;
  }

  node(id: NodeId): Node {
    return this.nodes.get(id)!;
  }

  scalar(value: number, dtype: DType = "f32"): NodeId {
    const id = this.#add(`literal ${value}:${dtype}`, "const", [], { value }, dtype, `${value}`);
    this.#args.set(id, { kind: "literal", value, dtype });
    return id;
  }

  op(part: string, op: string, inputs: readonly NodeId[], given: Node["attrs"] = {}): NodeId {
    const def = opDef(op);
    // One element has no other shape.
    if (def.movement) return inputs[0]!;
    const attrs = withDefaults(def, given);
    const type = def.infer(
      inputs.map((id) => this.typeOf(id)),
      attrs,
    );
    if (!type.ok) throw new TypeError(`${part}: ${type.text}`);
    const neutral = def.scalar?.neutral;
    const literal = (id: NodeId): number | null => {
      const arg = this.argOf(id);
      return arg.kind === "literal" ? arg.value : null;
    };
    const without = neutral?.operands.find((at) => inputs.length === 2 && literal(inputs[at]!) === neutral.value);
    if (without !== undefined && this.typeOf(inputs[1 - without]!).dtype === type.value.dtype)
      return inputs[1 - without]!;
    const args = inputs.map(this.argOf);
    return this.value({ name: this.unique(part), op, args, attrs }, inputs, type.value.dtype);
  }
}

/** The body with changes beside its values. */
function changing(body: LoopBody, dtypes: readonly DType[], seeds: Seeds, push: PushForward): Changing {
  const { params, iteration, values, next } = body;
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
  // Parameters are told apart by place: carried ones, their changes, what all iterations read, its changes.
  const moved = (at: number): number => (isCarried(at) ? at : at + carried.length);
  const beside = [
    ...carried.map((at, i) => [at, next.length + i] as const),
    ...shared.map((at, i) => [at, params.length + carried.length + i] as const),
  ];
  const tangents = new Map<NodeId, NodeId>();
  const added = new Map<number, string>();
  for (const [at, place] of beside) {
    const name = writer.unique(`d_${params[at]!.name}`);
    added.set(place, name);
    // Told by a place that is no parameter's yet: it is moved with the others.
    tangents.set(own[at]!, writer.given({ kind: "param", at: -1 - place }, params[at]!.dtype, name));
  }
  for (const at of changes)
    if (!isCarried(at) && typeof seeds.get(at) === "number")
      tangents.set(own[at]!, writer.scalar(Number(seeds.get(at)), params[at]!.dtype));
  const wanted = carried.map((at) => ends[at]!);
  const found = push(builder, tangents, wanted, () => {});
  if ("node" in found) throw new TypeError(`${found.node.op} has no derivative`);
  const placed = (arg: BodyArg): BodyArg =>
    arg.kind !== "param" ? arg : { kind: "param", at: arg.at < 0 ? -1 - arg.at : moved(arg.at) };
  const places = Array.from({ length: params.length + beside.length }, (_, at) => {
    const name = added.get(at);
    if (name !== undefined) return { name, dtype: params[beside.find(([, place]) => place === at)![0]]!.dtype };
    return params[at < next.length ? at : at - carried.length]!;
  });
  return {
    body: {
      params: places,
      iteration,
      values: writer.values.map((value) => ({ ...value, args: value.args.map(placed) })),
      next: [...next, ...found.map(writer.argOf)].map(placed),
      rows: [],
    },
    carried,
    shared,
    results: new Map(carried.map((at, i) => [at, next.length + i])),
  };
}
