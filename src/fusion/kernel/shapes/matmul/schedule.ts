/** @file Products: tiles, threads that share k, chunks of k, a workgroup that owns whole rows; on a CPU, a tile a thread. */
import {
  dtypeBytes,
  node,
  sizeOf,
  type Graph,
  type Knobs,
  type Node,
  type NodeId,
  type Shape,
  type Target,
} from "../../../ir";
import {
  IN_STEP,
  neighbours,
  offsetsAt,
  type Points,
  pointsAlong,
  readsOf,
  SHORT_ROW,
  strideProbe,
  wasteOf,
} from "../../count/reads";
import { opDef } from "../../../ops";
import { joiningOf } from "../../nest/threads";
import { BASE_REGISTERS, blank, liveScalars, type Body } from "../../schedule/schedule-parts";
import type { ProductBand, RegionForm, RegionRead, RegionSchedule, ThinFactors } from "../../types";
import { layoutOf } from "../../indices/row-layout";
import { analyseRows } from "../fold/classify-rows";
import type { RowRole } from "../fold/rows/row-role";
import { Rows } from "../fold/schedule-fold";
import { membersBehind } from "../fold/rows/row-steps";
import { readTwice } from "../attention/reduce-schedule";
import { stridedOutputs } from "./strided-outputs";
import { bandIn, bandOfProduct, readInBand } from "./banded";
import type { Footprint } from "../../indices/footprint";
import {
  CPU_TILE,
  matmulAxes,
  matmulSizes,
  namedTile,
  tileBytes,
  tileRereads,
  tileThreads,
  type MatmulSizes,
} from "./matmul";
import { resolveView, storedInputs } from "../../indices/views";
import { directFactors, threadsAlone } from "./direct";
import { aloneShare, CLEARLY, mayShareK, productFactors, shareOfPeak, type ProductShape } from "./matmul-factors";
import { IndexSpace } from "../../emit/index-space";
import { operandLies, type OperandLies } from "./operand-indices";
import { ownedFigures, ownedTile } from "./owned-rows";
import { productsOf } from "./shared-operand";
import { slidingAxis, slidingFactors, slidingFigures, slidingRegisters } from "./sliding";

/** Columns that a thread takes in a turn. */
const QUAD = 4;

/** One tile across: its workgroup owns whole rows. */
function scheduleOwned(graph: Graph, region: Body, form: RegionForm, target: Target, knobs: Knobs): RegionSchedule {
  const tile = ownedTile(graph, form.contraction!, target);
  const reads = readsOf(graph, region.members, region.outputs);
  const registers = BASE_REGISTERS + liveScalars(graph, region) + form.reductions.length;
  if (target.schedule === "cpu")
    return blank({
      variant: "matmul-rows-thread",
      reads: walkedByThread(graph, region, form, target, knobs, reads),
      threadsPerWorkgroup: 64,
      workgroups: Math.ceil(form.rows / 64),
      registers: registers + form.columns,
    });
  return blank({
    variant: "matmul-rows",
    matmul: tile,
    reads,
    registers: registers + tile.rm + tile.rn,
    ...ownedFigures(graph, form, tile),
  });
}

