/** @file Where everything of a recorded kernel stands, and how a moment of it is drawn. Nothing here decides what happens: the recording does. */
import type { KernelRecording, RecordedMoment } from "../../fusion";
import { showType } from "../../fusion";
import {
  cellAt,
  cellText,
  drawCell,
  drawEmpty,
  gridOf,
  scaleOf,
  type CellGrid,
  type HeatPalette,
  type Scale,
} from "../heat";
import { threadsOf, type Held } from "../model/kernel/inside";

/** A grid of cells, and the px that its title may take. */
interface Placed {
  readonly grid: CellGrid;
  readonly room: number;
}

interface TensorBox extends Placed {
  readonly name: string;
  readonly title: string;
  readonly scale: Scale;
  readonly data: Float32Array;
  readonly writes: boolean;
}

export interface Scene {
  readonly width: number;
  readonly height: number;
  readonly tensors: readonly TensorBox[];
  readonly shared: readonly (Placed & { readonly name: string })[];
  readonly threads: CellGrid;
}

const TITLE = 20;
/** px between two rows of boxes: what moves is seen there. */
const WAY = 34;
const MARGIN = 16;
const MAX_CELL = { width: 56, height: 22 };
const MAX_THREAD = { width: 56, height: 36 };

/** px in which a thread's number and value can be read. */
const ROOMY = { width: 42, height: 27 };

type Extent = ReturnType<typeof gridOf>;

/** Grids beside each other in a row of the picture, each as wide as its columns ask for. */
function beside(extents: readonly Extent[], left: number, top: number, width: number, height: number): Placed[] {
  const gap = 24;
  const space = width - gap * (extents.length - 1);
  const wanted = extents.map(({ columns }) => Math.max(96, Math.min(columns * MAX_CELL.width, space)));
  const all = wanted.reduce((sum, each) => sum + each, 0);
  let x = left;
  return extents.map(({ columns, rows }, i) => {
    const own = all > space ? (wanted[i]! / all) * space : wanted[i]!;
    const grid: CellGrid = {
      x,
      y: top + TITLE,
      columns,
      rows,
      cellWidth: Math.min(MAX_CELL.width, own / columns),
      cellHeight: Math.min(MAX_CELL.height, Math.max(0.1, (height - TITLE) / rows)),
    };
    // The last has what is left of the row.
    const room = i === extents.length - 1 ? left + width - x : own + gap / 2;
    x += own + gap;
    return { grid, room };
  });
}

/** Threads along x beside each other, as many as there is room for. */
function threadGrid(recording: KernelRecording, width: number, top: number, height: number): CellGrid {
  const threads = threadsOf(recording);
  let columns = Math.min(threads, recording.workgroupSize[0]);
  while (columns > 8 && width / columns < ROOMY.width && (2 * threads * ROOMY.height) / columns < height)
    columns = Math.ceil(columns / 2);
  const rows = Math.ceil(threads / columns);
  return {
    x: MARGIN,
    y: top + TITLE,
    columns,
    rows,
    cellWidth: Math.min(MAX_THREAD.width, width / columns),
    cellHeight: Math.min(MAX_THREAD.height, (height - TITLE) / rows),
  };
}

/** px that a row of the picture would like to have. */
const likes = (extents: readonly Extent[]): number =>
  extents.length === 0 ? 0 : TITLE + Math.max(...extents.map(({ rows }) => rows)) * MAX_CELL.height;

