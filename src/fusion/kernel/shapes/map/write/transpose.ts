/**
 * @file Pointwise work on an operand that lies the other way round in memory: 32×32 tiles pass through workgroup memory,
 * read along one axis and written along the other. Rows of 33 keep neighbours in different banks.
 */
import { node, type NodeId } from "../../../../ir";
import { loweringOf, programOf, workgroupPerItem, type Job } from "../../../emit/kernel-frame";
import type { Cond, Index, Tuple } from "../../../emit/index-space";
import type { KernelProgram, SharedArray, Value, Width } from "../../../emit/kernel-ir";
import { wordFor } from "../../../emit/emitter";
import type { Lowering } from "../../../emit/lowering";
import { probeLoads, strideOf, type ProbedLoad } from "../../../emit/dry-run";
import { spread } from "../../fold/write/rows";
import { mostTiles, PITCH, TILE } from "../schedule";

/** Where a thread stands: along the inner axis of the output and along the axis that the operands lie on. */
interface Spot {
  readonly inner: Index;
  readonly outer: Index;
  /** The same inside the tile, of the first of four neighbours. */
  readonly localInner: Index;
  readonly localOuter: Index;
  readonly inside: Cond;
}

interface Tiled {
  readonly value: NodeId;
  readonly tile: SharedArray;
  /** Offset for the given indices. */
  readonly offset: (inner: Index, outer: Index) => Index;
}

/** Variant `tile`. */
export function lowerTile(job: Job): KernelProgram {
  const { graph, region, form, schedule, target } = job;
  const low = loweringOf(job);
  const { space } = low;
  const [outerAxis, innerAxis] = schedule.tileAxes!;
  const [outerSize, innerSize] = [form.space[outerAxis]!, form.space[innerAxis]!];
  const [across, down] = [Math.ceil(innerSize / TILE), Math.ceil(outerSize / TILE)];
  const rest = form.space.map((extent, axis) => (axis === outerAxis || axis === innerAxis ? 1 : extent));
  const planes = rest.reduce((product, extent) => product * extent, 1);
  const threads = schedule.threadsPerWorkgroup;
  const grid = workgroupPerItem(low, across * down * planes, threads, target, "tile");
  const tileInner = space.mul(low.bind("across", space.mod(grid.index, across)), TILE);
  const tileOuter = space.mul(low.bind("down", space.mod(space.div(grid.index, across), down)), TILE);
  const plane = space.unravel(space.div(grid.index, across * down), rest);
  const at = (inner: Index, outer: Index): Tuple =>
    space.tuple(plane.map((index, axis) => (axis === innerAxis ? inner : axis === outerAxis ? outer : index)));
  const tiled = tiledLoads(low, job, at, [innerSize, outerSize]);
  const width = widthOf(low, job, tiled, at, [innerSize, outerSize]);
  const spot = spotter(low, [tileInner, tileOuter], [innerSize, outerSize], width);
  const turns = Math.ceil((TILE * TILE) / width / threads);
  low.comment(
    `Read a tile along axis ${outerAxis}, where ${tiled.map(({ value }) => wordFor(node(graph, value))).join(" and ")} lies contiguously.`,
  );
  for (let iteration = 0; iteration < turns; iteration++) {
    const here = spot(space.add(grid.tid, space.int(iteration * threads)), "outer");
    low.branch(here.inside, () => tiled.forEach((load) => fill(low, load, here, width)));
  }
  low.barrier();
  low.comment(`Write it along axis ${innerAxis}.`);
  for (let iteration = 0; iteration < turns; iteration++) {
    const here = spot(space.add(grid.tid, space.int(iteration * threads)), "inner");
    low.branch(here.inside, () => {
      const isKnown = isTiled(low, job, tiled, at, here);
      const { inner, outer } = isKnown ? here : named(low, here, [innerSize, outerSize], width);
      const byOffset = new Map(tiled.map((load) => [`${load.value}:${load.offset(inner, outer).id}`, load]));
      low.onLoad = (buffer, offset) => {
        const load = byOffset.get(`${buffer.value}:${offset.id}`);
        return load ? fetch(low, load, here, width) : null;
      };
      for (const id of region.outputs) {
        const point = at(inner, outer);
        low.store(low.buffer(id), space.ravel(point.at, node(graph, id).type.shape), low.valueAt(id, point), [id]);
      }
    });
  }
  return programOf(low, job, {
    template: "transpose",
    schedule: `One workgroup of ${threads} threads per ${TILE}×${TILE} tile, transposed in workgroup memory.`,
    workgroupSize: grid.workgroupSize,
    workgroups: grid.workgroups,
  });
}

/** Whether what is loaded here is known to be what the tiles hold. */
function isTiled(
  { space }: Lowering,
  { graph, region }: Job,
  tiled: readonly Tiled[],
  at: (inner: Index, outer: Index) => Tuple,
  { inner, outer }: Pick<Spot, "inner" | "outer">,
): boolean {
  const point = at(inner, outer);
  const wanted = region.outputs.map((id) => ({ id, at: point }));
  const loads = new Set(
    probeLoads(graph, region.members, space, wanted).map(({ value, offset }) => `${value}:${offset.id}`),
  );
  return tiled.every(({ value, offset }) => loads.has(`${value}:${offset(inner, outer).id}`));
}

