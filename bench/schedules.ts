/** @file One product after another with every tile that is offered: rows that the cost model is held against. */
import { offeredTiles, tileName } from "../src/fusion";
import type { Program } from "./suites";

/** How the operands lie: `t` is stored transposed. */
type Layout = "nn" | "nt" | "tn";
const products: readonly (readonly [Layout, m: number, n: number, k: number])[] = [
  ["nt", 8192, 768, 768],
  ["nt", 8192, 768, 3072],
  ["nt", 8192, 3072, 768],
  ["nn", 4096, 1024, 4096],
  ["tn", 1024, 4096, 4096],
  ["nn", 512, 512, 512],
  ["nn", 1024, 1024, 1024],
  ["nn", 2048, 2048, 2048],
  ["nt", 4096, 4096, 512],
  ["nn", 300, 500, 1000],
  ["nn", 64, 64, 65536],
  ["nt", 128, 96, 100000],
  ["nt", 1, 11008, 4096],
  ["nn", 1, 11008, 4096],
  ["nt", 8, 4096, 4096],
  ["nn", 8, 4096, 4096],
  ["nt", 32, 4096, 4096],
  ["nn", 1, 64, 65536],
  ["nt", 16384, 10, 784],
  ["tn", 784, 10, 16384],
  ["nt", 65536, 256, 16],
  ["nt", 65536, 256, 32],
  ["nt", 65536, 256, 64],
  ["nt", 16384, 1024, 32],
  ["tn", 512, 2048, 2048],
  ["tn", 2048, 512, 2048],
  ["nn", 2048, 512, 2048],
  ["nt", 8192, 512, 784],
  ["tn", 512, 784, 8192],
];

const textOf = ([layout, m, n, k]: (typeof products)[number]): string => {
  const a = layout === "tn" ? `a: f32[${k}, ${m}]` : `a: f32[${m}, ${k}]`;
  const b = layout === "nt" ? `b: f32[${n}, ${k}]` : `b: f32[${k}, ${n}]`;
  return `${a}\n${b}\ny = a${layout === "tn" ? ".T" : ""} @ b${layout === "nt" ? ".T" : ""}\nreturn y\n`;
};

export const schedules = (): Program[] =>
  products.flatMap((product) => {
    const [layout, m, n, k] = product;
    const plain = { name: `${layout} ${m}x${n}x${k}`, text: textOf(product), expert: null };
    const tiled = offeredTiles
      .filter((tile) => m >= tile.m / 2 && n >= tile.n / 2)
      .map((tile): Program => {
        const name = tileName(tile);
        return {
          ...plain,
          name: `${plain.name} ${name}`,
          options: { knobs: { all: { tile: name }, kernels: {} } },
        };
      });
    return [plain, ...tiled];
  });
