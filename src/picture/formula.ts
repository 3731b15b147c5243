/** @file The short formula on an op's box, from its definition and its operands' names. */
import { boundName, nodeName, topName, type Graph, type Node, type NodeId } from "../fusion";
import { formulaParts } from "./ops";
import { showNumber, textWidth } from "./format";

const BOX = 156;
const ROOM_AROUND = 31 + 10 + 8;

/** What an operand is called in a formula; null for an unnamed intermediate, which the drawing itself shows. */
function nameOf(graph: Graph, id: NodeId): string | null {
  const node = graph.nodes.get(id);
  if (!node || node.op === "hole") return "…";
  if (node.op === "const")
    return typeof node.attrs["value"] === "number" ? showNumber(node.attrs["value"]) : node.label;
  const name = nodeName(node);
  return name === node.op ? (topName(id) === id ? id : null) : name;
}

/** Every name of the program and of its drawing: a letter that stands for something else would be taken for it. */
function namesIn(graph: Graph): ReadonlySet<string> {
  const known = namesOf.get(graph);
  if (known) return known;
  const all = new Set([...graph.nodes.keys()].flatMap((id) => [boundName(id), nameOf(graph, id) ?? []].flat()));
  namesOf.set(graph, all);
  return all;
}
const namesOf = new WeakMap<Graph, ReadonlySet<string>>();

/** What stands for the operands without a name: the definition's letters, or others where the program has those as names. */
const SPARE: readonly string[] = "uvwpqabcdefghijklmnorstxyz".split("");

/** Words of a formula that are no functions. */
const WORDS = /[A-Za-z_]\w*(?![\w(])/g;

/** A definition's letters → what they are called here; null where the program has a name for each that could be taken, or one of the definition's other words as a name. */
function lettersOf(
  graph: Graph,
  { formula, operands }: { readonly formula: string; readonly operands: readonly string[] },
  names: readonly (string | null)[],
): ReadonlyMap<string, string> | null {
  const taken = namesIn(graph);
  const spare = SPARE.filter((letter) => !taken.has(letter) && !operands.includes(letter));
  const letters = new Map<string, string>();
  for (const [i, word] of operands.entries()) {
    const letter = names[i] ?? (taken.has(word) ? spare.shift() : word);
    if (letter === undefined) return null;
    letters.set(word, letter);
  }
  // A count, `Σ x / n`, may be N.
  for (const word of formula.match(WORDS) ?? []) {
    if (letters.has(word) || !taken.has(word)) continue;
    const other = word.toUpperCase();
    if (word.length > 1 || taken.has(other)) return null;
    letters.set(word, other);
  }
  return letters;
}

/** The first letter of a name, where nothing else of the program is called so; a number stays as it is. */
function initialOf(graph: Graph, name: string): string | null {
  if (!/^[A-Za-z_]/.test(name)) return name;
  const letter = name.charAt(0);
  return letter === name || !namesIn(graph).has(letter) ? letter : null;
}

/** `a + b` in as few letters as there is room for: whole names first, then initials; the sign with the right one alone. */
function infixOf(
  graph: Graph,
  left: string | null,
  sign: string,
  right: string | null,
  fits: (text: string) => boolean,
): string {
  if (right === null) return "";
  const [first, last] = [left === null ? null : initialOf(graph, left), initialOf(graph, right)];
  // Two names are never one letter.
  const isClear = first !== last || left === right;
  const options = [
    left !== null && `${left} ${sign} ${right}`,
    first !== null && (first !== right || left === right) && `${first} ${sign} ${right}`,
    `${sign} ${right}`,
    first !== null && last !== null && isClear && `${first} ${sign} ${last}`,
  ];
  return options.find((text) => text !== false && fits(text)) || "";
}

/** Letters that definitions write as exponents. */
const RAISED: Readonly<Record<string, string>> = { ˣ: "x", ᵃ: "a", ᵇ: "b" };

/**
 * `x − mean`, `· w` (what stands above is left out when there is no room or no name), or nothing when it would only
 * repeat the title or would not fit.
 */
export function formulaOf(graph: Graph, node: Node, title: string): string {
  const parts = formulaParts(node.op);
  if (!parts) return "";
  const names = node.inputs.map((id) => nameOf(graph, id));
  const infix = /^(\w+) (\S+) (\w+)$/.exec(parts.formula);
  const room = BOX - ROOM_AROUND - textWidth(title, 13);
  const fits = (text: string): boolean => textWidth(text, 12, true) <= room;
  if (infix && parts.operands.includes(infix[1]!) && parts.operands.includes(infix[3]!)) {
    const sign = infix[2] === "*" ? "·" : infix[2]!.replace("-", "−");
    return infixOf(graph, names[0] ?? null, sign, names[1] ?? null, fits);
  }
  const letters = lettersOf(graph, parts, names);
  if (!letters) return "";
  const text = parts.formula
    .replace(/[A-Za-z_]\w*/g, (word) => letters.get(word) ?? word)
    .replace(/(⁻?)([ˣᵃᵇ])/g, (raised, minus: string, letter: string) => {
      const name = letters.get(RAISED[letter]!) ?? RAISED[letter]!;
      return name === RAISED[letter] ? raised : `^${minus && "−"}${name}`;
    });
  const repeats = text.startsWith(`${node.op}(`) && title === node.op;
  return !repeats && fits(text) ? text : "";
}
