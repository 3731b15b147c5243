/** @file Makes a failing program smaller by its text: fewer statements, results and options, simpler calls, shorter axes. */
import { graphOf } from "./any-program";
import { plainly, type Case, type Ways } from "./plan-laws";

/** `y = relu(x)` as [y, relu(x)]; null for declarations and results. */
const assignment = (line: string): readonly [string, string] | null => {
  const [, name, call] = /^(\w+) = (.*)$/.exec(line) ?? [];
  return name && call ? [name, call] : null;
};
const declared = (line: string): string | null => /^(\w+): /.exec(line)?.[1] ?? null;
const wordOf = (name: string): RegExp => new RegExp(`(?<![\\w.])${name}(?!\\w)`, "g");

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
      yield { text: tidied(without(lines, at, count)), ways };
    }
  }
  const names = new Set(lines.flatMap((line) => declared(line) ?? assignment(line)?.[0] ?? []));
  for (const [at, line] of lines.entries()) {
    for (const simpler of simplerLines(line, names)) yield { text: tidied(lines.with(at, simpler)), ways };
  }
  yield* shorter(text, ways);
}

const namesIn = (text: string, names: ReadonlySet<string>): string[] => [
  ...new Set((text.match(/(?<![\w.])[A-Za-z_]\w*/g) ?? []).filter((word) => names.has(word))),
];

/** Lines without some of them; who read a removed value reads its first operand. */
function without(lines: readonly string[], at: number, count: number): string[] {
  const names = new Set(lines.flatMap((line) => declared(line) ?? assignment(line)?.[0] ?? []));
  let rest = [...lines.slice(0, at), ...lines.slice(at + count)];
  for (const line of lines.slice(at, at + count).toReversed()) {
    const [name, call] = assignment(line) ?? [];
    const operand = call && namesIn(call, names)[0];
    if (name && operand) rest = rest.map((other) => other.replaceAll(wordOf(name), operand));
  }
  return rest;
}

/** Without declarations that nobody reads. */
function tidied(lines: readonly string[]): string {
  const used = lines.filter((line) => declared(line) === null).join("\n");
  const needed = lines.filter((line, i) => i === 0 || declared(line) === null || used.match(wordOf(declared(line)!)));
  return needed.join("\n");
}

function* simplerLines(line: string, names: ReadonlySet<string>): Generator<string> {
  const [, list] = /^return (.*)$/.exec(line) ?? [];
  if (list) {
    const all = list.split(", ");
    for (let i = 0; i < all.length; i++) if (all.length > 1) yield `return ${all.toSpliced(i, 1).join(", ")}`;
    return;
  }
  const [name, call] = assignment(line) ?? [];
  if (!name || !call) return;
  const operands = namesIn(call, names);
  if (/^relu\(\w+\)$/.test(call)) return;
  for (const operand of operands) yield `${name} = relu(${operand})`;
  const axis = /dim=-?\d+/.exec(call)?.[0];
  for (const operand of operands) {
    const fold = `${name} = ${operand}.sum(${axis ?? "dim=-1"}, keepdim=True)`;
    if (fold !== line) yield fold;
  }
  if (operands.length > 1 && call !== `${operands[0]} + ${operands[1]}`)
    yield `${name} = ${operands[0]} + ${operands[1]}`;
  // The inside of each pair of brackets, alone or instead of the call.
  for (const [whole, , inside] of call.matchAll(/(\w*)\(([^()]*)\)/g)) {
    const first = inside!.split(/, (?![^[]*\])/)[0]!;
    if (first !== "" && namesIn(first, names).length > 0) yield `${name} = ${call.replace(whole, first)}`;
  }
  for (const [part] of call.matchAll(/ [-+*/] [\w.]+/g)) yield `${name} = ${call.replace(part, "")}`;
}

/** Each extent, everywhere at once, down to 3, 2 and 1. */
function* shorter(text: string, ways: Ways): Generator<Case> {
  const extents = new Set(
    [...text.matchAll(/^\w+: \w+\[(.*?)\]/gm)].flatMap(([, list]) => list!.split(", ").map(Number)),
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
