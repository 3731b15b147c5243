/** @file Closes the holes that folding leaves: columns and rows move together, nothing changes sides or order. */
import type { NodeId } from "../fusion";
import { pillTarget } from "../document";
import { around, rectOf } from "./lines/geometry";
import type { Box, Rect } from "./lines/geometry";

/** px between two rows that nothing stands between. */
const MAX_GAP = 46;
/** px that a line between two rows needs. */
const LEAST_GAP = 24;
const COLUMN_GAP = 60;
/** Boxes nearer than this above each other can't stand in one column. */
const CLEAR = 12;
/** px that the middles of two boxes may differ when the line between them is meant to go straight down. */
const STRAIGHT = 4;

/** A box with what is docked to it: they move as one, and the box is in the middle of its column. */
interface Group {
  readonly ids: readonly NodeId[];
  readonly own: Box;
  readonly rect: Rect;
  /** Stands to the right of all that is not. */
  readonly apart: boolean;
}

type Docked = ReadonlyMap<NodeId, readonly NodeId[]>;
const NONE: ReadonlySet<NodeId> = new Set();

function groupsOf(boxes: ReadonlyMap<NodeId, Box>, docked: Docked, apart = NONE): Group[] {
  const beside = new Set([...docked.values()].flat());
  return [...boxes].flatMap(([id, own]) => {
    if (beside.has(id)) return [];
    const ids = [id, ...(docked.get(id) ?? [])];
    return [{ ids, own, rect: around(ids.map((each) => rectOf(boxes.get(each)!))), apart: apart.has(id) }];
  });
}

export interface Way {
  readonly from: NodeId;
  readonly to: NodeId;
}

/**
 * Moves everything up where no box stands in a band wider than the usual gap, and into as few columns as there can be:
 * nothing comes to stand on a line that went straight down, and what is `apart` stays to the right of the rest.
 */
export function closeUp(
  boxes: Map<NodeId, Box>,
  docked: Docked,
  ways: readonly Way[],
  apart: ReadonlySet<NodeId> = NONE,
): void {
  const up = shiftsOf([...boxes.values()].map(({ y, height }) => [y, y + height]));
  for (const [id, box] of boxes) boxes.set(id, { ...box, y: box.y - up(box.y) });
  const all = groupsOf(boxes, docked, apart);
  const under = placesOf(all, ways);
  const groups = all.sort((a, b) => Number(a.apart) - Number(b.apart) || under(a) - under(b));
  const lines = straightOf(groups, ways);
  const columns = columnsOf(groups, lines, ways);
  const middles = middlesOf(groups, lines, columns);
  groups.forEach((group, i) => {
    const by = middles[columns[i]!]! - middle(group);
    for (const id of group.ids) {
      const box = boxes.get(id)!;
      boxes.set(id, { ...box, x: Math.round(box.x + by) });
    }
  });
  spread(boxes, docked);
}

/** Where a group is looked for: an output right under what it shows, all others where they stand. */
function placesOf(groups: readonly Group[], ways: readonly Way[]): (group: Group) => number {
  const byId = new Map(groups.map((group) => [group.ids[0]!, group] as const));
  const shown = new Map(ways.flatMap(({ from, to }) => (pillTarget(to) === null ? [] : [[to, from] as const])));
  return (group) => {
    const owner = byId.get(shown.get(group.ids[0]!) ?? group.ids[0]!) ?? group;
    return owner === group ? middle(group) : middle(owner) + 0.5;
  };
}

/** Moves all that stands below two boxes that nearly touch down, until a line fits between them. */
function spread(boxes: Map<NodeId, Box>, docked: Docked): void {
  const groups = groupsOf(boxes, docked).sort((a, b) => a.rect.y0 - b.rect.y0);
  const below: Rect[] = [];
  let by = 0;
  for (const { ids, rect } of groups) {
    for (const { x0, x1, y1 } of below) if (x0 < rect.x1 && rect.x0 < x1) by = Math.max(by, y1 + LEAST_GAP - rect.y0);
    below.push({ ...rect, y0: rect.y0 + by, y1: rect.y1 + by });
    for (const id of ids) {
      const box = boxes.get(id)!;
      boxes.set(id, { ...box, y: box.y + by });
    }
  }
}

