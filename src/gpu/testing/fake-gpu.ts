/** @file A GPU made of JavaScript, with a clock of its own and faults on demand: what no real device does when asked. */
import type { SessionEnv } from "../env";

export interface Faults {
  /** So many first requests for an adapter answer null. */
  nullAdapters?: number;
  adapterNeverSettles?: boolean;
  /** requestAdapter throws instead of answering. */
  adapterThrows?: boolean;
  /** requestDevice answers only when the test says so, or never. */
  deviceLate?: Promise<void>;
  /** requestDevice rejects. */
  noDevice?: boolean;
  /** Lost while the submit of this number runs, counted from 1 over the life of the GPU. */
  loseAtSubmit?: number;
  /** From this submit on the queue never answers. */
  hangAtSubmit?: number;
  /** Copies into staging buffers do nothing, as after a silent loss. */
  staleCopies?: boolean;
  /** Step of the timestamps, ns. */
  tickNanos?: number;
  noTimestamps?: boolean;
  /** Buffers of this size and more are out of memory. */
  memoryBytes?: number;
  /** WGSL with this text is refused there (0-based offset is found by the fake). */
  badWgsl?: string;
}

type Behaviour = (arrays: Float32Array[]) => void;

/** Time that only the fake moves, ms. */
export class FakeTime {
  millis = 1000;
  readonly env: SessionEnv = {
    secureContext: true,
    now: () => this.millis,
    // What is ready settles first; then the time is over.
    sleep: async (millis, signal) => {
      for (let i = 0; i < 8; i++) await new Promise((resolve) => setImmediate(resolve));
      if (!signal?.aborted) this.millis += millis;
    },
  };
}

const never = <T>(): Promise<T> => new Promise<T>(() => undefined);

class FakeBuffer {
  readonly bytes: ArrayBuffer;
  destroyed = false;
  private readonly device: FakeDevice;
  constructor(device: FakeDevice, size: number) {
    this.device = device;
    this.bytes = new ArrayBuffer(size);
    device.gpu.alive += size;
  }
  mapAsync(): Promise<void> {
    if (this.device.hung) return never();
    return this.device.isLost ? Promise.reject(new DOMException("lost", "AbortError")) : Promise.resolve();
  }
  getMappedRange(from: number, size: number): ArrayBuffer {
    return this.bytes.slice(from, from + size);
  }
  unmap(): void {}
  destroy(): void {
    if (this.destroyed) return;
    if (this.device.hung) this.device.gpu.destroyedInFlight++;
    this.destroyed = true;
    this.device.gpu.alive -= this.bytes.byteLength;
  }
}

interface Pipeline {
  readonly name: string;
}
interface Group {
  readonly buffers: readonly { readonly buffer: FakeBuffer; readonly size: number }[];
}
type Command = () => void;

class FakeEncoder {
  readonly commands: Command[] = [];
  private readonly gpu: FakeGpu;
  constructor(gpu: FakeGpu) {
    this.gpu = gpu;
  }
  beginComputePass(descriptor?: {
    timestampWrites?: { querySet: bigint[]; beginningOfPassWriteIndex: number; endOfPassWriteIndex: number };
  }) {
    const { gpu, commands } = this;
    const writes = descriptor?.timestampWrites;
    let [pipeline, group]: [Pipeline | null, Group | null] = [null, null];
    if (writes) commands.push(() => (writes.querySet[writes.beginningOfPassWriteIndex] = gpu.stamp()));
    return {
      setPipeline: (next: Pipeline) => void (pipeline = next),
      setBindGroup: (_: number, next: Group) => void (group = next),
      dispatchWorkgroups: () => {
        const [name, buffers] = [pipeline!.name, group!.buffers];
        commands.push(() => gpu.dispatch(name, buffers));
      },
      end: () => {
        if (writes) commands.push(() => (writes.querySet[writes.endOfPassWriteIndex] = gpu.stamp()));
      },
    };
  }
  copyBufferToBuffer(from: FakeBuffer, fromAt: number, to: FakeBuffer, toAt: number, size: number): void {
    this.commands.push(() => {
      if (!this.gpu.faults.staleCopies) new Uint8Array(to.bytes).set(new Uint8Array(from.bytes, fromAt, size), toAt);
    });
  }
  resolveQuerySet(set: bigint[], first: number, count: number, to: FakeBuffer): void {
    this.commands.push(() =>
      new BigUint64Array(to.bytes).set(Array.from({ length: count }, (_, i) => set[first + i]!)),
    );
  }
  finish(): Command[] {
    return this.commands;
  }
}

