/** @file The parts of other libraries that the page uses; the packages live in bench/node_modules. */
declare module "@jax-js/jax" {
  /** Calls take their arguments away; `ref` keeps one for another call. */
  export interface Array {
    readonly ref: this;
    add(other: Array | number): this;
    sub(other: Array | number): this;
    mul(other: Array | number): this;
    div(other: Array | number): this;
    reshape(shape: readonly number[]): this;
    gpuBufferSync(): GPUBuffer;
    data(): Promise<Float32Array>;
    dispose(): void;
  }
  interface Over {
    readonly keepdims?: boolean;
  }
  export function init(device: "webgpu"): Promise<readonly string[]>;
  export function defaultDevice(device: "webgpu"): string;
  export function getWebGPUDevice(): GPUDevice;
  export function jit<F extends (...args: Array[]) => Array[]>(f: F): F & { dispose(): void };
  export const numpy: {
    array(data: Float32Array, options: { readonly shape: readonly number[] }): Array;
    matmul(a: Array, b: Array): Array;
    matrixTranspose(a: Array): Array;
    mean(a: Array, axis: number, options?: Over): Array;
    sqrt(a: Array): Array;
    square(a: Array): Array;
    reciprocal(a: Array): Array;
  };
  export const nn: {
    relu(x: Array): Array;
    silu(x: Array): Array;
    gelu(x: Array, options: { readonly approximate: boolean }): Array;
    softmax(x: Array, axis: number): Array;
  };
  export const lax: {
    convGeneralDilated(
      x: Array,
      taps: Array,
      strides: readonly number[],
      padding: readonly (readonly [number, number])[],
    ): Array;
  };
}

declare module "@tensorflow/tfjs-core" {
  export interface Tensor {
    data(): Promise<Float32Array>;
    dispose(): void;
  }
  type Operand = Tensor | number;
  export function setBackend(name: string): Promise<boolean>;
  export function ready(): Promise<void>;
  export function backend(): unknown;
  export function tidy<T>(work: () => T): T;
  export function tensor(data: Float32Array, shape: readonly number[]): Tensor;
  export function add(a: Operand, b: Operand): Tensor;
  export function sub(a: Operand, b: Operand): Tensor;
  export function mul(a: Operand, b: Operand): Tensor;
  export function div(a: Operand, b: Operand): Tensor;
  export function square(x: Tensor): Tensor;
  export function sqrt(x: Tensor): Tensor;
  export function rsqrt(x: Tensor): Tensor;
  export function tanh(x: Tensor): Tensor;
  export function relu(x: Tensor): Tensor;
  export function sigmoid(x: Tensor): Tensor;
  export function mean(x: Tensor, axis: number, keepDims?: boolean): Tensor;
  export function softmax(x: Tensor, axis: number): Tensor;
  export function reshape(x: Tensor, shape: readonly number[]): Tensor;
  export function transpose(x: Tensor, order: readonly number[]): Tensor;
  export function matMul(a: Tensor, b: Tensor, transposeA?: boolean, transposeB?: boolean): Tensor;
  export function conv2d(x: Tensor, taps: Tensor, strides: number, padding: number, layout: "NHWC"): Tensor;
  export const fused: {
    matMul(request: {
      readonly a: Tensor;
      readonly b: Tensor;
      readonly bias?: Tensor;
      readonly activation?: "relu";
    }): Tensor;
  };
}

declare module "@tensorflow/tfjs-backend-webgpu" {}

declare module "onnxruntime-web/webgpu" {
  export interface Tensor {
    dispose(): void;
  }
  export const Tensor: {
    fromGpuBuffer(
      buffer: GPUBuffer,
      options: { readonly dataType: "float32"; readonly dims: readonly number[] },
    ): Tensor;
  };
  export interface InferenceSession {
    run(feeds: Readonly<Record<string, Tensor>>, fetches: Readonly<Record<string, Tensor>>): Promise<unknown>;
    release(): Promise<void>;
  }
  export const InferenceSession: {
    create(
      model: Uint8Array,
      options: {
        readonly executionProviders: readonly string[];
        readonly preferredOutputLocation: "gpu-buffer";
      },
    ): Promise<InferenceSession>;
  };
  export const env: {
    readonly wasm: { numThreads: number; wasmPaths: { readonly wasm: string } };
    readonly webgpu: { readonly device: Promise<GPUDevice> };
    readonly versions: Readonly<Record<string, string>>;
    logLevel: "error";
  };
}