const shareRows = (a: Rect, b: Rect): boolean => a.y0 - CLEAR < b.y1 && b.y0 - CLEAR < a.y1;

const middle = ({ own }: Group): number => own.x + own.width / 2;

/** A line that goes straight down between two groups, by their index in the list. */
interface Straight {
  readonly ends: readonly [number, number];
  readonly rect: Rect;
}

function straightOf(groups: readonly Group[], ways: readonly Way[]): Straight[] {
  const at = new Map(groups.map(({ ids }, i) => [ids[0]!, i] as const));
  return ways.flatMap(({ from, to }) => {
    const [a, b] = [at.get(from), at.get(to)];
    if (a === undefined || b === undefined || Math.abs(middle(groups[a]!) - middle(groups[b]!)) > STRAIGHT) return [];
    const rect = { x0: 0, x1: 0, y0: groups[a]!.own.y + groups[a]!.own.height, y1: groups[b]!.own.y };
    return rect.y1 > rect.y0 ? [{ ends: [a, b] as const, rect }] : [];
  });
}

/** What stands to the left of group `i` in its rows: the column, and px that it reaches to the right of the middle there. */
function* leftOf(
  i: number,
  groups: readonly Group[],
  lines: readonly Straight[],
  columns: readonly number[],
): Generator<{ readonly column: number; readonly reach: number }> {
  const { rect } = groups[i]!;
  for (let j = 0; j < i; j++) {
    const other = groups[j]!;
    if (shareRows(other.rect, rect) || other.apart !== groups[i]!.apart)
      yield { column: columns[j]!, reach: other.rect.x1 - middle(other) };
  }
  for (const { ends, rect: line } of lines) {
    const column = columns[ends[0]]!;
    if (Math.max(...ends) < i && column === columns[ends[1]] && shareRows(line, rect)) yield { column, reach: 0 };
  }
}

/** The leftmost column for each, behind all that stood to its left in the same rows. */
function columnsOf(groups: readonly Group[], lines: readonly Straight[], ways: readonly Way[]): number[] {
  const columns: number[] = [];
  const at = new Map(groups.map(({ ids }, i) => [ids[0]!, i] as const));
  const shows = new Map(ways.flatMap(({ from, to }) => (pillTarget(to) === null ? [] : [[to, at.get(from)] as const])));
  let first = 0;
  groups.forEach(({ ids, apart }, i) => {
    if (apart && !groups[i - 1]?.apart) first = i === 0 ? 0 : Math.max(...columns) + 1;
    let own = Math.max(first, columns[shows.get(ids[0]!) ?? -1] ?? 0);
    for (const { column } of leftOf(i, groups, lines, columns)) own = Math.max(own, column + 1);
    columns.push(own);
  });
  return columns;
}

/** Where the middle of each column is: as near to the one before as any two neighbours in the same rows allow. */
function middlesOf(groups: readonly Group[], lines: readonly Straight[], columns: readonly number[]): number[] {
  const middles: number[] = [];
  const edge = Math.min(...groups.map(({ rect }) => rect.x0));
  const order = groups.map((_, i) => i).sort((a, b) => columns[a]! - columns[b]!);
  for (const i of order) {
    const [group, own] = [groups[i]!, columns[i]!];
    const left = middle(group) - group.rect.x0;
    let least = own === 0 ? edge + left : middles[own - 1]!;
    for (const { column, reach } of leftOf(i, groups, lines, columns))
      if (column < own) least = Math.max(least, middles[column]! + reach + COLUMN_GAP + left);
    middles[own] = Math.max(middles[own] ?? -Infinity, least);
  }
  return middles;
}

/** How far what starts at a place comes nearer when the gaps between `spans` close. */
function shiftsOf(spans: (readonly [from: number, to: number])[]): (from: number) => number {
  spans.sort((a, b) => a[0] - b[0]);
  const shifts: { from: number; by: number }[] = [];
  let end = spans[0]?.[0] ?? 0;
  let by = 0;
  for (const [from, to] of spans) {
    if (from - end > MAX_GAP) {
      by += from - end - MAX_GAP;
      shifts.push({ from, by });
    }
    end = Math.max(end, to);
  }
  return (from) => shifts.findLast((shift) => shift.from <= from)?.by ?? 0;
}
