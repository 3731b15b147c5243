/** @file The functions that orders bring along: two elements of workgroup memory put in order, and a thread's search in two runs that are merged. */
import type { Index } from "../emit/index-space";
import type { SortArrays, Stmt, Waiting } from "../emit/kernel-ir";
import { condText, indexText } from "./print-index";

/** Puts an element behind those that wait. */
export function waitText({ sort: { keys, indices }, first, count, name }: Waiting): string {
  const [param, store] = indices ? [", index: i32", `\n  ${indices.name}[slot] = index;`] : ["", ""];
  return `// Puts an element behind those that wait.
fn ${name}(key: i32${param}) {
  let slot = ${first}u + atomicAdd(&${count.name}, 1u);
  ${keys.name}[slot] = key;${store}
}`;
}

/** Puts two elements of a row in order. */
export function exchangeText({ keys, indices, name }: SortArrays): string {
  const [a, b] = [keys.name, indices?.name];
  const ties = b ? ` || (${a}[far] == ${a}[near] && ${b}[far] < ${b}[near])` : "";
  const swap = (array: string, held: string): string =>
    `    let ${held} = ${array}[near];\n    ${array}[near] = ${array}[far];\n    ${array}[far] = ${held};\n`;
  const after = `${a}[far] < ${a}[near]`;
  return `// Swaps two elements of the row unless they stand in order.
fn ${name}(near: u32, far: u32) {
  if (${ties ? `(${after})${ties}` : after}) {
${swap(a, "key")}${b ? swap(b, "index") : ""}  }
}`;
}

/** The next number of a key in a slice. */
export function takeNumberText({ name, array, bits, slice, oneWord }: Extract<Stmt, { kind: "takeNumber" }>): string {
  if (slice === 1)
    return `// The next number of a key, of those of one thread.
fn ${name}(cell: u32, here: bool) -> i32 {
  if (!here) { return 0; }
  return atomicAdd(&${array.name}[cell], 1);
}`;
  const vote = (of: string): string => `subgroupBallot(${of})${oneWord ? ".x" : "[lane / 32u]"}`;
  const own = slice < 32 ? ` & (${2 ** slice - 1}u << (at - at % ${slice}u))` : "";
  return `// The next number of a key, in the order of lanes: those of a slice of ${slice} with the same key find one another by votes, and the first adds for all.
fn ${name}(cell: u32, here: bool, key: u32, lane: u32) -> i32 {
  let at = lane % 32u;
  var same = ${vote("here")}${own};
  for (var bit = 0u; bit < ${bits}u; bit++) {
    let one = ((key >> bit) & 1u) == 1u;
    let votes = ${vote("one")};
    same &= select(~votes, votes, one);
  }
  let before = countOneBits(same & ((1u << at) - 1u));
  var known = 0;
  if (here && before == 0u) { known = atomicAdd(&${array.name}[cell], i32(countOneBits(same))); }
  let leader = lane - at + min(firstTrailingBit(same), at);
  return subgroupShuffle(known, leader) + i32(before);
}`;
}

/** A call of that function. */
export function takenText({ name, index, key, lane, when }: Extract<Stmt, { kind: "takeNumber" }>): string {
  const found = lane ? `, ${indexText(key)}, ${indexText(lane)}` : "";
  return `${name}(${indexText(index)}, ${condText(when)}${found})`;
}

/** Halvings of a run that leave one index. */
export const searchSteps = (run: Index): number => Math.ceil(Math.log2(run.max + 1));

/**
 * @param steps halvings after which one index of a run is left
 * @param keyAt the key of the element at an index of the buffer that holds the runs
 */
export function mergeText(name: string, steps: number, keyAt: (index: string) => string): string {
  const ahead = (near: string, far: string): string => `${keyAt(far)} < ${keyAt(near)}`;
  return `// Where element number \`at\` of two neighbouring runs stands: \`left\` elements from \`start\` on, and the \`right\` ones after them.
fn ${name}(start: u32, left: u32, right: u32, at: u32) -> u32 {
  let other = start + left;
  // How many of the first \`at\` the left run has: equal elements come from there first.
  var low = select(0u, at - right, at > right);
  var high = min(at, left);
  for (var turn = 0u; turn < ${steps}u; turn++) {
    let middle = (low + high) / 2u;
    if (low == high) { break; }
    if (${ahead("start + middle", "other + at - 1u - middle")}) {
      high = middle;
    } else {
      low = middle + 1u;
    }
  }
  let far = at - low;
  if (low == left || (far < right && ${ahead("start + low", "other + far")})) {
    return other + far;
  }
  return start + low;
}`;
}
