/**
 * @file Products of which a mask by position leaves a diagonal band: where an operand is 0, tiles walk only the part of k beside it; where
 * nobody wants the result, they multiply nothing.
 */
import { node, type Graph, type Node, type NodeId, type Shape } from "../../../ir";
import { numbersOf } from "../../../ops";
import {
  bandShare,
  both,
  EVERYWHERE,
  isNarrow,
  longestWalk,
  meetsAll,
  nonzeroOf,
  opened,
  spanOf,
  swapped,
  wantedOf,
  type Band,
  type Sight,
} from "../../indices/bands";
import type { Footprint } from "../../indices/footprint";
import type { Body } from "../../schedule/schedule-parts";
import type { MatmulTile, ProductBand } from "../../types";
import { matmulAxes, type MatmulSizes } from "./matmul";

/** Where passes note what they know of an operand: outside of this band it is 0. */
export const OPERAND_BANDS = ["leftBand", "rightBand"] as const;

/** What is noted of an operand. */
function notedBand({ attrs }: Node, operand: 0 | 1): Band {
  const [low, high] = numbersOf(attrs[OPERAND_BANDS[operand]]);
  return low === undefined || high === undefined ? EVERYWHERE : { low, high };
}

/** A band that leaves less than this of the tiles out is not worth its bounds. */
const WORTH = 0.95;
/** The tile by which bands are compared before one is chosen. */
const TYPICAL = 64;
/** Rows of tiles that walk alike are taken together, so that so many boxes say what is read. */
const MOST_WALKS = 32;

/** What a mask leaves of the product, the narrower of its operands and result; null where nothing is left out. */
export function bandOfProduct(graph: Graph, { members, outputs }: Body, id: NodeId): Omit<ProductBand, "rows"> | null {
  const { rows, columns } = matmulAxes(graph, id, "elements");
  const n = node(graph, id);
  const [a, b] = n.inputs.map((input) => node(graph, input).type.shape) as [Shape, Shape];
  if (rows.length !== 1 || columns.length !== 1 || a.length < 2 || b.length < 2) return null;
  const inside = new Set(members);
  const sight: Sight = { graph, sees: (each) => inside.has(each) };
  const of = (operand: 0 | 1): Band => both(notedBand(n, operand), nonzeroOf(sight, n.inputs[operand]!));
  const offers = [
    { side: "left", band: of(0), height: rows[0]!, width: a.at(-1)! },
    { side: "right", band: swapped(of(1)), height: columns[0]!, width: a.at(-1)! },
    { side: "result", band: wantedOf(sight, members, outputs, id), height: rows[0]!, width: columns[0]! },
  ] as const;
  const narrow = offers
    .map((offer) => ({ ...offer, band: opened(offer.band, offer.height, offer.width) }))
    .filter(({ band, height, width }) => isNarrow(band, height, width) && meetsAll(band, height, width))
    .map((offer) => ({ ...offer, share: bandShare(offer.band, offer.height, offer.width, TYPICAL, TYPICAL) }))
    .filter(({ share }) => share < WORTH)
    .toSorted((x, y) => x.share - y.share);
  const best = narrow[0];
  return best ? { side: best.side, band: best.band } : null;
}

/** Outside of which bands operands of a product are 0, as far as the whole graph says; low and high as they can be noted. */
export function bandsOfOperands(
  graph: Graph,
  n: Node,
): { readonly operand: 0 | 1; readonly low: number; readonly high: number; readonly share: number }[] {
  const shapes = n.inputs.map((input) => node(graph, input).type.shape);
  if (shapes.some((shape) => shape.length < 2)) return [];
  const sight: Sight = { graph, sees: () => true };
  return ([0, 1] as const).flatMap((operand) => {
    const [height, width] = [shapes[operand]!.at(-2)!, shapes[operand]!.at(-1)!];
    const band = nonzeroOf(sight, n.inputs[operand]!);
    if (!isNarrow(band, height, width) || !meetsAll(band, height, width)) return [];
    const share = bandShare(band, height, width, TYPICAL, TYPICAL);
    const [low, high] = [Math.max(band.low, 1 - height), Math.min(band.high, width - 1)];
    return share < WORTH ? [{ operand, low, high, share }] : [];
  });
}

/** Is `mask` a choice by position alone that leaves whole blocks of `of` out? */
export function hidesBlocks(graph: Graph, mask: Node, of: NodeId): boolean {
  const { shape } = mask.type;
  const [rows, columns] = [shape.at(-2) ?? 1, shape.at(-1) ?? 1];
  const sight: Sight = { graph, sees: (id) => id !== of };
  const band = wantedOf(sight, [of, mask.id], [mask.id], of);
  return isNarrow(band, rows, columns) && bandShare(band, rows, columns, TYPICAL, TYPICAL) < WORTH;
}

/** Rows, or columns for the right operand, of tiles that walk the same part of k. */
function rowsAlike({ side }: Omit<ProductBand, "rows">, { m, n }: MatmulSizes, tile: MatmulTile): number {
  const [all, own] = side === "right" ? [n, tile.n] : [m, tile.m];
  return own * Math.ceil(Math.ceil(all / own) / MOST_WALKS);
}

/** The band as tiles of this size walk it. */
export const bandIn = (band: Omit<ProductBand, "rows">, sizes: MatmulSizes, tile: MatmulTile): ProductBand => ({
  ...band,
  rows: rowsAlike(band, sizes, tile),
});

/** Share of the multiply-adds that tiles of this size do, 0…1. */
export function shareOf(band: Omit<ProductBand, "rows">, sizes: MatmulSizes, tile: MatmulTile): number {
  const { m, n, k } = sizes;
  if (band.side === "result") return bandShare(band.band, m, n, tile.m, tile.n);
  const rows = rowsAlike(band, sizes, tile);
  return bandShare(band.band, band.side === "left" ? m : n, k, rows, tile.k);
}

/** How much of k the longest walk of such a tile takes. */
export function longestOf(band: Omit<ProductBand, "rows">, sizes: MatmulSizes, tile: MatmulTile): number {
  return longestWalk(
    band.band,
    band.side === "right" ? sizes.n : sizes.m,
    sizes.k,
    rowsAlike(band, sizes, tile),
    tile.k,
  );
}

/** What of an operand of the product `n` such tiles read; null for all of it. */
export function readInBand(
  graph: Graph,
  n: Node,
  operand: number,
  { side, band, rows }: ProductBand,
  tile: MatmulTile,
): Footprint | null {
  if (side === "result" || operand !== (side === "left" ? 0 : 1)) return null;
  const { shape } = node(graph, n.inputs[operand]!).type;
  const [across, k] = side === "left" ? [shape.at(-2)!, shape.at(-1)!] : [shape.at(-1)!, shape.at(-2)!];
  const outer = shape.slice(0, -2).map((extent) => ({ start: 0, count: extent, step: 1 }));
  const boxes = Array.from({ length: Math.ceil(across / rows) }, (_, at) => {
    const height = Math.min(rows, across - at * rows);
    const { from, to } = spanOf(band, at * rows, height, k, tile.k);
    const own = { start: at * rows, count: height, step: 1 };
    const walked = { start: from * tile.k, count: Math.min(k, to * tile.k) - from * tile.k, step: 1 };
    return [...outer, ...(side === "left" ? [own, walked] : [walked, own])];
  });
  return { kind: "boxes", boxes };
}
