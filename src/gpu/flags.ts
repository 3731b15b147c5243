/** @file WebGPU's usage bits by number: the globals that name them exist neither in Node nor before the page has WebGPU. */

// https://www.w3.org/TR/webgpu/#namespacedef-gpubufferusage
export const usage = {
  mapRead: 0x1,
  copySource: 0x4,
  copyDestination: 0x8,
  uniform: 0x40,
  storage: 0x80,
  queryResolve: 0x200,
} as const;
export const mapModeRead = 0x1;
export const stageCompute = 0x4;

/** WebGPU copies and binds whole 32-bit words, and a binding is never empty. */
export const paddedBytes = (bytes: number): number => Math.max(16, Math.ceil(bytes / 4) * 4);
