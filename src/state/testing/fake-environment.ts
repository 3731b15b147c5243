/** @file The outside environment for tests of the store: a compiler that only looks at the text, and a storage in memory. */
import type { Compilation, CompileOptions, Plan, Step } from "../../fusion";
import { nodeId } from "../../fusion";
import {
  localPort,
  type CompileReply,
  type CompileRequest,
  type ImportAnswer,
  type Port,
  type WhatIfAnswer,
} from "../../workers";
import type { DraftOwner, Environment } from "../environment";

/** A compiler that only looks at the text: `bad` is an error, every line is a step, no text is an empty program. */
function fakeCompile({ text, options }: { text: string; options: CompileOptions }): Compilation {
  const broken = text.includes("bad");
  const missed = text.includes("assert");
  const steps = text
    .split("\n")
    .filter((line) => line.includes("="))
    .map((line, i) => ({
      seq: i + 1,
      pass: i < 2 ? "first" : "second",
      rule: "r",
      nodes: [nodeId(line.split("=")[0]!.trim())],
      accepted: !line.includes("no"),
      hash: String(i),
      edges: [],
      edge: null,
    }));
  return {
    text,
    options,
    diagnostics: broken || missed ? [{ severity: "error" }] : [],
    symbols: [],
    naive: broken || text === "" ? null : { graph: { nodes: new Map(), outputs: [] }, regions: new Map() },
    drawn: { nodes: new Map(text === "" ? [] : [[nodeId("y"), {}]]), outputs: [] },
    steps: steps as unknown as Step[],
    naivePlan: null,
    fusedPlan: null,
  } as unknown as Compilation;
}

export function fakeAnswer(request: CompileRequest): CompileReply {
  if (request.kind === "compile") return { kind: "compiled", compilation: fakeCompile(request) };
  if (request.kind === "import") return { kind: "imported", imported: fakeImport(request) };
  if (request.kind === "values") return { kind: "values", sameness: { same: true } };
  if (request.kind === "totals") return { kind: "totals", totals: request.programs.map(() => null) };
  if (request.kind === "sizes") return { kind: "sizes", rows: [] };
  if (request.kind === "orders") return { kind: "orders", rows: [] };
  if (request.kind === "optimum") return { kind: "optimum", best: null };
  if (request.kind === "saved") return { kind: "saved", sheet: null };
  if (request.kind === "knobs") return { kind: "knobs", sheet: null };
  if (request.kind === "looks") return { kind: "looks", kernels: new Map() };
  if (request.kind === "sweep") return { kind: "sweep", sweep: null };
  if (request.kind === "watch") return { kind: "watched", watched: null };
  if (request.kind === "numbers") return { kind: "numbers", numbers: null };
  if (request.kind === "training") return { kind: "training", training: null };
  if (request.kind === "what-if") return { kind: "what-if", answer: fakeWhatIf(request) };
  return { kind: "planned", plans: new Map(request.cursors.map((cursor) => [cursor, { cursor } as unknown as Plan])) };
}

/** A model with one open dimension; its only byte says how many ops can't be said. */
function fakeImport({ bytes, dims }: Extract<CompileRequest, { kind: "import" }>): ImportAnswer {
  const batch = dims.get("batch");
  const missing = batch === undefined ? ["x", "mask"].map((input) => ({ input, dim: "batch" })) : [];
  const unsupported = bytes[0] ? [{ op: "Loop", count: bytes[0], why: "no rule", given: 0 }] : [];
  const names = { inputs: new Map(), inputOrder: [], openDims: [], overridable: [], outputs: new Map() };
  const weights = new Map([["w", { shape: [2], data: Float32Array.of(1, 2) }]]);
  const told = { unsupported, draws: 0, elsewhere: [], wanted: [], missing, weights, key: "0123abcd" };
  return { ok: true, value: { ...names, text: `x: f32[${batch}]\n`, ...told } };
}

/** Nothing comes out otherwise; the options are those that were asked about. */
function fakeWhatIf({ options, change }: Extract<CompileRequest, { kind: "what-if" }>): WhatIfAnswer {
  const none = { kernels: 1, transfers: 2, fullSizeTransfers: 2, bytes: 8, peakBytes: 8, predictedMicros: 1 };
  return { options: { ...options, ...change }, before: none, after: none, unchanged: none, changed: [] };
}

/** No other tab is open. */
const soleOwner: DraftOwner = { follow: (changed) => changed(true), takeOver: () => undefined };

export class Shelf {
  readonly kept = new Map<string, string>();
  full = false;
  /** Which keys a browser has room for. */
  roomFor = (_key: string): boolean => true;
  clear = (): void => {
    this.kept.clear();
    this.full = true;
  };
  read = (key: string): string | null => this.kept.get(key) ?? null;
  write = (key: string, text: string): boolean => {
    const fits = !this.full && this.roomFor(key);
    if (fits) this.kept.set(key, text);
    return fits;
  };
}

export function environmentWith(storage: Shelf, compileWorker: Port<never, never> | null = null): Environment {
  return {
    compileWorker: (compileWorker ?? localPort(fakeAnswer)) as Environment["compileWorker"],
    checkWorker: localPort(() => {
      throw new Error("no check here");
    }),
    layoutWorker: localPort(() => ({ boxes: new Map(), bends: new Map(), width: 0, height: 0 })),
    countWorker: localPort(() => ({ ok: false, text: "No count here.", line: null })),
    session: {
      measureRoofs: async () => ({ ok: false, problem: { code: "internal", text: "none" } }),
      describe: async () => ({ ok: false, problem: { code: "no-webgpu", text: "none" } }),
      bench: async () => ({ ok: false, problem: { code: "no-webgpu", text: "none" } }),
      run: async () => ({ ok: false, problem: { code: "no-webgpu", text: "none" } }),
      build: async () => ({ ok: false, problem: { code: "no-webgpu", text: "none" } }),
      train: async () => ({ ok: false, problem: { code: "no-webgpu", text: "none" } }),
      sweep: async () => ({ ok: false, problem: { code: "no-webgpu", text: "none" } }),
      listen: () => () => undefined,
    },
    storage,
    draftOwner: soleOwner,
    weightStorage: { read: async () => null, write: async () => true },
    now: () => Date.now(),
    prefersDark: () => false,
    followDark: () => undefined,
    reload: () => undefined,
    download: () => undefined,
  };
}
