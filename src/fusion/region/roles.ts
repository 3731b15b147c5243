/** @file Which values of a region belong to a whole row, which to every element: the alignment rules of row groups. */
import { node, sameShape, showShape, type Graph, type NodeId, type Shape, type Verdict } from "../ir";
import { opDef } from "../ops";

/**
 * `free`: does not depend on a reduction of the region; it is computed at whatever index is asked for.
 * `full`: one value per element of the space, after a reduction. `row`: one value per row.
 */
export type Role = "free" | "full" | "row";

export interface RowDomain {
  /** Shape that every reduction of the region reads. */
  readonly space: Shape;
  /** Axes they fold. */
  readonly axes: readonly number[];
  /** `space` with the folded axes kept as 1. */
  readonly kept: Shape;
}

export interface Placed {
  readonly role: Role;
  /** Passes over the row that must be finished before this value is known. */
  readonly stage: number;
}

export const domainOf = (space: Shape, axes: readonly number[]): RowDomain => ({
  space,
  axes,
  kept: space.map((extent, axis) => (axes.includes(axis) ? 1 : extent)),
});

const padLeft = (shape: Shape, rank: number): Shape => [
  ...Array.from({ length: Math.max(0, rank - shape.length) }, () => 1),
  ...shape,
];
const withoutOnes = (shape: Shape): Shape => shape.filter((extent) => extent !== 1);

/** One value per row: the kept form, or any free re-writing of it (`[R]`, `[R, 1]` …). */
export const isRowShape = (shape: Shape, domain: RowDomain): boolean =>
  sameShape(withoutOnes(shape), withoutOnes(domain.kept));

/** Broadcasts against the space so that every element meets its own row. */
const meetsItsRow = (shape: Shape, domain: RowDomain): boolean =>
  shape.length <= domain.space.length && sameShape(padLeft(shape, domain.space.length), domain.kept);

const refuse = (code: Verdict["code"], nodes: readonly NodeId[], text: string, wayOut?: string): Verdict => ({
  ok: false,
  code,
  text,
  nodes,
  ...(wayOut === undefined ? {} : { wayOut }),
});

/** Places one member, given the places of its operands inside the region; a verdict when it can't stand in this domain. */
export function placeMember(
  graph: Graph,
  id: NodeId,
  placed: ReadonlyMap<NodeId, Placed>,
  domain: RowDomain,
): Placed | Verdict {
  const n = node(graph, id);
  const def = opDef(n.op);
  const bound = n.inputs.filter((input) => (placed.get(input)?.role ?? "free") !== "free");
  const stage = Math.max(0, ...n.inputs.map((input) => placed.get(input)?.stage ?? 0));
  if (def.kind === "reduce") return placeReduction(graph, id, placed, domain, stage);
  if (bound.length === 0) return { role: "free", stage: 0 };
  const show = (of: NodeId): string => `\`${node(graph, of).label}\``;
  if (def.kind === "movement") {
    const operand = bound[0]!;
    const role = placed.get(operand)!.role;
    if (role === "row" && def.movement?.free && isRowShape(n.type.shape, domain)) return { role: "row", stage };
    if (
      role === "row" &&
      meetsItsRow(node(graph, operand).type.shape, domain) &&
      sameShape(n.type.shape, domain.space) &&
      n.op === "expand"
    ) {
      return { role: "full", stage };
    }
    return refuse(
      "L_INDEX",
      [operand, id],
      `${show(id)} moves ${show(operand)} to other places, and each row is only known where it was reduced.`,
      "Store the value first; a later kernel reads it in the other order.",
    );
  }
  if (def.kind !== "elementwise" && def.kind !== "random") {
    return refuse(
      "L_REDUCE_REDUCE",
      [bound[0]!, id],
      `${show(id)} reads ${show(bound[0]!)} at many places at once, but a row of it is only known after its reduction.`,
    );
  }
  if (sameShape(n.type.shape, domain.space)) {
    for (const input of bound) {
      const { role } = placed.get(input)!;
      const shape = node(graph, input).type.shape;
      const fits = role === "full" ? sameShape(shape, domain.space) : meetsItsRow(shape, domain);
      if (!fits) return misaligned(graph, id, input, domain);
    }
    const role =
      sameShape(domain.space, domain.kept) && bound.every((input) => placed.get(input)!.role === "row")
        ? "row"
        : "full";
    return { role, stage };
  }
  const rowwise =
    isRowShape(n.type.shape, domain) &&
    bound.every(
      (input) =>
        placed.get(input)!.role === "row" &&
        sameShape(
          padLeft(node(graph, input).type.shape, n.type.shape.length),
          padLeft(n.type.shape, node(graph, input).type.shape.length),
        ),
    );
  return rowwise ? { role: "row", stage } : misaligned(graph, id, bound[0]!, domain);
}

function placeReduction(
  graph: Graph,
  id: NodeId,
  placed: ReadonlyMap<NodeId, Placed>,
  domain: RowDomain,
  stage: number,
): Placed | Verdict {
  const n = node(graph, id);
  const input = node(graph, n.inputs[0]!);
  const axes = opDef(n.op).reduce!.axes(n.attrs, input.type.shape);
  const role = placed.get(input.id)?.role ?? "free";
  const same = sameShape(input.type.shape, domain.space) && sameShape(axes, domain.axes);
  if (same && role !== "row") return { role: "row", stage: stage + 1 };
  if (same && sameShape(domain.space, domain.kept)) return { role: "row", stage: stage + 1 };
  return refuse(
    "L_REDUCE_REDUCE",
    [input.id, id],
    `\`${n.label}\` folds ${showShape(input.type.shape)} over axes ${axes.join(", ") || "none"}; the other reduction here folds ${showShape(domain.space)} over ${domain.axes.join(", ") || "none"}. One kernel walks one kind of row.`,
    "Give both reductions the same shape and axes, or let a second kernel do the other.",
  );
}

const misaligned = (graph: Graph, id: NodeId, input: NodeId, domain: RowDomain): Verdict => {
  const [consumer, producer] = [node(graph, id), node(graph, input)];
  return refuse(
    "L_SHAPE",
    [input, id],
    `\`${consumer.label}\` is ${showShape(consumer.type.shape)} and would meet \`${producer.label}\` (${showShape(producer.type.shape)}) in another row than the one just reduced: the rows here are those of ${showShape(domain.space)}.`,
    "Keep the reduced axis (keepdim=True), so that every element meets its own row.",
  );
};

export const isVerdict = (answer: Placed | Verdict): answer is Verdict => "ok" in answer;
