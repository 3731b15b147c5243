/** @file Loops that end by themselves: `for (var i = 0u; i < 64u; i += 2u)` with nothing else that writes i. */
import { closing, next, type Token } from "./scan";
import { wholeNumber } from "./shape";

export interface TextLoop {
  /** Token index of the keyword. */
  readonly at: number;
  /** Token indices of the body's brackets. */
  readonly open: number;
  readonly close: number;
  /** Iterations at most; null where the text does not tell. */
  readonly trips: number | null;
}

const ASSIGNS = new Set(["=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"]);
/** Above this, a step past the end could wrap around. */
const HALF = 2 ** 30;

/** Something in these tokens writes `name`, or takes its address. */
function writes(tokens: readonly Token[], from: number, to: number, name: string): boolean {
  for (let at = from; at < to; at++) {
    if (tokens[at]!.text !== name) continue;
    const [before, after] = [tokens[at - 1]?.text ?? "", tokens[at + 1]?.text ?? ""];
    if (ASSIGNS.has(after) || before === "&" || before === "++" || before === "--") return true;
  }
  return false;
}

function tripsOf(
  tokens: readonly Token[],
  header: number,
  open: number,
  close: number,
  constants: ReadonlyMap<string, number>,
): number | null {
  const first = next(tokens, ";", header);
  const second = next(tokens, ";", first + 1);
  const words = (from: number, to: number) => tokens.slice(from, to).map(({ text }) => text);
  const init = words(header + 1, first);
  const test = words(first + 1, second);
  const step = words(second + 1, closing(tokens, header));
  const name = init[1];
  if (init[0] !== "var" || name === undefined || test.length !== 3 || test[0] !== name || step[0] !== name) return null;
  const type = init[2] === ":" ? init[3] : undefined;
  const value = init.slice(init.indexOf("=") + 1);
  const start = value.length === 1 ? wholeNumber(value[0], constants) : null;
  const unsigned =
    type === "u32" || (type === undefined && (value.length === 1 ? value[0]!.endsWith("u") : test[2]!.endsWith("u")));
  const end = wholeNumber(test[2], constants);
  const by =
    step[1] === "++" && step.length === 2
      ? 1
      : step[1] === "+=" && step.length === 3
        ? wholeNumber(step[2], constants)
        : null;
  if ((start === null && !unsigned) || end === null || by === null || by < 1 || end > HALF || by > HALF) return null;
  if (test[1] !== "<" && test[1] !== "<=") return null;
  if (writes(tokens, open + 1, close, name)) return null;
  return Math.max(0, Math.ceil((end + (test[1] === "<=" ? 1 : 0) - (start ?? 0)) / by));
}

/** Every loop between two tokens, outer ones first. A loop's condition has no braces, so its body begins at the next one. */
export function loopsIn(
  tokens: readonly Token[],
  from: number,
  to: number,
  constants: ReadonlyMap<string, number>,
): TextLoop[] {
  const found: TextLoop[] = [];
  for (let at = from; at < to; at++) {
    const { text } = tokens[at]!;
    if (text !== "for" && text !== "while" && text !== "loop") continue;
    const header = text === "for" ? next(tokens, "(", at) : at;
    const open = next(tokens, "{", text === "for" && header < tokens.length ? closing(tokens, header) : at);
    const close = open < tokens.length ? closing(tokens, open) : tokens.length;
    const trips = text === "for" && close < tokens.length ? tripsOf(tokens, header, open, close, constants) : null;
    found.push({ at, open, close, trips });
  }
  return found;
}
