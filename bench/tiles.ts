/** @file Sweeps matmul tiles: the same program, one tile after the other. */
import { tileBytes, tileThreads, type MatmulTile, type Target } from "../src/fusion";

/** Whether the device grants the memory and the threads, and the tile is no larger than the matrix. */
export const fits = (tile: MatmulTile, { maxWorkgroupBytes, maxWorkgroupSize }: Target, size: number): boolean =>
  tileBytes(tile) <= maxWorkgroupBytes && tileThreads(tile) <= maxWorkgroupSize && tile.m <= size && tile.n <= size;
