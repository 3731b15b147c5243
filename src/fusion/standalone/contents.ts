/** @file What a module of a plan holds, as data: buffers, weights, kernels. `runtime.js` is what reads it. */
import {
  bytesOf,
  dtypeBytes,
  type Fusion,
  type Graph,
  type Kernel,
  node,
  type Node,
  type NodeId,
  type Plan,
  type TensorType,
} from "../ir";
import { type Drawing, type InputData, inputFeed } from "../reference";

/** The bits of a binary16 that `value` is exactly. */
function exactHalf(value: number): number {
  const view = new DataView(Float32Array.of(value).buffer);
  const bits = view.getUint32(0, true);
  const sign = (bits >>> 16) & 0x8000;
  const size = Math.abs(value);
  if (Number.isNaN(size)) return sign | 0x7e00;
  if (size === Infinity) return sign | 0x7c00;
  if (size < 2 ** -14) return sign | (size * 2 ** 24);
  return sign | (((bits & 0x7fffffff) - 0x38000000) >>> 13);
}

/** `data` as a buffer stores it. */
function stored({ dtype }: TensorType, data: InputData): Uint8Array {
  const array = dtype === "f16" ? Uint16Array.from(data, exactHalf) : data;
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

/** Length of the shortest piece that, repeated and cut off at the end, gives `items`. Knuth, Morris, Pratt 1977. */
function periodOf(items: ArrayLike<number>): number {
  const border = new Uint32Array(items.length);
  let length = 0;
  for (let i = 1; i < items.length; i++) {
    while (length > 0 && items[i] !== items[length]) length = border[length - 1]!;
    if (items[i] === items[length]) length++;
    border[i] = length;
  }
  return items.length - length;
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** RFC 4648. */
function base64(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let i = 0; i < bytes.length; i += 3) {
    const word = (bytes[i]! << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    const four = [18, 12, 6, 0].map((shift) => ALPHABET[(word >>> shift) & 63]!).join("");
    parts.push(i + 2 < bytes.length ? four : i + 1 < bytes.length ? `${four.slice(0, 3)}=` : `${four.slice(0, 2)}==`);
  }
  return parts.join("");
}

/** What a buffer begins with: base64 of the shortest period of `data`'s bytes; null where they are all 0, as a new buffer is. */
function carried(type: TensorType, data: InputData): string | null {
  const bytes = stored(type, data);
  if (bytes.every((byte) => byte === 0)) return null;
  const width = dtypeBytes(type.dtype);
  const items = width === 2 ? new Uint16Array(bytes.buffer, bytes.byteOffset) : wordsOf(bytes);
  return base64(bytes.subarray(0, periodOf(items) * width));
}

const wordsOf = (bytes: Uint8Array): Uint32Array =>
  new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);

/** A tensor in one of the buffers; `bytes` as they are bound and copied. */
export interface Tensor {
  readonly buffer: number;
  readonly dtype: TensorType["dtype"];
  readonly shape: readonly number[];
  readonly bytes: number;
}

export interface Dispatch {
  readonly shader: number;
  readonly buffers: readonly { readonly buffer: number; readonly bytes: number }[];
  readonly workgroups: readonly [number, number, number];
}

/** A weight's numbers when nobody gives others; null: zeros. */
export type Numbered =
  { readonly base64: string } | { readonly draw: Dispatch; readonly parameters: readonly number[] } | null;

export interface Shader {
  readonly entry: string;
  readonly layout: readonly ("read-only-storage" | "storage" | "uniform")[];
  readonly code: string;
}

export interface Contents {
  readonly features: readonly string[];
  readonly limits: Readonly<Record<string, number>>;
  readonly buffers: readonly { readonly bytes: number; readonly uniform: boolean }[];
  readonly inputs: ReadonlyMap<string, Tensor>;
  readonly weights: ReadonlyMap<string, Tensor & { readonly numbers: Numbered }>;
  readonly outputs: ReadonlyMap<string, Tensor>;
  readonly shaders: readonly Shader[];
  /** Once, after the weights are there: what passes folded of them. */
  readonly prepare: readonly Dispatch[];
  /** Before every run: an input's data, where a result is written over it. */
  readonly starts: readonly { readonly from: number; readonly to: number; readonly bytes: number }[];
  /** Every run. */
  readonly run: readonly Dispatch[];
}

/** What a module is made of. */
export interface Exported {
  /** The program as written. */
  readonly source: Graph;
  /** What the text calls its outputs, in their order; one without a name goes by its id. */
  readonly names: readonly (string | null)[];
  readonly fusion: Fusion;
  readonly plan: Plan;
  /** Plan of what passes folded of weights; null where they folded nothing. */
  readonly folding: Plan | null;
  /** Numbers of inputs instead of what their seeds give: the weights of a model. */
  readonly given: ReadonlyMap<NodeId, InputData>;
}

// WebGPU binds whole words, and never nothing.
const paddedBytes = (bytes: number): number => Math.max(16, Math.ceil(bytes / 4) * 4);

/** WebGPU's own minimum of each limit, which every device has: https://www.w3.org/TR/webgpu/#limits */
const EVERYWHERE: Readonly<Record<string, number>> = {
  maxBufferSize: 2 ** 28,
  maxStorageBufferBindingSize: 2 ** 27,
  maxUniformBufferBindingSize: 2 ** 16,
  maxStorageBuffersPerShaderStage: 8,
  maxComputeWorkgroupStorageSize: 2 ** 14,
  maxComputeInvocationsPerWorkgroup: 256,
  maxComputeWorkgroupSizeX: 256,
  maxComputeWorkgroupSizeY: 256,
  maxComputeWorkgroupSizeZ: 64,
  maxComputeWorkgroupsPerDimension: 65535,
};

const ENABLES: Readonly<Record<string, string>> = { f16: "shader-f16", subgroups: "subgroups" };
const LAYOUTS = { read: "read-only-storage", read_write: "storage", uniform: "uniform" } as const;

/** Buffers by key, each as large as its largest tenant. */
class Pool {
  readonly all: { bytes: number; uniform: boolean }[] = [];
  readonly #byKey = new Map<string, number>();

  at(key: string, bytes: number): number {
    const index = this.#byKey.get(key) ?? this.all.push({ bytes: 0, uniform: false }) - 1;
    this.#byKey.set(key, index);
    this.all[index]!.bytes = Math.max(this.all[index]!.bytes, paddedBytes(bytes));
    return index;
  }
}

/** Shaders, each text once. */
class Shaders {
  readonly all: Shader[] = [];

  of(entry: string, code: string, layout: Shader["layout"]): number {
    const known = this.all.findIndex((each) => each.code === code);
    return known >= 0 ? known : this.all.push({ entry, layout, code }) - 1;
  }
}

type Where = ReadonlyMap<NodeId, Tensor>;

const tensorOf = (buffer: number, type: TensorType): Tensor => ({
  buffer,
  dtype: type.dtype,
  shape: type.shape,
  bytes: paddedBytes(bytesOf(type)),
});

/** Where each value of a plan is: inputs have buffers of their own, all else shares by slot. */
function allocated(plan: Plan, pool: Pool, label: string, already: Where): Map<NodeId, Tensor> {
  const where = new Map(already);
  for (const { value, type, role, slot, bytes } of plan.buffers) {
    if (where.has(value)) continue;
    const key = role === "input" ? `input ${value}` : `${label} slot ${slot}`;
    where.set(value, tensorOf(pool.at(key, bytes), type));
  }
  for (const { output, value } of plan.aliases) {
    const stored = where.get(value);
    if (stored) where.set(output, stored);
  }
  return where;
}

function dispatchesOf(kernels: readonly Kernel[], where: Where, pool: Pool, shaders: Shaders): Dispatch[] {
  return kernels.map(({ name, wgsl, bindings, workgroups }) => {
    const layout = bindings.map(({ access }) => LAYOUTS[access]);
    const buffers = bindings.map(({ value, access }) => {
      const { buffer, bytes } = where.get(value)!;
      if (access === "uniform") pool.all[buffer]!.uniform = true;
      return { buffer, bytes };
    });
    return { shader: shaders.of(name, wgsl, layout), buffers, workgroups };
  });
}

const isDrawing = (feed: InputData | Drawing): feed is Drawing => "wgsl" in feed;

function numbersOf(input: Node, tensor: Tensor, given: InputData | undefined, shaders: Shaders): Numbered {
  const feed = given ?? inputFeed(input);
  if (isDrawing(feed)) {
    const shader = shaders.of(feed.name, feed.wgsl, ["storage", "uniform"]);
    const { buffer, bytes } = tensor;
    return {
      draw: { shader, buffers: [{ buffer, bytes }], workgroups: feed.workgroups },
      parameters: [...feed.parameters],
    };
  }
  const text = carried(input.type, feed);
  return text === null ? null : { base64: text };
}

/** What of `kernels` and buffers is more than every device has. */
function limitsOf(kernels: readonly Kernel[], buffers: Contents["buffers"]): Record<string, number> {
  const needed: Record<string, number> = {};
  const need = (limit: string, amount: number): void => {
    if (amount > Math.max(EVERYWHERE[limit]!, needed[limit] ?? 0)) needed[limit] = amount;
  };
  for (const { bytes, uniform } of buffers) {
    need("maxBufferSize", bytes);
    need("maxStorageBufferBindingSize", bytes);
    if (uniform) need("maxUniformBufferBindingSize", bytes);
  }
  for (const { bindings, workgroupSize, workgroupBytes, workgroups } of kernels) {
    const [x, y, z] = workgroupSize;
    need("maxStorageBuffersPerShaderStage", bindings.filter(({ access }) => access !== "uniform").length);
    need("maxComputeWorkgroupStorageSize", workgroupBytes);
    need("maxComputeInvocationsPerWorkgroup", x * y * z);
    need("maxComputeWorkgroupSizeX", x);
    need("maxComputeWorkgroupSizeY", y);
    need("maxComputeWorkgroupSizeZ", z);
    need("maxComputeWorkgroupsPerDimension", Math.max(...workgroups));
  }
  return needed;
}

/** Features of the `enable` directives of all kernels. */
function featuresOf(shaders: readonly Shader[]): string[] {
  const enabled = shaders.flatMap(({ code }) =>
    [...code.matchAll(/^enable ([^;]+);/gm)].flatMap(([, names]) => names!.split(",")),
  );
  return [...new Set(enabled)].map((name) => ENABLES[name.trim()] ?? name.trim());
}

/** A weight is what has a role other than data: its numbers come with the program. */
const isWeight = ({ attrs }: Node): boolean => attrs["role"] !== undefined && attrs["role"] !== "input";

/** Buffers, kernels and numbers of a module, from its plans. */
export function contentsOf({ source, names, fusion, plan, folding, given }: Exported): Contents {
  const [pool, shaders] = [new Pool(), new Shaders()];
  const { graph } = fusion;
  const folded = folding ? allocated(folding, pool, "folding", new Map()) : new Map<NodeId, Tensor>();
  for (const { id, recipe } of graph.nodes.values()) if (recipe) folded.set(id, folded.get(recipe.at(-1)!.id)!);
  const where = allocated(plan, pool, "run", folded);
  const nodes = new Map(
    [...graph.nodes.values()].flatMap((each) => [each, ...(each.recipe ?? [])].map((n) => [n.id, n])),
  );
  const [inputs, weights] = [new Map<string, Tensor>(), new Map<string, Tensor & { numbers: Numbered }>()];
  const buffers = [...(folding?.buffers ?? []), ...plan.buffers];
  const fed = new Set(buffers.filter(({ role }) => role === "input").map(({ value }) => value));
  // In the program's order.
  for (const id of new Set([...source.nodes.keys(), ...where.keys()])) {
    const [input, tensor] = [nodes.get(id), where.get(id)];
    if (!fed.has(id) || !input || !tensor || input.recipe) continue;
    if (isWeight(input) || given.has(id))
      weights.set(id, { ...tensor, numbers: numbersOf(input, tensor, given.get(id), shaders) });
    else inputs.set(id, tensor);
  }
  const prepared = dispatchesOf(folding?.kernels ?? [], where, pool, shaders);
  const dispatched = dispatchesOf(plan.kernels, where, pool, shaders);
  const called = names.map((name, i) => (name === null || names.indexOf(name) < i ? source.outputs[i]! : name));
  const outputs = new Map(
    graph.outputs.map((id, i) => {
      const { type } = node(graph, id);
      return [called[i]!, tensorOf(where.get(id)!.buffer, type)];
    }),
  );
  // Folding reads weights alone, as a rule; where it reads an input, it is part of every run.
  const foldsInputs = folding?.buffers.some(({ value }) => inputs.has(value)) ?? false;
  return {
    features: featuresOf(shaders.all),
    limits: limitsOf([...(folding?.kernels ?? []), ...plan.kernels], pool.all),
    buffers: pool.all,
    inputs,
    weights,
    outputs,
    shaders: shaders.all,
    prepare: foldsInputs ? [] : prepared,
    starts: plan.buffers.flatMap(({ value, begins }) => {
      if (begins === undefined) return [];
      const [from, to] = [where.get(begins)!, where.get(value)!];
      return [{ from: from.buffer, to: to.buffer, bytes: to.bytes }];
    }),
    run: foldsInputs ? [...prepared, ...dispatched] : dispatched,
  };
}
