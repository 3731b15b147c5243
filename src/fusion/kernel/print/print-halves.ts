/**
 * @file f16 on targets without 16-bit storage: two halves to a u32. Whoever writes four or two neighbours owns their words;
 * a half alone is put into its word by atomics, which leave the neighbour's half as it is.
 */
import type { Index, IndexSpace } from "../emit/index-space";
import { isLoop, type Buffer, type Stmt, type Width } from "../emit/kernel-ir";
import { factorText, indexText } from "./print-index";

/** Buffers of which some thread writes half a word. */
export function sharedWords(body: readonly Stmt[]): ReadonlySet<Buffer> {
  const found = new Set<Buffer>();
  const open = [...body];
  while (open.length > 0) {
    const stmt = open.pop()!;
    if (stmt.kind === "store" && stmt.width === 1) found.add(stmt.buffer);
    if (isLoop(stmt)) open.push(...stmt.body);
    if (stmt.kind === "if") open.push(...stmt.body, ...stmt.otherwise);
  }
  return found;
}

/** How packed halves of one kernel are bound, read and written. */
export class PackedHalves {
  readonly #space: IndexSpace;
  readonly #shared: ReadonlySet<Buffer>;

  constructor(space: IndexSpace, body: readonly Stmt[]) {
    this.#space = space;
    this.#shared = sharedWords(body);
  }

  /** `array<vec2u, 12>` where four are taken at once; single words elsewhere. */
  arrayType(buffer: Buffer): string {
    if (this.#shared.has(buffer)) return `array<atomic<u32>, ${Math.ceil(buffer.elements / 2)}>`;
    if (buffer.width === 4) return `array<vec2u, ${buffer.elements / 4}>`;
    return `array<u32, ${Math.ceil(buffer.elements / 2)}>`;
  }

  /** Four halves from `index` on, or the one there, as f32. */
  load(buffer: Buffer, index: Index, width: Width): string {
    if (width === 4) return `from_halves(${buffer.name}[${indexText(this.#space.div(index, 4))}])`;
    return `unpack2x16float(${this.#word(buffer, index)})${this.#side(index)}`;
  }

  /** Lines that store `value`: four neighbours, or one beside somebody else's. */
  store(buffer: Buffer, index: Index, value: string, width: Width): string[] {
    const { name } = buffer;
    if (width === 4 && !this.#shared.has(buffer))
      return [`${name}[${indexText(this.#space.div(index, 4))}] = to_halves(${value});`];
    const word = this.#space.div(index, 2);
    if (width === 4) {
      const next = indexText(this.#space.add(word, this.#space.int(1)));
      return [
        `atomicStore(&${name}[${indexText(word)}], to_halves(${value}).x);`,
        `atomicStore(&${name}[${next}], to_halves(${value}).y);`,
      ];
    }
    const address = `&${name}[${indexText(word)}]`;
    const half = this.#space.mod(index, 2);
    const up = half.terms.length === 0 ? `${16 * half.constant}u` : `16u * (${indexText(half)})`;
    return [
      `atomicAnd(${address}, 0xffff0000u >> (${up})); // Keep the neighbour's half.`,
      `atomicOr(${address}, to_half(${value}) << (${up}));`,
    ];
  }

  /** The line that stores a whole word; the second half of the last word may be nobody's. */
  storePair(buffer: Buffer, index: Index, values: readonly [string, string]): string {
    const packed = `to_half(${values[0]}) | (to_half(${values[1]}) << 16u)`;
    return `${buffer.name}[${indexText(this.#space.div(index, 2))}] = ${packed};`;
  }

  #word(buffer: Buffer, index: Index): string {
    const { name } = buffer;
    const word = this.#space.div(index, 2);
    if (this.#shared.has(buffer)) return `atomicLoad(&${name}[${indexText(word)}])`;
    if (buffer.width === 1) return `${name}[${indexText(word)}]`;
    return `${name}[${indexText(this.#space.div(index, 4))}]${this.#side(word)}`;
  }

  /** Which of two. */
  #side(index: Index): string {
    const side = this.#space.mod(index, 2);
    return side.terms.length === 0 ? `.${"xy"[side.constant]}` : `[${factorText(side).replace(/^\((.*)\)$/, "$1")}]`;
  }
}
