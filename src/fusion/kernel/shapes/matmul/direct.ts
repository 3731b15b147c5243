/** @file Products whose threads share nothing: each walks k by itself, for four neighbouring outputs or for one. */
import { node, type Graph, type NodeId, type Target } from "../../../ir";
import { probeLoads } from "../../emit/dry-run";
import { IndexSpace, type Index, type IndexVar } from "../../emit/index-space";
import { isFreeView } from "../../indices/views";
import { WARP } from "../../nest/price";
import { BYTES, machinesOf, PEAK, START } from "../../nest/waves";
import { matmulAxes, type MatmulSizes } from "./matmul";
import { aloneShare } from "./matmul-factors";
import { OperandIndices, valueAt } from "./operand-indices";

/** One loop of k. */
export interface Depth {
  readonly name: string;
  readonly extent: number;
}

/** Loops over the taps of a convolution, innermost first; what is outside of them are channels. */
const TAPS = ["tap_x", "tap_y", "tap_z"];

/** k as nested loops over the axes that a reshape joined into it (channels and taps of windows): their indices then need no division. */
export function depthsOf(graph: Graph, product: NodeId, { k }: Pick<MatmulSizes, "k">): readonly Depth[] {
  let operand = node(graph, node(graph, product).inputs[1]!);
  // Columns of one batch: batches may be columns as well.
  const columns = operand.type.shape.length < 2 ? 1 : operand.type.shape.at(-1)!;
  while (isFreeView(operand)) operand = node(graph, operand.inputs[0]!);
  const { shape } = operand.type;
  let [axis, inner] = [shape.length - 1, 1];
  while (axis >= 0 && inner < columns) inner *= shape[axis--]!;
  const spatial = shape.length - 1 - axis;
  const extents: number[] = [];
  let depth = 1;
  while (axis >= 0 && inner === columns && depth < k) {
    depth *= shape[axis]!;
    extents.push(shape[axis--]!);
  }
  const named = extents.map((extent, at) => ({ name: at < spatial ? (TAPS[at] ?? "tap") : "channel", extent }));
  const depths = named.filter(({ extent }) => extent > 1).toReversed();
  return depth === k && inner === columns && depths.length > 1 ? depths : [{ name: "k", extent: k }];
}

/** Taps that stand side by side in the kernel's text, so that what neighbours share is loaded once. */
const SIDE_BY_SIDE = 8;

/** Whether the innermost loop is written out. */
export const areSideBySide = (depths: readonly Depth[], { schedule }: Target): boolean =>
  schedule === "gpu" && depths.length > 1 && depths.at(-1)!.extent <= SIDE_BY_SIDE;

/** Lines of memory that are asked for at one of k by 128 outputs: of a warp whose threads have four each, or of four warps. */
interface Asked {
  readonly fours: number;
  readonly singles: number;
}

/** Elements of a line; units, and turns of the loop around the innermost, at which loads are looked at. */
const [LINE, SAMPLES] = [32, [0, 1, 2, 3, 5]] as const;

/**
 * What threads ask for of the right operand in one turn, whose taps stand side by side: what lies in no vectors is loaded element by
 * element, as often as its index is written differently.
 */