/** Four neighbours, where they are known in the tiles under the name of the first, or one. */
function widthOf(
  low: Lowering,
  job: Job,
  tiled: readonly Tiled[],
  at: (inner: Index, outer: Index) => Tuple,
  [innerSize, outerSize]: readonly [number, number],
): Width {
  if (outerSize % 4 !== 0 || innerSize % 4 !== 0) return 1;
  const { space } = low;
  const [unit, outer] = [space.variable("unit", innerSize / 4 - 1, 0), space.variable("outer", outerSize - 1, 0)];
  const four = { inner: spread(space, space.of(unit), true), outer: space.of(outer) };
  return isTiled(low, job, tiled, at, four) ? 4 : 1;
}

/**
 * The index of a thread under names of its own. An index that is made of several parts is not always known again behind a view, and
 * one beyond the last starts again there.
 */
function named(
  low: Lowering,
  { inner, outer }: Spot,
  [innerSize, outerSize]: readonly [number, number],
  width: Width,
): Pick<Spot, "inner" | "outer"> {
  const { space } = low;
  const row = (): Index => low.bind("row", outer, outerSize - 1);
  if (width === 1) return { inner: low.bind("column", inner, innerSize - 1), outer: row() };
  const four = space.exactly(space.add(inner, space.mul(space.of(space.lane), -1)), 4)!;
  return { inner: spread(space, low.bind("unit", four, innerSize / 4 - 1), true), outer: row() };
}

/** Cells of a tile by number, counted along one of its axes. */
function spotter(
  { space }: Lowering,
  [tileInner, tileOuter]: readonly [Index, Index],
  [innerSize, outerSize]: readonly [number, number],
  width: Width,
): (unit: Index, along: "inner" | "outer") => Spot {
  return (unit, along) => {
    const fast = space.mul(space.mod(unit, TILE / width), width);
    const slow = space.div(unit, TILE / width);
    const [localInner, localOuter] = along === "inner" ? [fast, slow] : [slow, fast];
    const [firstInner, firstOuter] = [space.add(tileInner, localInner), space.add(tileOuter, localOuter)];
    const lane = width === 4 ? space.of(space.lane) : space.int(0);
    return {
      inner: along === "inner" ? space.add(firstInner, lane) : firstInner,
      outer: along === "outer" ? space.add(firstOuter, lane) : firstOuter,
      localInner,
      localOuter,
      inside: space.and(space.less(firstInner, innerSize), space.less(firstOuter, outerSize)),
    };
  };
}

/**
 * The loads of values that all lie contiguously along the outer axis, each with a tile, as far as workgroup memory goes. A value with
 * another load has none: it would be loaded once more.
 */
function tiledLoads(
  low: Lowering,
  { graph, region, target }: Job,
  at: (inner: Index, outer: Index) => Tuple,
  [innerSize, outerSize]: readonly [number, number],
): Tiled[] {
  const { space } = low;
  const [inner, outer] = [space.variable("inner", innerSize - 1, 0), space.variable("outer", outerSize - 1, 0)];
  const point = at(space.of(inner), space.of(outer));
  const wanted = region.outputs.map((id) => ({ id, at: point }));
  const fits = ({ offset, conditional }: ProbedLoad): boolean =>
    !conditional && strideOf(offset, outer) === 1 && Math.abs(strideOf(offset, inner) ?? 0) > 1;
  const loads = probeLoads(graph, region.members, space, wanted);
  const tiled: ProbedLoad[] = [];
  for (const value of new Set(loads.map((load) => load.value))) {
    const own = loads.filter((load) => load.value === value);
    if (own.every(fits) && tiled.length + own.length <= mostTiles(target)) tiled.push(...own);
  }
  return tiled.map(({ value, offset }) => {
    const buffer = low.buffer(value);
    const scalar = buffer.type.dtype === "f16" ? "f32" : buffer.type.dtype;
    return {
      value,
      tile: low.sharedArray(`${buffer.name}_tile`, scalar, TILE * PITCH),
      offset: (i: Index, o: Index) => space.substitute(space.substitute(offset, inner, i), outer, o),
    };
  });
}

function fill(low: Lowering, { value, tile, offset }: Tiled, here: Spot, width: Width): void {
  const { space } = low;
  const loaded = low.load(low.buffer(value), offset(here.inner, here.outer), [value]);
  const cell = space.add(space.mul(here.localInner, PITCH), here.localOuter);
  for (let lane = 0; lane < width; lane++) {
    const index = space.add(cell, space.int(lane));
    low.emit({
      kind: "storeShared",
      array: tile,
      index,
      value: low.part(loaded, lane, [value]),
      lane: null,
      nodes: [value],
    });
  }
}

function fetch(low: Lowering, { value, tile }: Tiled, here: Spot, width: Width): Value {
  const { space } = low;
  const word = low.buffer(value).name;
  const parts = Array.from({ length: width }, (_, lane) => {
    const index = space.add(space.mul(space.add(here.localInner, space.int(lane)), PITCH), here.localOuter);
    return low.let(`${word}_${"xyzw"[lane]}`, tile.scalar, 1, { kind: "loadShared", array: tile, index }, [value]);
  });
  return width === 1 ? parts[0]! : low.let(`${word}_i`, tile.scalar, 4, { kind: "pack", parts }, [value]);
}
