/** @file The functions that orders bring along: two elements of workgroup memory put in order, and a thread's search in two runs that are merged. */
import type { Index } from "../emit/index-space";
import type { Retained, SortArrays, Stmt, Value, Waiting } from "../emit/kernel-ir";
import { condText, factorText, indexText } from "./print-index";

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

/** Two of a row's elements, put in order as far as both are there. */
export function exchangeLines({
  sort,
  pair,
  stride,
  mirrored,
  below,
}: Extract<Stmt, { kind: "exchangePair" }>): string[] {
  const [at, apart] = [factorText(pair), factorText(stride)];
  const near = `let near = ${at} * 2u - (${at} & (${apart} - 1u));`;
  const far = mirrored ? `near ^ (${apart} * 2u - 1u)` : `near + ${apart}`;
  if (!below) return [near, `${sort.name}(near, ${far});`];
  return [near, `let far = ${far};`, `if (far < ${indexText(below)}) { ${sort.name}(near, far); }`];
}

/** An element waits where it comes before the last of those that are retained. */
export function waitLine(
  { waiting, key, index, bar, barIndex }: Extract<Stmt, { kind: "wait" }>,
  textOf: (value: Value) => string,
): string {
  const before = `${textOf(key)} < ${textOf(bar)}`;
  const tie =
    index && barIndex ? ` || (${textOf(key)} == ${textOf(bar)} && ${textOf(index)} < ${textOf(barIndex)})` : "";
  return `if (${before}${tie}) { ${waiting.name}(${[key, ...(index ? [index] : [])].map(textOf).join(", ")}); }`;
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

/** The list of what a thread retains, and the functions that change it. */
export function retainedText({ name, count, lanes, ties }: Retained): string {
  const each = Array.from({ length: count }, (_, i) => `${name}_${i}`);
  const none = "vec2i(0x7fffffff)";
  const before = (one: string, other: string, tie: boolean): string =>
    `${one}.x < ${other}.x${tie ? ` || (${one}.x == ${other}.x && ${one}.y < ${other}.y)` : ""}`;
  const steps = each.map((own, i) =>
    i === count - 1
      ? `  if (${before("next", own, ties)}) { ${own} = next; }`
      : `  if (${before("next", own, ties)}) { let after = ${own}; ${own} = next; next = after; }`,
  );
  const gone = each.map((own, i) => `${own} = ${each[i + 1] ?? none};`).join(" ");
  return `// The first ${count === 1 ? "element" : `${count} elements`} that a thread has met: the key of each, and where it stood.
${each.map((own) => `var<private> ${own}: vec2i;`).join("\n")}

fn ${name}_none() {
${each.map((own) => `  ${own} = ${none};`).join("\n")}
}

fn ${name}_add(key: i32, index: i32) {
  ${count === 1 ? "let" : "var"} next = vec2i(key, index);
${steps.join("\n")}
}

// The first of what the ${lanes} threads of a row retain; the thread that has it lets it go.
fn ${name}_take() -> vec2i {
  var first = ${each[0]!};
  for (var apart = ${lanes / 2}u; apart > 0u; apart /= 2u) {
    let other = subgroupShuffleXor(first, apart);
    if (${before("other", "first", true)}) { first = other; }
  }
  if (${each[0]!}.y == first.y) { ${gone} }
  return first;
}`;
}

export type Retaining = Extract<Stmt, { kind: "retainNone" | "retain" | "takeRetained" }>;

/** The lines of a statement that calls one of them. */
export function retainingLines(stmt: Retaining, textOf: (value: Value) => string): string[] {
  const { name } = stmt.list;
  if (stmt.kind === "retainNone") return [`${name}_none();`];
  if (stmt.kind === "retain") return [`${name}_add(${textOf(stmt.key)}, ${textOf(stmt.index)});`];
  const { key, index } = stmt;
  return [
    `let ${key.name}_at = ${name}_take();`,
    `let ${key.name} = ${key.name}_at.x;`,
    `let ${index.name} = ${key.name}_at.y;`,
  ];
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