function asked(graph: Graph, members: readonly NodeId[], product: NodeId, sizes: MatmulSizes, taps: number): Asked {
  const space = new IndexSpace();
  const { n, k } = sizes;
  const indices = new OperandIndices(graph, product, space, matmulAxes(graph, product, "elements"));
  const turn = space.variable("turn", k / taps - 1, 0);
  const [unit, column] = [space.variable("unit", Math.ceil(n / 4) - 1, 0), space.variable("column", n - 1, 0)];
  const four = space.add(space.mul(space.of(unit), 4), space.of(space.lane));
  const loadsOf = (own: Index): readonly Index[] => {
    const points = Array.from({ length: taps }, (_, tap) => {
      const at = space.add(space.mul(space.of(turn), taps), space.int(tap));
      return { id: node(graph, product).inputs[1]!, at: indices.right(space.int(0), at, own) };
    });
    const loads = probeLoads(graph, members, space, points);
    const largest = loads.toSorted((a, b) => b.elements - a.elements)[0];
    return loads.filter(({ value }) => value === largest?.value).map(({ offset }) => offset);
  };
  const at = (offset: Index, of: IndexVar, which: number, when = 0): number =>
    valueAt(
      offset,
      new Map([
        [of, Math.min(which, of.max)],
        [turn, Math.min(when, turn.max)],
      ]),
    );
  const lines = (offset: Index, of: IndexVar): number => {
    // Of an index that is chosen among several nothing is known, but that neighbours mostly lie beside one another.
    if (!isOf(offset, [of, turn])) return 1 + (of === unit ? 4 : 1);
    const first = Math.floor(of.max / 2);
    return new Set(Array.from({ length: WARP }, (_, t) => Math.floor(at(offset, of, first + t) / LINE))).size;
  };
  const sum = (all: readonly Index[], of: IndexVar): number => all.reduce((total, each) => total + lines(each, of), 0);
  const fours = loadsOf(n % 4 === 0 ? four : space.clamp(four, n - 1));
  const wide = fours.filter(({ lane }) => lane);
  const isVector = (offset: Index): boolean =>
    new Set(SAMPLES.flatMap((which) => SAMPLES.map((when) => ((at(offset, unit, which, when) % 4) + 4) % 4))).size ===
    1;
  const singly =
    sum(
      fours.filter(({ lane }) => !lane),
      unit,
    ) / taps;
  // Vectors that begin between others are joined of those.
  const vectors = (taps + 6) / taps;
  return {
    fours: wide.length > 0 && wide.every(isVector) ? Math.min(4, vectors) : singly,
    singles: (4 * sum(loadsOf(space.of(column)), column)) / taps,
  };
}

/** Whether these variables say all of an index. */
const isOf = ({ terms }: Index, known: readonly IndexVar[]): boolean =>
  terms.every(({ atom }) => (atom.kind === "var" ? known.includes(atom) : isOf(atom.of, known)));

/** Lines that a multiprocessor asks its cache for in a µs where threads share nothing. */
const LINES = 1750;

/** Threads of a workgroup: a multiprocessor starts one of 64 no sooner than one of 256, but few threads are to be in all of them. */
export function threadsAlone(units: number, target: Target): number {
  const [few, many] = [64, 256].map((threads) => Math.min(threads, target.maxWorkgroupSize));
  return units >= 2 * many! * machinesOf(target).about ? many! : few!;
}

/** µs that a thread takes for a turn of its loops where no other hides what it waits for: the weights' derivative of a depthwise convolution, 784 turns, took an H200 0.113 ms. */
const TURN = 0.14;

/** Outputs of a thread, and predicted µs without the launch. */
export interface DirectFactors {
  readonly width: 1 | 4;
  readonly micros: number;
}

/**
 * How one row beside its neighbours is computed fastest by threads that share nothing.
 * @param members ops of the kernel, which compute the operands
 * @param stored bytes of what is read and written
 * @param singly whether a thread may store one output: halves share a word
 */
export function directFactors(
  graph: Graph,
  members: readonly NodeId[],
  product: NodeId,
  sizes: MatmulSizes,
  stored: number,
  singly: boolean,
  target: Target,
): DirectFactors {
  const { batch, n, k } = sizes;
  const { about } = machinesOf(target);
  const depths = depthsOf(graph, product, sizes);
  const sideBySide = areSideBySide(depths, target);
  const turns = sideBySide ? k / depths.at(-1)!.extent : k;
  const { fours, singles } = asked(graph, members, product, sizes, sideBySide ? depths.at(-1)!.extent : 1);
  const widths = singly ? ([4, 1] as const) : ([4] as const);
  const ways = widths.map((width): DirectFactors => {
    const share = aloneShare((batch * n) / width, target, true);
    // Each also asks for the value of the left operand.
    const lines = width === 4 ? fours + 1 : singles + 4;
    const asking = (batch * n * k * lines) / (4 * WARP) / LINES;
    const micros = Math.max((2 * batch * n * k) / (PEAK * share), stored / BYTES, asking) / about;
    return { width, micros: START + Math.max(micros, turns * TURN) };
  });
  return ways.reduce((least, each) => (each.micros < least.micros ? each : least));
}
