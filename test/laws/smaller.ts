/** @file Makes a failing program smaller by its text: fewer statements, results and options, simpler calls, shorter axes. */
import { graphOf } from "./any-program";
import { plainly, type Case, type Ways } from "./plan-laws";

/** Every way to make a case a little smaller, the boldest first. */
function* smallerCases({ text, ways }: Case): Generator<Case> {
  const lines = text.split("\n");
  yield { text, ways: plainly };
  for (let i = 0; i < ways.length; i++) {
    if (ways[i] !== 0) yield { text, ways: ways.map((way, k) => (k === i ? 0 : way)) as unknown as Ways };
  }
  // Half of the statements, then one at a time, from the end: nobody reads what comes last.
  for (const count of [Math.floor(lines.length / 2), 1]) {
    for (let at = lines.length - count; at > 0 && count > 0; at -= count) {
      yield { text: without(lines, at, count).join("\n"), ways };
    }
  }
  for (const [at, line] of lines.entries()) {
    for (const simpler of simplerLines(line)) yield { text: lines.with(at, simpler).join("\n"), ways };
  }
  yield* shorter(text, ways);
}

/** Lines without some of them; who read a removed value reads its first operand. */
function without(lines: readonly string[], at: number, count: number): string[] {
  let rest = [...lines.slice(0, at), ...lines.slice(at + count)];
  for (const line of lines.slice(at, at + count).toReversed()) {
    const [, name, call] = /^(\w+) = (.*)$/.exec(line) ?? [];
    const operand = call && /\b[xv]\d+\b/.exec(call)?.[0];
    if (name && operand) rest = rest.map((other) => other.replaceAll(new RegExp(`\\b${name}\\b`, "g"), operand));
  }
  const used = rest.filter((line) => !/^x\d+:/.test(line)).join("\n");
  return rest.filter((line, i) => i === 0 || !/^x\d+:/.test(line) || new RegExp(`\\b${line.split(":")[0]}\\b`).test(used)); // prettier-ignore
}

function* simplerLines(line: string): Generator<string> {
  const [, names] = /^return (.*)$/.exec(line) ?? [];
  if (names) {
    const all = names.split(", ");
    for (let i = 0; i < all.length; i++) if (all.length > 1) yield `return ${all.toSpliced(i, 1).join(", ")}`;
    return;
  }
  const [, name, call] = /^(\w+) = (.*)$/.exec(line) ?? [];
  if (!name || !call || line.includes(":")) return;
  const operands = [...new Set(call.match(/\b[xv]\d+\b/g))];
  for (const operand of operands) yield `${name} = relu(${operand})`;
  const axis = /dim=(\d+)/.exec(call)?.[0];
  if (axis) for (const operand of operands) yield `${name} = ${operand}.sum(${axis}, keepdim=True)`;
  if (operands.length > 1) yield `${name} = ${operands[0]} + ${operands[1]}`;
  // What an argument is before it is brought into a domain.
  yield `${name} = ${call.replace(/\(?(?:tanh|abs)\(([xv]\d+)\)(?: [*+] [\d.]+)*\)?/, "$1")}`;
}

/** Each extent, everywhere at once, down to 3, 2 and 1. */
function* shorter(text: string, ways: Ways): Generator<Case> {
  const extents = new Set(
    [...text.matchAll(/^x\d+: \w+\[(.*?)\]/gm)].flatMap(([, list]) => list!.split(", ").map(Number)),
  );
  for (const extent of [...extents].filter((one) => one > 1).toSorted((a, b) => b - a)) {
    for (const to of [1, 2, 3, 33].filter((one) => one < extent)) {
      yield { text: text.replaceAll(new RegExp(`(?<![\\w.])${extent}(?![\\w.])`, "g"), String(to)), ways };
    }
  }
}

/**
 * A smaller case that still fails.
 * @param fails whether a valid program still shows the fault; asked at most `most` times
 */
export function smaller(one: Case, fails: (candidate: Case) => boolean, most = 200): Case {
  let [best, asked] = [one, 0];
  const tried = new Set<string>();
  for (let improved = true; improved;) {
    improved = false;
    for (const candidate of smallerCases(best)) {
      const key = JSON.stringify(candidate);
      if (tried.has(key) || !isProgram(candidate.text)) continue;
      tried.add(key);
      if (++asked > most) return best;
      if (!fails(candidate)) continue;
      best = candidate;
      improved = true;
      break;
    }
  }
  return best;
}

function isProgram(text: string): boolean {
  try {
    return graphOf(text).outputs.length > 0;
  } catch {
    return false;
  }
}
