/** @file How long the rows of a loop's body may be: what a thread holds by itself, and what the threads of a workgroup hold together. */
import { sizeOf, type Shape, type TensorType } from "../ir";
import { ownShape, type BodyArg, type LoopBody } from "./loop-body";
import { primitive } from "./primitives";

/** Most numbers of a value that a thread holds of a run. */
const OWNED = 8;
/** Most numbers of a run that wait in workgroup memory: WebGPU grants a workgroup 4,096, of which some join what threads have folded. */
const SHARED = 3584;
/** Most numbers of matrices that an iteration reads: what a multiprocessor gets from the cache while a few kernels are launched. */
const READ = 2 ** 17;
/** Most terms of a product that a thread adds up one after another, where so many share it: they wait for the cache about as long as a launch takes. */
const TERMS = 384;
const THREADS = 256;
/** Most multiply-adds, and elements that are computed, of an iteration of all runs: with more of them, kernels that share a matrix among rows are faster. */
const WORK = 2 ** 23;

type Types = readonly TensorType[];

const argShape = ({ params }: LoopBody, types: Types, arg: BodyArg): Shape =>
  arg.kind === "param" ? ownShape(params[arg.at]!) : arg.kind === "value" ? types[arg.at]!.shape : [];

const sizeIn = (body: LoopBody, types: Types, arg: BodyArg): number => sizeOf(argShape(body, types, arg));

/** Whether no iteration changes it. */
const stands = ({ params, next }: LoopBody, arg: BodyArg): boolean =>
  arg.kind === "literal" || (arg.kind === "param" && arg.at >= next.length && !params[arg.at]!.walk);

/** Whether one thread holds all numbers of a run of the body. */
export function isOwnedRun(body: LoopBody, types: Types): boolean {
  const all = body.params.map((_, at): BodyArg => ({ kind: "param", at }));
  return (
    all.every((arg) => sizeIn(body, types, arg) <= (stands(body, arg) ? OWNED * OWNED : OWNED)) &&
    types.every(({ shape }) => sizeOf(shape) <= OWNED)
  );
}

/**
 * Whether the threads of a workgroup can share a run: what they hand to one another has room, matrices are quickly read again, and all runs
 * together have so little to do in an iteration that launching it would take longer.
 * @param runs of the body, as far as they are known
 */
export function isSharedRun(body: LoopBody, types: Types, runs: number): boolean {
  const sizeOfArg = (arg: BodyArg): number => sizeIn(body, types, arg);
  let held = 2 * body.next.reduce((sum, _, at) => sum + sizeOf(ownShape(body.params[at]!)), 0);
  let [read, work] = [0, 0];
  let waits = false;
  const handed = new Map<string, number>();
  body.values.forEach(({ op, args }, at) => {
    const { kind } = primitive(op);
    const size = sizeOf(types[at]!.shape);
    const [first] = args as [BodyArg];
    if (kind === "contraction" || kind === "reduce") held += size;
    const terms = kind === "contraction" ? (argShape(body, types, first).at(-1) ?? 1) : 1;
    waits ||= terms > 1 && terms * Math.ceil(size / THREADS) > TERMS;
    work += kind === "contraction" ? size * terms : Math.max(size, sizeOfArg(first));
    for (const arg of args)
      if (stands(body, arg)) read += kind === "contraction" ? sizeOfArg(arg) : 0;
      else if (kind === "contraction" || kind === "movement") handed.set(JSON.stringify(arg), sizeOfArg(arg));
  });
  for (const size of handed.values()) held += size;
  return !waits && held <= SHARED && read <= READ && work <= 2 * READ && work * runs <= WORK;
}
