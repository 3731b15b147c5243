/** @file Index arithmetic and conditions as WGSL text. */
import { bug } from "../../ir";
import { evenLanes, type Cond, type Index, type IndexAtom, type IndexTerm } from "../emit/index-space";
import type { SharedArray } from "../emit/kernel-ir";

const BUILTIN = {
  tid: "tid",
  "wid.x": "wid.x",
  "wid.y": "wid.y",
  "wid.z": "wid.z",
  "gid.x": "gid.x",
  "gid.y": "gid.y",
  "subgroup.lane": "subgroup_lane",
};

/** `(i / 12u) * 4u + tid`, `(top + ty) * 64u`; positive terms first, so that nothing passes below zero on the way. */
export function indexText(index: Index): string {
  const minus = index.terms.filter((term) => term.by < 0);
  const plus = index.terms.filter((term) => term.by > 0).toSorted((a, b) => b.by - a.by);
  let text = alike(plus).map(sumText).join(" + ");
  if (index.constant > 0 || text === "")
    text = text === "" ? `${Math.max(0, index.constant)}u` : `${text} + ${index.constant}u`;
  for (const term of minus) text += ` - ${termText({ ...term, by: -term.by })}`;
  if (index.constant < 0) text += ` - ${-index.constant}u`;
  return text;
}

/** Neighbours with the same factor together. */
function alike(terms: readonly IndexTerm[]): IndexTerm[][] {
  const groups: IndexTerm[][] = [];
  for (const term of terms) {
    const last = groups.at(-1);
    if (last && last[0]!.by === term.by) last.push(term);
    else groups.push([term]);
  }
  return groups;
}

function sumText(terms: readonly IndexTerm[]): string {
  const { by } = terms[0]!;
  if (terms.length === 1 || by === 1) return terms.map(termText).join(" + ");
  return `(${terms.map(({ atom }) => atomText(atom)).join(" + ")}) * ${by}u`;
}

function termText({ atom, by }: IndexTerm): string {
  if (by === 1) return atomText(atom);
  const text = atomText(atom);
  return `${atom.kind === "var" || atom.kind === "min" ? text : `(${text})`} * ${by}u`;
}

function atomText(atom: IndexAtom): string {
  switch (atom.kind) {
    case "var":
      return atom.builtin ? BUILTIN[atom.builtin] : atom.name;
    case "min":
      return `min(${indexText(atom.of)}, ${atom.by}u)`;
    case "div":
      return `${factorText(atom.of)} / ${atom.by}u`;
    case "mod":
      return `${factorText(atom.of)} % ${atom.by}u`;
  }
}

/** In parentheses unless it is a single name, number or call. */
export function factorText(index: Index): string {
  const text = indexText(index);
  const only = index.terms.length === 1 && index.constant === 0 ? index.terms[0]! : null;
  const call = only?.by === 1 && only.atom.kind === "min";
  return call || /^[\w.]+$/.test(text) ? text : `(${text})`;
}

export function condText(cond: Cond): string {
  switch (cond.kind) {
    case "always":
      return "true";
    case "never":
      return "false";
    case "less":
      return cond.bound === 1 ? `${indexText(cond.index)} == 0u` : `${indexText(cond.index)} < ${cond.bound}u`;
    case "atLeast":
      return cond.bound === 1 ? `${indexText(cond.index)} > 0u` : `${indexText(cond.index)} >= ${cond.bound}u`;
    case "below":
      return `${indexText(cond.index)} < ${indexText(cond.limit)}`;
    case "both":
      // `&` asks all at once; `&&` would be a branch inside a branch, which CPU adapters compile badly.
      return allText(betweenText(cond.parts));
  }
}

const allText = (texts: readonly string[]): string =>
  texts.length === 1 ? texts[0]! : texts.map((text) => `(${text})`).join(" & ");

/** `low <= i & i < high` is one comparison of unsigned numbers: below `low` they wrap around to the largest. */
function betweenText(parts: readonly Cond[]): string[] {
  const lows = new Map<number, number>();
  for (const part of parts) if (part.kind === "atLeast") lows.set(part.index.id, part.bound);
  const highs = new Set(parts.flatMap((part) => (part.kind === "less" ? [part.index.id] : [])));
  return parts.flatMap((part) => {
    if (part.kind === "atLeast" && highs.has(part.index.id)) return [];
    const low = part.kind === "less" ? (lows.get(part.index.id) ?? 0) : 0;
    if (part.kind !== "less" || low === 0) return [condText(part)];
    if (part.bound === low + 1) return [`${indexText(part.index)} == ${low}u`];
    return [`${indexText({ ...part.index, constant: part.index.constant - low })} < ${part.bound - low}u`];
  });
}

/** The opposite, for early returns. */
export function unlessText(cond: Cond): string {
  if (cond.kind === "less") return `${indexText(cond.index)} >= ${cond.bound}u`;
  if (cond.kind === "atLeast") return `${indexText(cond.index)} < ${cond.bound}u`;
  return `!(${condText(cond)})`;
}

/** A cell of workgroup memory. */
export const cellText = ({ array, index }: { readonly array: SharedArray; readonly index: Index }): string =>
  `${array.name}[${indexText(index)}]`;

/** Four neighbours' indices as a vector: `vec4u(4u * i) + vec4u(0u, 1u, 2u, 3u)`. */
export function laneText(index: Index, vector: string, convert: (text: string) => string): string {
  if (!index.lane) return convert(indexText(index));
  const lane = index.terms.find((term) => term.atom.kind === "var" && term.atom.name === "lane");
  const others = index.terms.filter((term) => term !== lane);
  if (!lane || !evenLanes(index)) throw bug("an index whose lanes are not evenly apart was asked for as a vector");
  const start = indexText({ ...index, terms: others });
  const unit = vector === "vec4u" ? "u" : "";
  const steps = [0, 1, 2, 3].map((k) => `${k * Math.abs(lane.by)}${unit}`).join(", ");
  return `${vector}(${convert(start)}) ${lane.by < 0 ? "-" : "+"} ${vector}(${steps})`;
}