class FakeDevice {
  readonly gpu: FakeGpu;
  readonly features: ReadonlySet<string>;
  readonly limits = limits;
  readonly lost: Promise<{ reason: string; message: string }>;
  isLost = false;
  hung = false;
  private tellLost!: (info: { reason: string; message: string }) => void;
  private readonly scopes: { filter: string; error: Error | null }[] = [];
  constructor(gpu: FakeGpu) {
    this.gpu = gpu;
    this.features = new Set(gpu.faults.noTimestamps ? [] : ["timestamp-query"]);
    this.lost = new Promise((resolve) => (this.tellLost = resolve));
  }
  lose(reason: string): void {
    this.isLost = true;
    this.tellLost({ reason, message: "" });
  }
  addEventListener(): void {}
  destroy(): void {
    if (this.hung) this.gpu.destroyedInFlight++;
    this.lose("destroyed");
  }
  pushErrorScope(filter: string): void {
    this.scopes.push({ filter, error: null });
  }
  popErrorScope(): Promise<Error | null> {
    const scope = this.scopes.pop();
    if (!scope) throw new Error("no scope");
    return this.isLost ? Promise.reject(new DOMException("lost", "OperationError")) : Promise.resolve(scope.error);
  }
  private raise(filter: string, text: string): void {
    const scope = this.scopes.findLast((each) => each.filter === filter);
    if (!scope) throw new Error(`uncaptured: ${text}`);
    scope.error ??= new Error(text);
  }
  createBuffer({ size }: { size: number }): FakeBuffer {
    if (size >= (this.gpu.faults.memoryBytes ?? Infinity)) this.raise("out-of-memory", `no room for ${size}`);
    return new FakeBuffer(this, size);
  }
  createQuerySet() {
    return Object.assign([] as bigint[], { destroy: () => undefined });
  }
  createShaderModule({ code }: { code: string }) {
    const bad = this.gpu.faults.badWgsl ? code.indexOf(this.gpu.faults.badWgsl) : -1;
    if (bad >= 0) this.raise("validation", "bad module");
    const before = code.slice(0, Math.max(0, bad)).split("\n");
    const message = {
      type: "error",
      message: "unexpected token",
      lineNum: before.length,
      linePos: before.at(-1)!.length + 1,
    };
    return {
      getCompilationInfo: async () => ({ messages: bad >= 0 ? [{ type: "info", message: "hint" }, message] : [] }),
    };
  }
  createBindGroupLayout = () => ({});
  createPipelineLayout = () => ({});
  async createComputePipelineAsync({ compute }: { compute: { entryPoint: string } }): Promise<Pipeline> {
    this.gpu.pipelines++;
    return { name: compute.entryPoint };
  }
  createBindGroup({ entries }: { entries: { resource: { buffer: FakeBuffer; size?: number } }[] }): Group {
    return {
      buffers: entries.map(({ resource: { buffer, size } }) => ({ buffer, size: size ?? buffer.bytes.byteLength })),
    };
  }
  createCommandEncoder = () => new FakeEncoder(this.gpu);
  queue = {
    writeBuffer: (to: FakeBuffer, at: number, data: ArrayBufferView, from = 0, length?: number) => {
      const unit = "BYTES_PER_ELEMENT" in data ? (data.BYTES_PER_ELEMENT as number) : 1;
      const bytes = new Uint8Array(
        data.buffer,
        data.byteOffset + from * unit,
        length === undefined ? data.byteLength - from * unit : length * unit,
      );
      if (!this.isLost) new Uint8Array(to.bytes).set(bytes, at);
    },
    submit: (lists: Command[][]) => {
      const { gpu } = this;
      gpu.submits++;
      if (gpu.submits === gpu.faults.loseAtSubmit) this.lose("unknown");
      if (gpu.submits >= (gpu.faults.hangAtSubmit ?? Infinity)) this.hung = true;
      if (this.isLost || this.hung) return; // silence
      const begin = gpu.nanos;
      for (const command of lists.flat()) command();
      gpu.longestSubmitNanos = Math.max(gpu.longestSubmitNanos, gpu.nanos - begin);
      gpu.time.millis += (gpu.nanos - begin) / 1e6;
      gpu.onSubmit?.(gpu.submits);
    },
    onSubmittedWorkDone: (): Promise<void> => (this.hung ? never() : Promise.resolve()),
  };
}

const limits = {
  maxBufferSize: 2 ** 30,
  maxStorageBufferBindingSize: 2 ** 30,
  maxStorageBuffersPerShaderStage: 10,
  maxComputeWorkgroupStorageSize: 32768,
  maxComputeInvocationsPerWorkgroup: 256,
  maxComputeWorkgroupSizeX: 256,
  maxComputeWorkgroupSizeY: 256,
  maxComputeWorkgroupsPerDimension: 65535,
};

export class FakeGpu {
  readonly time = new FakeTime();
  readonly faults: Faults;
  readonly devices: FakeDevice[] = [];
  info = { vendor: "acme", architecture: "anvil", device: "", description: "Acme Anvil 9", isFallbackAdapter: false };
  /** ns a dispatch takes, by entry point. */
  cost: (name: string) => number = () => 3000;
  onSubmit: ((count: number) => void) | null = null;
  readonly behaviours = new Map<string, Behaviour>();
  nanos = 5_000_000_000;
  asked = 0;
  submits = 0;
  private stamped = 0;
  pipelines = 0;
  alive = 0;
  destroyedInFlight = 0;
  longestSubmitNanos = 0;

  constructor(faults: Faults = {}) {
    this.faults = faults;
  }
  get gpu(): GPU {
    return this as unknown as GPU;
  }
  stamp(): bigint {
    this.stamped++;
    this.nanos += 1400 + ((this.stamped * 71) % 197); // no two passes are alike
    const tick = this.faults.tickNanos ?? 1;
    return BigInt(Math.floor(this.nanos / tick) * tick);
  }
  dispatch(name: string, buffers: Group["buffers"]): void {
    this.nanos += this.cost(name);
    this.behaviours.get(name)?.(buffers.map(({ buffer, size }) => new Float32Array(buffer.bytes, 0, size / 4)));
  }
  requestAdapter(): Promise<unknown> {
    this.asked++;
    if (this.faults.adapterThrows) throw new TypeError("Illegal invocation");
    if (this.faults.adapterNeverSettles) return never();
    if (this.asked <= (this.faults.nullAdapters ?? 0)) return Promise.resolve(null);
    const requestDevice = async () => {
      if (this.faults.noDevice) throw new DOMException("no", "OperationError");
      await this.faults.deviceLate;
      const device = new FakeDevice(this);
      this.devices.push(device);
      return device;
    };
    const features = new Set(this.faults.noTimestamps ? [] : ["timestamp-query"]);
    return Promise.resolve({ info: this.info, features, limits, requestDevice });
  }
}
