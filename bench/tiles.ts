/** @file Sweeps matmul tiles: the same program, one tile after the other. */
import type { Target } from "../src/fusion";

export type Tile = NonNullable<Target["matmulTile"]>;

const tile = (m: number, n: number, k: number, rm: number, rn: number): Tile => ({ m, n, k, rm, rn });

/** From one output per sixteen threads' worth of work to a hundred and twenty-eight outputs per thread. */
export const tiles: readonly Tile[] = [
  tile(32, 32, 16, 4, 4),
  tile(64, 64, 16, 4, 4),
  tile(64, 64, 16, 8, 8),
  tile(64, 128, 16, 8, 8),
  tile(128, 64, 16, 8, 4),
  tile(128, 64, 16, 8, 8),
  tile(128, 128, 8, 8, 8),
  tile(128, 128, 16, 8, 8),
  tile(256, 128, 8, 16, 8),
  tile(128, 256, 8, 8, 16),
  tile(256, 128, 16, 16, 8),
];

export const tileText = ({ m, n, k, rm, rn }: Tile): string => `${m}x${n}x${k} ${rm}x${rn}`;

/** Workgroup memory of both operands' tiles, with a vec4 of padding on the left one's rows. */
export const tileBytes = ({ m, n, k }: Tile): number => (m * (k + 4) + k * (n + 4)) * 4;

/** Whether the device grants the memory and the threads, and the tile is no larger than the matrix. */
export const fits = (t: Tile, { maxWorkgroupBytes, maxWorkgroupSize }: Target, size: number): boolean =>
  tileBytes(t) <= maxWorkgroupBytes && (t.m / t.rm) * (t.n / t.rn) <= maxWorkgroupSize && t.m <= size && t.n <= size;