/** A thread loads what follows the product in each walk over its row that asks for it, beside what the product itself reads. */
function walkedByThread(
  graph: Graph,
  { members, outputs }: Body,
  form: RegionForm,
  target: Target,
  knobs: Knobs,
  reads: readonly RegionRead[],
): RegionRead[] {
  const product = membersBehind(graph, members, [form.contraction!], []);
  const asked = outputs.filter((id) => id !== form.contraction);
  const folds = form.reductions.map((each) => each.node);
  const after = membersBehind(graph, members, [...asked, ...folds], [form.contraction!]);
  const analysis = analyseRows(graph, after);
  if ("ok" in analysis) return [...reads];
  // Results are stored in a walk of their own, after all folds; those of the product's size lie as it does.
  const stage = 1 + Math.max(...form.reductions.map((each) => each.stage));
  const { domain } = analysis;
  const size = sizeOf(node(graph, form.contraction!).type.shape);
  const storedAs = (id: NodeId): RowRole => {
    const { shape } = node(graph, id).type;
    if (sizeOf(shape) !== size) return { ...analysis.roles.get(id)!, stage };
    return { role: "full", stage, lie: layoutOf(domain.space, shape, domain.samples) };
  };
  const roles = new Map([...analysis.roles, ...asked.map((id) => [id, storedAs(id)] as const)]);
  const region = { members: after, outputs: asked };
  // A view may show the rows of the product with other axes, and the folds go along those.
  const seen = { ...form, space: domain.space, reducedAxes: domain.axes };
  const rows = new Rows({ graph, region, form: seen, target, knobs }, { ...analysis, roles });
  // One turn is no loop: what it loaded is still there.
  const inOne = form.columns <= QUAD;
  const walked = new Map(rows.rereads(inOne, QUAD, QUAD).map((read) => [read.value, read.rereads]));
  const own = new Set(storedInputs(graph, product));
  return reads.map((read) => {
    const again = walked.get(read.value);
    return again === undefined ? read : { ...read, rereads: again + Number(own.has(read.value)) };
  });
}

/** The schedule of a kernel around a product whose elements are stored, or whose whole rows a workgroup folds. */
export function scheduleMatmul(
  graph: Graph,
  region: Body,
  form: RegionForm,
  target: Target,
  knobs: Knobs,
): RegionSchedule {
  if (form.reductions.length > 0) return scheduleOwned(graph, region, form, target, knobs);
  const products = productsOf(graph, region.members);
  const sizes = matmulSizes(graph, form.contraction!, "elements", products);
  const reads = readsOf(graph, region.members, region.outputs);
  const shared = { reads, stridedWrites: stridedOutputs(graph, region, false) };
  const live = BASE_REGISTERS + liveScalars(graph, region);
  if (target.schedule === "cpu") {
    const tile = CPU_TILE;
    const tiles = sizes.batch * Math.ceil(sizes.m / tile.m) * Math.ceil(sizes.n / tile.n);
    return blank({
      ...shared,
      variant: "matmul-registers",
      matmul: tile,
      threadsPerWorkgroup: 64,
      workgroups: Math.ceil(tiles / 64),
      registers: live + 24,
      modelledBytes: tileRereads(sizes, tile),
    });
  }
  const left = products.length === 1 ? bandOfProduct(graph, region, form.contraction!) : null;
  const shape = {
    sizes,
    count: products.length,
    ...alongK(graph, region.members, products, sizes),
    lines: linesOf(graph, region.members, products, sizes),
    bytes: dtypeBytes(node(graph, node(graph, form.contraction!).inputs[0]!).type.dtype),
    ...(left && { band: left, beside: besideBytes(graph, region, form.contraction!, reads, left.side) }),
  };
  const axis = products.length === 1 ? slidingAxis(graph, region.members, form.contraction!, sizes) : null;
  const sliding = axis && slidingFactors(axis, (sizes.batch * sizes.n) / axis.positions, target);
  const alone = sizes.m === 1 && !shape.rightAlongK && products.length === 1 && sizes.batch * sizes.n * sizes.k > 0;
  const singly = region.outputs.every((id) => node(graph, id).type.dtype !== "f16");
  const direct = alone
    ? directFactors(graph, region.members, form.contraction!, sizes, storedBytes(graph, reads), singly, target)
    : null;
  const asked = {
    ...shape,
    ...(sliding ? { direct: sliding.micros } : direct ? { direct: CLEARLY * direct.micros } : {}),
  };
  const factors = productFactors(asked, target, products.length > 1 ? null : namedTile(knobs.tile));
  if (!factors && sliding)
    return blank({
      ...shared,
      ...slidingFigures(sliding, sizes, target),
      variant: "matmul-direct",
      registers: live + slidingRegisters(sliding),
    });
  if (!factors) {
    const units = sizes.batch * sizes.m * (direct?.width === 1 ? sizes.n : Math.ceil(sizes.n / 4));
    const threads = threadsAlone(units, target);
    return blank({
      ...shared,
      reads: readsOf(graph, region.members, region.outputs, fetchedByThreads(graph, region.members, products)),
      variant: "matmul-direct",
      threadsPerWorkgroup: threads,
      workgroups: Math.ceil(units / threads),
      registers: live + 4,
      ...(direct
        ? {
            alone: direct.width,
            leastMicros: direct.micros,
            reached: shareOfPeak(2 * sizes.batch * sizes.n * sizes.k, direct.micros, target),
          }
        : { reached: aloneShare(sizeOf(form.space) / 4, target) }),
    });
  }
  const { tile, thin, chunks, chunkLength, workgroups, reached, micros, share } = factors;
  const parts = chunks > 1 ? 4 * chunks * products.length * sizes.batch * sizes.m * sizes.n : 0;
  const split = {
    chunks,
    chunkLength,
    dispatches: chunks > 1 ? 2 : 1,
    temporaryBytes: parts,
    temporaries: products.length,
    reads: chunks > 1 ? readTwice(graph, products, region, reads) : reads,
    workgroups,
  };
  if (thin) {
    const sums = 4 * accumulatorsOf(thin) * products.length;
    return blank({
      ...shared,
      ...split,
      variant: "matmul-direct",
      thin,
      leastMicros: micros,
      ...(thin.along === "k" && { joined: joiningOf(target, knobs) }),
      threadsPerWorkgroup: thin.threads,
      registers: live + sums,
      waiting: sums,
    });
  }
  const band = left && chunks === 1 ? bandIn(left, sizes, tile!) : null;
  const inBand = (n: Node, operand: number): Footprint | null =>
    n.id === form.contraction ? readInBand(graph, n, operand, band!, tile!) : null;
  return blank({
    ...shared,
    ...split,
    ...(band && {
      band,
      computedShare: share,
      reads: readsOf(graph, region.members, region.outputs, new Map(), inBand),
    }),
    variant: "matmul-tile",
    stridedWrites: chunks > 1 ? shared.stridedWrites : stridedOutputs(graph, region, true),
    matmul: tile,
    reached,
    threadsPerWorkgroup: tileThreads(tile!),
    workgroupBytes: tileBytes(tile!),
    registers: live + tile!.rm + tile!.rn,
    modelledBytes: share * tileRereads({ ...sizes, n: products.length * sizes.n }, tile!),
  });
}

