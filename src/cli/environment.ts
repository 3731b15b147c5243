/** @file The environment of a command: files, two streams, a clock, a GPU. */
import { readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";

export interface Environment {
  /** The text of a file, `-` for standard input. Rejects as the file system does. */
  read(path: string): Promise<string>;
  /** A file as it is. Rejects as the file system does. */
  bytes(path: string): Promise<Uint8Array>;
  /** Makes or replaces a file. Rejects as the file system does. */
  write(path: string, text: string): Promise<void>;
  /** To standard output: the answer and nothing else. */
  print(text: string): void;
  /** To standard error. */
  complain(text: string): void;
  /** ms */
  now(): number;
  /** A `GPU`, or a sentence saying why there is none. */
  gpu(): Promise<GPU | string>;
}

const line = (text: string): string => (text.endsWith("\n") ? text : `${text}\n`);

/** Node's environment; `gpu` opens Dawn. */
export const nodeEnvironment = (gpu: Environment["gpu"]): Environment => ({
  read: async (path) => (path === "-" ? readFileSync(0, "utf8") : readFile(path, "utf8")),
  bytes: (path) => readFile(path),
  write: (path, text) => writeFile(path, line(text)),
  print: (text) => void process.stdout.write(line(text)),
  complain: (text) => void process.stderr.write(line(text)),
  now: () => performance.now(),
  gpu,
});