export function sceneOf(recording: KernelRecording, width: number, height: number): Scene {
  const of = (writes: boolean) => recording.memory.filter((each) => each.writes === writes);
  const [inputs, outputs] = [of(false), of(true)];
  const extents = (tensors: typeof inputs): Extent[] => tensors.map(({ type }) => gridOf(type.shape));
  const shared = recording.shared.map(({ cells }) => gridOf([cells]));
  const threads = threadsOf(recording);
  const rows = [
    likes(extents(inputs)),
    TITLE + Math.ceil(threads / 16) * MAX_THREAD.height,
    likes(shared),
    likes(extents(outputs)),
  ];
  const present = rows.filter((each) => each > 0).length;
  const room = height - 2 * MARGIN - WAY * (present - 1);
  // Everybody gets at least a fair part of what is wanted; who wants little leaves the rest to others.
  const fair = room / present;
  const small = rows.filter((each) => each > 0 && each <= fair);
  const left = room - small.reduce((sum, each) => sum + each, 0);
  const large = present - small.length;
  const heights = rows.map((each) => (each <= fair ? each : left / large));
  const inner = width - 2 * MARGIN;
  let top = MARGIN;
  const next = (i: number): number => {
    const at = top;
    if (heights[i]! > 0) top += heights[i]! + WAY;
    return at;
  };
  const boxes = (tensors: typeof inputs, i: number): TensorBox[] => {
    const grids = beside(extents(tensors), MARGIN, next(i), inner, heights[i]!);
    return tensors.map(({ name, type, before, after, writes }, at) => ({
      name,
      title: `${name}  ${showType(type)}`,
      ...grids[at]!,
      scale: scaleOf(writes ? after : before),
      data: writes ? after : before,
      writes,
    }));
  };
  const read = boxes(inputs, 0);
  const grid = threadGrid(recording, inner, next(1), heights[1]!);
  const cells = shared.length > 0 ? beside(shared, MARGIN, next(2), inner, heights[2]!) : [];
  return {
    width,
    height,
    tensors: [...read, ...boxes(outputs, 3)],
    shared: recording.shared.map(({ name }, i) => ({ name, ...cells[i]! })),
    threads: grid,
  };
}

/** The first of `texts` that fits into `room` px, else the last, cut. */
function title(
  context: CanvasRenderingContext2D,
  palette: HeatPalette,
  texts: readonly string[],
  { x, y }: { readonly x: number; readonly y: number },
  room: number,
): void {
  context.fillStyle = palette.ink;
  context.font = `600 12px ${palette.sans}`;
  context.textAlign = "left";
  context.textBaseline = "alphabetic";
  const fits = (text: string): boolean => context.measureText(text).width <= room;
  let text = texts.find(fits) ?? texts.at(-1)!;
  while (text.length > 2 && !fits(text)) text = `${text.slice(0, -2)}…`;
  context.fillText(text, x, y - 6);
}

/** Draws what is where at moment `at`: before it happens, or after it. Past the last moment everything is there. */
export function drawState(
  context: CanvasRenderingContext2D,
  scene: Scene,
  palette: HeatPalette,
  held: Held,
  at: number,
  after: boolean,
): void {
  const moment = held.recording.moments[at];
  context.clearRect(0, 0, scene.width, scene.height);
  held.seek(after ? at : at - 1);
  for (const tensor of scene.tensors) drawTensor(context, palette, tensor, held, moment === undefined);
  for (const each of scene.shared) drawShared(context, palette, each, held);
  drawThreads(context, scene, palette, held, moment);
}

function drawTensor(
  context: CanvasRenderingContext2D,
  palette: HeatPalette,
  { title: words, grid, room, scale, data, writes, name }: TensorBox,
  held: Held,
  done: boolean,
): void {
  title(context, palette, [`${words}${writes ? "  in memory, written" : "  in memory"}`, words, name], grid, room);
  const touched = held.touched.get(name)!;
  for (let element = 0; element < data.length; element++) {
    const own = done || touched[element] === 1;
    const at = cellAt(grid, element);
    if (writes && !own) {
      drawEmpty(context, at, grid, palette);
    } else drawCell(context, at, grid, data[element]!, scale, palette, own ? 1 : 0.4);
  }
}

function drawShared(
  context: CanvasRenderingContext2D,
  palette: HeatPalette,
  { name, grid, room }: Scene["shared"][number],
  held: Held,
): void {
  const cells = held.shared.get(name)!;
  title(context, palette, [`${name}  in workgroup memory`, `${name}  in workgroup`, name], grid, room);
  const scale = scaleOf(cells);
  cells.forEach((value, i) => {
    const at = cellAt(grid, i);
    if (Number.isNaN(value)) {
      context.strokeStyle = palette.line;
      context.strokeRect(at.x + 0.5, at.y + 0.5, Math.max(0.5, grid.cellWidth - 2), Math.max(0.5, grid.cellHeight - 2));
    } else drawCell(context, at, grid, value, scale, palette);
  });
}

