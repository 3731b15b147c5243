/** @file Long lines of a kernel broken where a person would: before an operator or after a comma, as far outside as it goes. */
const WIDTH = 110;
/** Before this part of a line no operator starts the next one, unless all others are so many brackets further inside. */
const EARLY = 0.4;
const BRACKETS = 16;
/** Sums are parted rather than factors, also two brackets further inside. */
const FACTORS = 5;
const CONTINUED = "  ";

interface Text {
  readonly wgsl: string;
  readonly lines: readonly (readonly unknown[])[];
}

/** The same text with no line wider than a page, where it can be broken at all; what a line is of stands at each part of it. */
export function laidOut<T extends Text>(text: T): T {
  if (!isWide(text.wgsl)) return text;
  const before = text.wgsl.split("\n");
  const after: string[] = [];
  const lines: (readonly unknown[])[] = [];
  before.forEach((line, i) => {
    const parts = line.length <= WIDTH ? [line] : broken(line);
    after.push(...parts);
    if (i < text.lines.length) lines.push(...parts.map(() => text.lines[i]!));
  });
  return { ...text, wgsl: after.join("\n"), lines };
}

function isWide(text: string): boolean {
  for (let from = 0; ;) {
    const end = text.indexOf("\n", from);
    if (end < 0) return text.length - from > WIDTH;
    if (end - from > WIDTH) return true;
    from = end + 1;
  }
}

function broken(line: string): string[] {
  const indent = /^ */.exec(line)![0];
  const comment = line.startsWith("//", indent.length);
  const parts: string[] = [];
  let [pad, rest] = [indent, line.slice(indent.length)];
  while (pad.length + rest.length > WIDTH) {
    const room = WIDTH - pad.length;
    const at = comment ? rest.lastIndexOf(" ", room) : bestBreak(rest, room);
    if (at <= (comment ? "//".length : 0)) break;
    parts.push(pad + rest.slice(0, at).trimEnd());
    rest = (comment ? "// " : "") + rest.slice(at).trimStart();
    pad = comment ? indent : indent + CONTINUED;
  }
  return [...parts, pad + rest];
}

/** Breaks where a line may end, and how much of what belongs together that would part: brackets first, then factors. */
const BREAKS = /[([]|[)\]]|, | = | (?:[-+|&]|\|\||&&) | [*/] /g;

/** The last of the best breaks within `room`; 0 where there is none. */
function bestBreak(text: string, room: number): number {
  let depth = 0;
  let [best, least] = [0, Infinity];
  for (const { 0: found, index } of text.matchAll(BREAKS)) {
    if (found === "(" || found === "[") depth++;
    else if (found === ")" || found === "]") depth--;
    else {
      const after = found === ", " || found === " = ";
      const at = after ? index + found.length : index;
      if (index + (after ? 1 : 0) > room) break;
      // After `=` only what then stands on one line.
      if (found === " = " && (depth > 0 || text.length - at + CONTINUED.length > room)) continue;
      const early = !after && at < room * EARLY ? BRACKETS : 0;
      const parted = 2 * depth + (/[*/]/.test(found) ? FACTORS : 0) + early;
      if (parted <= least) [best, least] = [at, parted];
    }
  }
  return best;
}
