/** @file Tensors that are numbers of the text alone, computed while the program is read: ranges, lists of numbers, what is made of them element by element. */
import { isInput, isLiteral, type Node, type NodeId, type Shape, sizeOf, type TensorType } from "../../ir";
import { broadcastIndex, type IndexAlgebra, numbersOf, opDef } from "../../ops";

/** More elements than a person writes down as a table. */
const MOST_ELEMENTS = 65_536;

const plain: IndexAlgebra<number, boolean> = {
  int: (value) => value,
  add: (a, b) => a + b,
  mul: (a, by) => a * by,
  div: (a, by) => Math.floor(a / by),
  mod: (a, by) => a % by,
  less: (a, bound) => a >= 0 && a < bound,
  atLeast: (a, bound) => a >= bound,
  and: (a, b) => a && b,
};

const flatOf = (index: readonly number[], shape: Shape): number =>
  shape.reduce((at, extent, axis) => at * extent + index[axis]!, 0);

function indexOf(flat: number, shape: Shape): number[] {
  let rest = flat;
  return shape.toReversed().reduce<number[]>((index, extent) => {
    index.unshift(rest % extent);
    rest = Math.floor(rest / extent);
    return index;
  }, []);
}

const stored = (value: number, { dtype }: TensorType): number =>
  dtype === "i32" ? Math.trunc(value) : dtype === "bool" ? Number(value !== 0) : Math.fround(value);

interface Known {
  readonly type: TensorType;
  readonly values: readonly number[];
}

function fed({ attrs, type }: Node): readonly number[] | null {
  const size = sizeOf(type.shape);
  const all = (value: number): number[] => Array.from({ length: size }, () => value);
  const given = numbersOf(attrs["values"]);
  switch (String(attrs["source"])) {
    case "zeros":
      return all(0);
    case "ones":
      return all(1);
    case "arange":
      return Array.from({ length: size }, (_, i) => i);
    case "values":
      return given.length === size ? given : given.length === 1 ? all(given[0]!) : null;
    default:
      return null;
  }
}

function computed(node: Node, operands: readonly Known[]): readonly number[] | null {
  const { op, attrs, type } = node;
  const def = opDef(op);
  const { kind, scalar, movement } = def;
  const { shape } = type;
  const flats = Array.from({ length: sizeOf(shape) }, (_, flat) => flat);
  if (kind === "elementwise" && scalar) {
    const own = operands.map((each) => each.type.dtype);
    const whole = (def.operandTypes?.(own, attrs) ?? own).every((dtype) => dtype === "i32");
    const isInt = operands.length > 0 && whole && scalar.int !== undefined;
    const rule = (args: readonly number[]): number => (isInt ? scalar.int!(args, attrs) : scalar.js(args, attrs));
    return flats.map((flat) => {
      const index = indexOf(flat, shape);
      const args = operands.map(
        (each) => each.values[flatOf(broadcastIndex(index, each.type.shape, plain), each.type.shape)]!,
      );
      return stored(rule(scalar.usesIndex ? [...args, flat] : args), type);
    });
  }
  const inputs = operands.map((each) => each.type.shape);
  const [data, picks] = operands;
  if (kind === "gather" && def.gather && data && picks) {
    const axis = def.gather.axis(attrs, data.type.shape);
    const [extent, rank] = [data.type.shape[axis]!, picks.type.shape.length];
    return flats.map((flat) => {
      const index = indexOf(flat, shape);
      const pick = picks.values[flatOf(index.slice(axis, axis + rank), picks.type.shape)]!;
      const from = [...index.slice(0, axis), Math.min(Math.max(pick, 0), extent - 1), ...index.slice(axis + rank)];
      return data.values[flatOf(from, data.type.shape)]!;
    });
  }
  if ((kind === "reduce" || kind === "scan") && data) return folded(node, data);
  if (!movement) return null;
  const fill = movement.fill?.(attrs) ?? 0;
  return flats.map((flat) => {
    const found = movement
      .source(indexOf(flat, shape), { inputs, output: shape, attrs }, plain)
      .find(({ when }) => when !== false);
    return found ? operands[found.operand]!.values[flatOf(found.index, inputs[found.operand]!)]! : fill;
  });
}

/** What a reduction or a scan makes of its operand; null of one that answers indices. */
function folded({ op, attrs, type }: Node, { type: { shape, dtype }, values }: Known): readonly number[] | null {
  const def = opDef(op);
  const { scan } = def;
  const { reduce } = scan ? scan.fold : def;
  if (!reduce || reduce.arg || reduce.map || scan?.exclusive(attrs)) return null;
  const axes = scan ? [scan.axis(attrs, shape)] : reduce.axes(attrs, shape);
  const first = reduce.identity(def.operandTypes?.([dtype], attrs)[0] ?? dtype);
  const sums = new Map<number, number>();
  const outer = shape.map((extent, axis) => (axes.includes(axis) ? 1 : extent));
  const found: number[] = [];
  const flats = values.map((_, flat) => flat);
  for (const flat of scan?.reverse(attrs) ? flats.toReversed() : flats) {
    const lane = flatOf(
      indexOf(flat, shape).map((at, axis) => (axes.includes(axis) ? 0 : at)),
      outer,
    );
    const sum = reduce.combine.js(sums.get(lane) ?? first, values[flat]!);
    sums.set(lane, sum);
    if (scan) found[flat] = stored(sum, type);
  }
  if (scan) return found;
  const count = axes.reduce((all, axis) => all * shape[axis]!, 1);
  return Array.from({ length: sizeOf(type.shape) }, (_, lane) => {
    const sum = sums.get(lane) ?? first;
    return stored(reduce.finish ? reduce.finish.js(sum, count) : sum, type);
  });
}

/** The elements of a tensor that stand in the text: no input that a run feeds has a part in them. */
export const writtenValues = (nodes: ReadonlyMap<NodeId, Node>, id: NodeId): readonly number[] | null =>
  constantValues(nodes, id, ({ attrs }) => attrs["role"] === "const" && attrs["source"] === "values");

/**
 * The elements of a tensor, row-major; null of one that hangs on what a run feeds or draws, and of large ones.
 * @param isKnown of inputs: whether their data counts as known
 */
export function constantValues(
  nodes: ReadonlyMap<NodeId, Node>,
  id: NodeId,
  isKnown: (input: Node) => boolean = () => true,
): readonly number[] | null {
  const known = new Map<NodeId, Known>();
  // Operands stand before what reads them.
  const needed = new Set([id]);
  for (const each of needed) {
    const { inputs, type } = nodes.get(each)!;
    if (sizeOf(type.shape) > MOST_ELEMENTS) return null;
    for (const input of inputs) needed.add(input);
  }
  const visit = (at: NodeId): boolean => {
    if (known.has(at)) return true;
    const node = nodes.get(at)!;
    if (!node.inputs.every(visit)) return false;
    const { type } = node;
    const values = isLiteral(node)
      ? [Number(node.attrs["value"])]
      : isInput(node)
        ? isKnown(node)
          ? fed(node)
          : null
        : computed(
            node,
            node.inputs.map((input) => known.get(input)!),
          );
    if (values) known.set(at, { type, values });
    return values !== null;
  };
  return needed.size <= MOST_NODES && visit(id) ? known.get(id)!.values : null;
}

/** So many ops in a row: visited one inside the other. */
const MOST_NODES = 500;
