/** @file Values that stand side by side in memory and are computed differently: a thread takes all of them, so that none asks which is its own. */
import { node, sizeOf, type Graph, type NodeId, type TensorType } from "../../ir";
import { normalAxis, numberOf, opDef } from "../../ops";

/** Elements that a thread computes at most, each by statements of its own. */
const MAX_RUN = 20;

/** What a thread of a flat kernel takes at once: `run` times `width` neighbours, which are so many of the region's points. */
export interface FlatUnit {
  readonly width: 1 | 2 | 4;
  readonly run: number;
  /** How often it computes what the joined values are made of; null where nothing is joined in neighbours. */
  readonly points: number | null;
}

/** `width` neighbours, or as many as complete what is joined among so many elements (the three values of a point, nine of a matrix). */
export function flatUnit(graph: Graph, members: readonly NodeId[], size: number, width: 1 | 2 | 4): FlatUnit {
  const alone: FlatUnit = { width, run: 1, points: null };
  if (width === 2) return alone;
  const periods = members.flatMap((id) => periodOf(graph, id, size) ?? []);
  const period = Math.max(...periods);
  if (periods.length === 0 || periods.some((each) => period % each !== 0)) return alone;
  const together = leastCommon(period, width);
  if (together <= MAX_RUN && size % together === 0) return { width, run: together / width, points: together / period };
  return period <= MAX_RUN ? { width: 1, run: period, points: 1 } : alone;
}

/** After how many elements a join begins anew, where four neighbours may lie in several of its parts. */
function periodOf(graph: Graph, id: NodeId, size: number): number | null {
  const { op, attrs, inputs, type } = node(graph, id);
  if (!opDef(op).movement?.joins || sizeOf(type.shape) !== size) return null;
  const axis = normalAxis(numberOf(attrs["axis"], 0), type.shape.length);
  const inner = sizeOf(type.shape.slice(axis + 1));
  const partOf = ({ shape }: TensorType): number => (shape.length < type.shape.length ? 1 : shape[axis]!) * inner;
  return inputs.every((input) => partOf(node(graph, input).type) % 4 === 0) ? null : type.shape[axis]! * inner;
}

function leastCommon(a: number, b: number): number {
  let [high, low] = [a, b];
  while (low > 0) [high, low] = [low, high % low];
  return (a / high) * b;
}
