/** @file The environment of a command: files, two streams, a clock, a GPU. */
import { readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";

export interface Environment {
  /** The text of a file, `-` for standard input. Rejects as the file system does. */
  read(path: string): Promise<string>;
  /** A file as it is. Rejects as the file system does. */
  bytes(path: string): Promise<Uint8Array>;
  /** Makes or replaces a file. Rejects as the file system does. */
  write(path: string, content: string | Uint8Array): Promise<void>;
  /** To standard output: the answer and nothing else. */
  print(text: string): void;
  /** To standard error. */
  complain(text: string): void;
  /** ms */
  now(): number;
  /** The page's colours: the text of tokens.css. */
  tokens(): Promise<string>;
  /** An SVG as a PNG, two pixels for each px. Rejects where nothing can draw it. */
  pixels(svg: string): Promise<Uint8Array>;
  /** A `GPU`, or a sentence saying why there is none. */
  gpu(): Promise<GPU | string>;
}

const line = (text: string): string => (text.endsWith("\n") ? text : `${text}\n`);

/** Node's environment; `gpu` opens Dawn, `pixels` a browser. */
export const nodeEnvironment = (given: Pick<Environment, "gpu" | "tokens" | "pixels">): Environment => ({
  ...given,
  read: async (path) => (path === "-" ? readFileSync(0, "utf8") : readFile(path, "utf8")),
  bytes: (path) => readFile(path),
  write: (path, content) => writeFile(path, typeof content === "string" ? line(content) : content),
  print: (text) => void process.stdout.write(line(text)),
  complain: (text) => void process.stderr.write(line(text)),
  now: () => performance.now(),
});
