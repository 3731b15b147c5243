/** @file What the op registry says, as the canvas asks it. */
import { calledOps, findOp } from "../fusion";
import type { OpDef } from "../fusion";

export type Glyph =
  | "elementwise"
  | "reduce"
  | "scan"
  | "order"
  | "contraction"
  | "movement"
  | "gather"
  | "random"
  | "input"
  | "output"
  | "folded"
  | "opaque";

const primitive = (name: string): OpDef | null => {
  const found = findOp(name);
  return found && found.kind !== "composite" ? found : null;
};

export function glyphOf(op: string): Glyph {
  const kind = primitive(op)?.kind ?? "opaque";
  if (kind === "source") return "input";
  if (kind === "ranges") return "reduce";
  if (kind === "groups") return "order";
  if (kind === "loop") return "scan";
  return kind === "gather" || kind === "search" ? "movement" : kind;
}

/** Same bytes, other shape: never a kernel. */
export const isFreeView = (op: string): boolean => primitive(op)?.movement?.free === true;

/** The definition's formula and the names of its tensor operands: `a − b` and [a, b]. */
export function formulaParts(op: string): { readonly formula: string; readonly operands: readonly string[] } | null {
  const def = primitive(op);
  if (!def) return null;
  const operands = def.params.filter(({ kind }) => kind === "tensor").map(({ names }) => names[0]!);
  return { formula: def.doc.formula, operands };
}

export interface PaletteEntry {
  readonly name: string;
  readonly glyph: Glyph;
  /** Heading that it stands under while nothing is searched. */
  readonly family: string;
  readonly formula: string;
  readonly teaches: string;
  /** Lower-case text that the search looks in: name, aliases, formula. */
  readonly words: string;
}

/** Families of ops in the order of the palette, by the kind of their definition. */
const families: Readonly<Partial<Record<OpDef["kind"] | "composite", string>>> = {
  elementwise: "Elementwise",
  reduce: "Reductions",
  contraction: "Matmul and convolution",
  composite: "Composites: layers, losses and more",
  movement: "Shape",
  gather: "Indexing",
  order: "Sorting",
  scan: "Scans",
  random: "Random numbers",
  opaque: "Boundaries",
};
const order = Object.values(families);

/** Every op a person can add, composites included, by family and name. */
export const paletteEntries: readonly PaletteEntry[] = calledOps
  .map((def) => ({
    name: def.name,
    glyph: def.kind === "composite" ? ("folded" as const) : glyphOf(def.name),
    family: families[def.kind]!,
    formula: def.doc.formula,
    teaches: def.doc.teaches,
    words: [def.name, ...(def.aliases ?? []), def.doc.formula].join(" ").toLowerCase(),
  }))
  .sort((a, b) => order.indexOf(a.family) - order.indexOf(b.family) || a.name.localeCompare(b.name));

/** Entries whose name starts with, then contains, then mention the words typed. */
export function searchPalette(query: string): readonly PaletteEntry[] {
  const wanted = query.trim().toLowerCase();
  if (wanted === "") return paletteEntries;
  const rank = ({ name, words }: PaletteEntry): number =>
    name.startsWith(wanted) ? 0 : name.includes(wanted) ? 1 : words.includes(wanted) ? 2 : 3;
  return paletteEntries
    .map((entry) => ({ entry, at: rank(entry) }))
    .filter(({ at }) => at < 3)
    .sort((a, b) => a.at - b.at)
    .map(({ entry }) => entry);
}
