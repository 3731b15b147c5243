/** @file The ledger of GPU memory. Buffers are not garbage collected in time: whoever makes them frees them. */

export class Arena {
  readonly #device: GPUDevice;
  readonly #ledger: Ledger;
  readonly #buffers = new Set<GPUBuffer>();
  readonly #querySets = new Set<GPUQuerySet>();
  #bytes = 0;

  constructor(device: GPUDevice, ledger: Ledger) {
    this.#device = device;
    this.#ledger = ledger;
  }

  /** A buffer that lives until `free`. Sizes must have passed preflight. */
  buffer(size: number, usage: number, label: string): GPUBuffer {
    const buffer = this.#device.createBuffer({ size, usage, label });
    this.#buffers.add(buffer);
    this.#bytes += size;
    this.#ledger.bytes += size;
    return buffer;
  }

  timestamps(count: number): GPUQuerySet {
    const set = this.#device.createQuerySet({ type: "timestamp", count });
    this.#querySets.add(set);
    return set;
  }

  /** Call in `finally`, and never while a kernel hangs. */
  free(): void {
    for (const buffer of this.#buffers) buffer.destroy();
    for (const set of this.#querySets) set.destroy();
    this.#buffers.clear();
    this.#querySets.clear();
    this.#ledger.bytes -= this.#bytes;
    this.#bytes = 0;
  }
}

/** Bytes of all living buffers of a session; 0 after every run. */
export interface Ledger {
  bytes: number;
}