/** Bytes that are loaded for what follows a product, and of the operand under a mask where it is computed on the way in. */
function besideBytes(
  graph: Graph,
  { members, outputs }: Body,
  product: NodeId,
  reads: readonly RegionRead[],
  side: ProductBand["side"],
): number {
  const plain = new Set(
    node(graph, product).inputs.flatMap((id, operand) => {
      const behind = membersBehind(graph, members, [id], []);
      const masked = operand === (side === "left" ? 0 : side === "right" ? 1 : -1);
      const computed = masked && behind.some((each) => opDef(node(graph, each).op).kind !== "movement");
      return computed ? [] : [resolveView(graph, id), ...behind.flatMap((each) => node(graph, each).inputs)];
    }),
  );
  const others = storedInputs(graph, membersBehind(graph, members, outputs, [product]));
  return storedBytes(
    graph,
    reads.filter(({ value }) => !plain.has(value) || others.includes(value)),
  );
}

const storedBytes = (graph: Graph, reads: readonly RegionRead[]): number =>
  reads.reduce((sum, { value, elements }) => sum + elements * dtypeBytes(node(graph, value).type.dtype), 0);

/** What threads side by side, each with outputs of its own, fetch of the operands for each byte that they use, where these lie apart. */
function fetchedByThreads(graph: Graph, members: readonly NodeId[], products: readonly NodeId[]): Map<NodeId, number> {
  const shapeOf = (id: NodeId): Shape => node(graph, id).type.shape;
  const operands = products.map((id) => node(graph, id).inputs);
  if (operands.flat().some((id) => shapeOf(id).length < 2)) return new Map();
  const k = shapeOf(operands[0]![0]!).at(-1)!;
  // Of k, a thread loads what comes next at about the same time.
  const depth = Math.min(SHORT_ROW, k);
  const rootsOf = (count: number): { id: NodeId; points: Points }[] =>
    products.flatMap((product, p) => {
      const shape = shapeOf(product);
      const outputs = inTheMiddle(shape, pointsAlong(shape, [...shape.keys()], count));
      return operands[p]!.map((id, which) => {
        const own = (at: readonly number[], step: number): readonly number[] =>
          at
            .with(-1 - which, step)
            .slice(-shapeOf(id).length)
            .map((value, axis) => (shapeOf(id)[axis] === 1 ? 0 : value));
        return { id, points: outputs.flatMap((at) => Array.from({ length: depth }, (_, step) => own(at, step))) };
      });
    });
  /** Neither neighbours nor rows that the threads walk to their ends. */
  const isApart = (found: readonly number[]): boolean => {
    const [first, next, beside] = [found[0]!, found[1], found[depth]];
    const between = Math.abs((beside ?? first) - first);
    return between > 1 && !(depth > 1 && Math.abs(next! - first) === 1 && between <= k);
  };
  const pairs = [...offsetsAt(graph, members, rootsOf(2))];
  const apart = new Set(pairs.flatMap(([id, ways]) => (ways.some(isApart) ? [id] : [])));
  if (apart.size === 0) return new Map();
  const met = [...offsetsAt(graph, members, rootsOf(IN_STEP))].filter(([id]) => apart.has(id));
  return new Map(met.map(([id, ways]) => [id, wasteOf(ways.flat(), dtypeBytes(node(graph, id).type.dtype))]));
}

