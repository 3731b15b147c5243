/** @file The short formula on an op's box, from its definition and its operands' names. */
import { nodeName, topName, type Graph, type Node, type NodeId } from "../fusion";
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

/** Every name that the drawing shows; a letter of a definition would be taken for it. */
function namesIn(graph: Graph): ReadonlySet<string> {
  const known = namesOf.get(graph);
  if (known) return known;
  const all = new Set([...graph.nodes.keys()].flatMap((id) => nameOf(graph, id) ?? []));
  namesOf.set(graph, all);
  return all;
}
const namesOf = new WeakMap<Graph, ReadonlySet<string>>();

/** What stands for the operands without a name: the definition's letters, or others where the program has those as names. */
const SPARE = ["u", "v", "w", "p", "q"] as const;

/** A definition's letters → what they are called here. */
function lettersOf(graph: Graph, operands: readonly string[], names: readonly (string | null)[]): Map<string, string> {
  const taken = namesIn(graph);
  const spare = SPARE.filter((letter) => !taken.has(letter));
  return new Map(
    operands.map((word, i) => [word, names[i] ?? (taken.has(word) ? (spare.shift() ?? word) : word)] as const),
  );
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
  if (infix && parts.operands.includes(infix[1]!) && parts.operands.includes(infix[3]!)) {
    const [left, sign, right] = [
      names[0] ?? null,
      infix[2] === "*" ? "·" : infix[2]!.replace("-", "−"),
      names[1] ?? null,
    ];
    const short = (name: string): string => (/^[A-Za-z_]/.test(name) ? name.charAt(0) : name);
    const options = left && right ? [`${left} ${sign} ${right}`, `${short(left)} ${sign} ${right}`] : [];
    if (right) options.push(`${sign} ${right}`);
    if (left && right) options.push(`${short(left)} ${sign} ${short(right)}`);
    return options.find((text) => textWidth(text, 12, true) <= room) ?? "";
  }
  const letters = lettersOf(graph, parts.operands, names);
  const text = parts.formula
    .replace(/[A-Za-z_]\w*/g, (word) => letters.get(word) ?? word)
    .replace(/(⁻?)([ˣᵃᵇ])/g, (raised, minus: string, letter: string) => {
      const name = letters.get(RAISED[letter]!) ?? RAISED[letter]!;
      return name === RAISED[letter] ? raised : `^${minus && "−"}${name}`;
    });
  const repeats = text.startsWith(`${node.op}(`) && title === node.op;
  return !repeats && textWidth(text, 12, true) <= room ? text : "";
}
