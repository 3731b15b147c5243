/** @file The part of Dawn for Node that is used; the package lives in bench/node_modules and brings its own copy of WebGPU's types. */
declare module "webgpu" {
  export function create(flags: string[]): GPU;
}