function drawThreads(
  context: CanvasRenderingContext2D,
  { threads: grid, width: all }: Scene,
  palette: HeatPalette,
  held: Held,
  moment: RecordedMoment | undefined,
): void {
  const busy = new Set(moment?.threads ?? []);
  const waits = moment?.doing === "barrier";
  const room = all - 2 * MARGIN;
  title(context, palette, [`threads  ${held.registers.length}, and what each computed last`, "threads"], grid, room);
  const [width, height] = [grid.cellWidth - 2, grid.cellHeight - 2];
  held.registers.forEach((value, thread) => {
    const { x, y } = cellAt(grid, thread);
    const works = busy.has(thread);
    context.beginPath();
    context.roundRect(x + 0.5, y + 0.5, Math.max(1, width), Math.max(1, height), Math.min(5, width / 4));
    context.fillStyle = waits && works ? palette.warnTint : works ? palette.accentTint : palette.surface;
    context.fill();
    context.strokeStyle = works ? palette.accent : palette.line;
    context.lineWidth = works ? 1.5 : 1;
    context.stroke();
    context.textAlign = "center";
    context.textBaseline = "middle";
    const values = width >= 38 && height >= 26;
    if (width >= 22 && height >= 13) {
      context.font = `600 12px ${palette.sans}`;
      context.fillStyle = works ? palette.accent : palette.ink3;
      context.fillText(String(thread), x + width / 2, y + (values ? height * 0.3 : height / 2));
    }
    if (values && !Number.isNaN(value)) {
      context.font = `12px ${palette.sans}`;
      context.fillStyle = palette.ink;
      context.fillText(cellText(value), x + width / 2, y + height * 0.72);
    }
  });
  context.lineWidth = 1;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

const middle = (grid: CellGrid, element: number): Point => {
  const { x, y } = cellAt(grid, element);
  return { x: x + grid.cellWidth / 2, y: y + grid.cellHeight / 2 };
};

/** More lines than these say no more. */
const MAX_LINES = 512;

/** Draws over it what moves at a moment, as far as `part` (0 to 1) of it has passed: where numbers come from, and where they are now. */
export function drawMoves(
  context: CanvasRenderingContext2D,
  scene: Scene,
  palette: HeatPalette,
  recording: KernelRecording,
  moment: RecordedMoment,
  part: number,
): void {
  const { doing, threads, at, from, width } = moment;
  const grid =
    scene.tensors.find(({ name }) => name === moment.memory)?.grid ??
    scene.shared.find(({ name }) => name === moment.memory)?.grid;
  const moves: [Point, Point][] = [];
  threads.forEach((thread, i) => {
    if (moves.length >= MAX_LINES) return;
    const here = middle(scene.threads, thread);
    if (doing === "shuffle") moves.push([middle(scene.threads, from[i]!), here]);
    else if (grid && (doing === "fold" || doing === "exchange"))
      moves.push([middle(grid, from[i]!), middle(grid, at[i]!)]);
    else if (grid && at[i]! >= 0)
      for (let lane = 0; lane < width; lane++) {
        const there = middle(grid, at[i]! + lane);
        moves.push(doing === "store" || doing === "write" ? [here, there] : [there, here]);
      }
  });
  context.strokeStyle = palette.pipe;
  context.globalAlpha = moves.length > 128 ? 0.35 : 0.7;
  context.beginPath();
  for (const [a, b] of moves) {
    context.moveTo(a.x, a.y);
    context.lineTo(b.x, b.y);
  }
  context.stroke();
  context.globalAlpha = 1;
  context.fillStyle = palette.accent;
  const radius = moves.length > 128 ? 1.8 : 3;
  for (const [a, b] of part < 1 ? moves : []) {
    context.beginPath();
    context.arc(a.x + (b.x - a.x) * part, a.y + (b.y - a.y) * part, radius, 0, 7);
    context.fill();
  }
  if (doing !== "barrier") return;
  const { x, y, rows, columns, cellWidth, cellHeight } = scene.threads;
  context.fillStyle = palette.ink;
  context.fillRect(x, y + rows * cellHeight + 3, columns * cellWidth * part, 3);
  const words = `barrier: ${threadsOf(recording)} threads wait for each other`;
  title(context, palette, [words, "barrier"], { x, y: y + rows * cellHeight + 24 }, scene.width - 2 * MARGIN);
}
