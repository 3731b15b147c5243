/** @file What PyTorch's calls store besides their results. */
import type { Attrs } from "../ir";
import { batchNorm } from "./composite/batch-norm";

/** Operands that a call stores over, in the order in which the library's function of that name answers what they become. */
export interface Stored {
  readonly by: string;
  readonly over: readonly number[];
}

const STORED: ReadonlyMap<string, (attrs: Attrs) => Stored | null> = new Map([
  [batchNorm.name, ({ training }: Attrs) => (training === true ? { by: "running_statistics", over: [1, 2] } : null)],
]);

/** What PyTorch's call of an op stores with these attributes; null where it stores nothing. */
export const storedBeside = (op: string, attrs: Attrs): Stored | null => STORED.get(op)?.(attrs) ?? null;
