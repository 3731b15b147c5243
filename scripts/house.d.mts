export function codeLines(text: string): number;
export function cyclesIn(edges: ReadonlyMap<string, Iterable<string>>): readonly (readonly string[])[];
export function limits(): Readonly<Record<string, number>>;
export function measure(): Promise<{
  readonly files: number;
  readonly lines: number;
  readonly folders: Readonly<Record<string, { readonly files: number; readonly lines: number }>>;
  readonly median: number;
  readonly largest: { readonly file: string; readonly lines: number };
  /** Faults by what they are; scripts/house.json says how many of each there may be. */
  readonly found: Readonly<Record<string, readonly string[]>>;
}>;
