/** @file The line between products that fuse and products that stay alone, as a slider shows it: FLOP per byte in powers of two. */
import { ridge, type CompileOptions } from "../fusion";

/** Positions of the slider: from a quarter of a FLOP per byte to 4,096. */
export const linePositions = { least: -2, most: 12, step: 0.125 } as const;

export const lineAt = (position: number): number => Number((2 ** position).toPrecision(3));

/** Where a line of `perByte` FLOP per byte stands on the slider. */
export const linePosition = (perByte: number): number =>
  Math.min(linePositions.most, Math.max(linePositions.least, Math.log2(perByte)));

/** FLOP per byte: the ridge of the profile, unless somebody drew another line. */
export const libraryLine = ({ libraryAbove, profile }: Pick<CompileOptions, "libraryAbove" | "profile">): number =>
  libraryAbove ?? ridge(profile);
