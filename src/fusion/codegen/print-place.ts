/** @file Places of a kernel as WGSL text: elements in memory, four neighbours' numbers, what an assignment names, builtins. */
import { bug } from "../ir";
import { evenLanes, type Index } from "./index-space";
import type { Buffer, Width } from "./kernel-ir";
import { factorText, indexText } from "./print-index";

/** `sum += x;` */
export function assignText(place: string, text: string): string {
  const added = text.startsWith(`${place} + `) ? text.slice(place.length + 3) : "";
  return /^\w+(?:\[[^[\]]*\])?$/.test(added) ? `${place} += ${added};` : `${place} = ${text};`;
}

/** `x[i]`, or one component of a buffer that is bound in fours. */
export function placeText(buffer: Buffer, index: Index, width: Width): string {
  if (buffer.width === 1) return `${buffer.name}[${indexText(index)}]`;
  if (width === 4) return `${buffer.name}[${quarterText(index)}]`;
  if (index.terms.length === 0)
    return `${buffer.name}[${Math.floor(index.constant / 4)}u].${"xyzw"[index.constant % 4]}`;
  if (index.terms.every((term) => term.by % 4 === 0)) {
    const rest = index.constant - 4 * Math.floor(index.constant / 4);
    return `${buffer.name}[${quarterText({ ...index, constant: index.constant - rest })}].${"xyzw"[rest]}`;
  }
  return `${buffer.name}[${factorText(index)} / 4u][${factorText(index)} % 4u]`;
}

const quarterText = (index: Index): string =>
  indexText({
    ...index,
    constant: index.constant / 4,
    terms: index.terms.map((term) => ({ atom: term.atom, by: term.by / 4 })),
  });

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

/** Only the builtins that the body names. */
export function builtinsText(body: string): string {
  const used = [
    /\bgid\b/.test(body) ? "@builtin(global_invocation_id) gid: vec3u" : "",
    /\bwid\b/.test(body) ? "@builtin(workgroup_id) wid: vec3u" : "",
    /\btid\b/.test(body) ? "@builtin(local_invocation_index) tid: u32" : "",
    /\bsubgroup_size\b/.test(body) ? "@builtin(subgroup_size) subgroup_size: u32" : "",
    /\bsubgroup_lane\b/.test(body) ? "@builtin(subgroup_invocation_id) subgroup_lane: u32" : "",
  ].filter((text) => text !== "");
  return used.length <= 1 ? used.join("") : used.join(", ");
}