/** The same points as far from the edges of `shape` as they go: behind those, windows end. */
function inTheMiddle(shape: Shape, points: Points): Points {
  const room = shape.map((extent, axis) => extent - 1 - Math.max(...points.map((at) => at[axis]!)));
  return points.map((at) => at.map((value, axis) => value + Math.floor(room[axis]! / 2)));
}

/** Vectors in which a thread adds up. */
const accumulatorsOf = ({ along, rows, columns }: ThinFactors): number =>
  along === "k" ? rows * columns : along === "n" ? rows : columns;

/** Which operands lie contiguously along k. The left one is asked about only where threads may share k. */
function alongK(
  graph: Graph,
  members: readonly NodeId[],
  products: readonly NodeId[],
  sizes: MatmulSizes,
): Pick<ProductShape, "leftAlongK" | "rightAlongK"> {
  const lies = (which: 0 | 1): boolean => products.every((id) => liesAlongK(graph, members, id, which));
  return { leftAlongK: !mayShareK(sizes) || lies(0), rightAlongK: lies(1) };
}

/** Lines of memory that a warp asks for to load a vector of each thread, of operands that lie in no order: as tiles load them, and as vectors. */
function linesOf(
  graph: Graph,
  members: readonly NodeId[],
  products: readonly NodeId[],
  sizes: MatmulSizes,
): NonNullable<ProductShape["lines"]> {
  const axes = matmulAxes(graph, products[0]!, "elements", products);
  const [left, right] = ([0, 1] as const).map((which) => {
    const found = products.map((id) => operandLies(graph, members, id, which, axes, sizes, new IndexSpace()));
    const most = (lines: (lies: OperandLies) => number): number => Math.max(...found.map(lines));
    return { tiled: most(({ elements, lines }) => elements?.lines ?? lines), vectors: most(({ lines }) => lines) };
  });
  return { left: left!, right: right! };
}

/** Do neighbours along k of that operand lie side by side in the largest tensor behind it? */
function liesAlongK(graph: Graph, members: readonly NodeId[], product: NodeId, which: 0 | 1): boolean {
  const id = node(graph, product).inputs[which]!;
  const { shape } = node(graph, id).type;
  const pair = neighbours(shape, Math.max(0, shape.length - (which === 0 ? 1 : 2)));
  if (!pair) return false;
  const steps = [...strideProbe(graph, members, [{ id, pair }])];
  const sizeOfValue = ([value]: (typeof steps)[number]): number => sizeOf(node(graph, value).type.shape);
  const largest = steps.toSorted((a, b) => sizeOfValue(b) - sizeOfValue(a))[0];
  return largest?.[1].has(1) ?? false;
}
