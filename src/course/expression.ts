/** @file A small language for checks and for numbers in prose: `kernels <= 2 and bytes <= 12 MiB`, `naive.bytes / bytes`. */

export type Value = number | boolean;
/** Names may have dots. A function gets names of values of the program, written bare: `fused(a, b)`. */
export interface Scope {
  number(name: string): Value | null;
  call(name: string, names: readonly string[]): Value | null;
}

const UNITS: Readonly<Record<string, number>> = {
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
};
const TOKEN = /\s*(?:(\d+(?:\.\d+)?)|([A-Za-z_][\w.]*)|(<=|>=|==|!=|[<>+\-*/(),]))/y;

/** The tightest last. */
const LEVELS: readonly (readonly string[])[] = [
  ["or"],
  ["and"],
  ["<=", ">=", "==", "!=", "<", ">"],
  ["+", "-"],
  ["*", "/"],
];

/** What is wrong with an expression: a fault of the lesson, met by its test. */
export class ExpressionError extends Error {}

function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.trimEnd().length) {
    const at = TOKEN.lastIndex;
    const found = TOKEN.exec(text);
    if (!found) throw new ExpressionError(`\`${text.slice(at).trim()}\` can't be read in \`${text}\`.`);
    tokens.push(found[1] ?? found[2] ?? found[3]!);
  }
  return tokens;
}

const OPERATORS: Readonly<Record<string, (a: Value, b: Value) => Value>> = {
  or: (a, b) => Boolean(a) || Boolean(b),
  and: (a, b) => Boolean(a) && Boolean(b),
  "<=": (a, b) => a <= b,
  ">=": (a, b) => a >= b,
  "==": (a, b) => a === b,
  "!=": (a, b) => a !== b,
  "<": (a, b) => a < b,
  ">": (a, b) => a > b,
  "+": (a, b) => Number(a) + Number(b),
  "-": (a, b) => Number(a) - Number(b),
  "*": (a, b) => Number(a) * Number(b),
  "/": (a, b) => Number(a) / Number(b),
};

/**
 * The value of `text` in `scope`.
 * @throws ExpressionError where it can't be read, or names something that the scope does not know
 */
export function evaluate(text: string, scope: Scope): Value {
  const tokens = tokensOf(text);
  let at = 0;
  const fail = (wanted: string): never => {
    throw new ExpressionError(`${wanted} is missing at \`${tokens.slice(at).join(" ")}\` in \`${text}\`.`);
  };
  const level = (depth: number): Value => {
    const operators = LEVELS[depth];
    if (!operators) return single();
    let left = level(depth + 1);
    while (operators.includes(tokens[at] ?? "")) {
      const operator = OPERATORS[tokens[at++]!]!;
      left = operator(left, level(depth + 1));
    }
    return left;
  };
  const names = (): string[] => {
    const found: string[] = [];
    while (tokens[at] !== ")") {
      if (found.length > 0 && tokens[at++] !== ",") fail("A comma");
      found.push(tokens[at++] ?? fail("A name"));
    }
    at++;
    return found;
  };
  const single = (): Value => {
    const token = tokens[at++] ?? fail("A value");
    if (token === "not") return !single();
    if (token === "-") return -Number(single());
    if (token === "(") {
      const inner = level(0);
      if (tokens[at++] !== ")") fail("A closing bracket");
      return inner;
    }
    if (/^\d/.test(token)) return Number(token) * unit();
    if (!/^[A-Za-z_]/.test(token)) return fail("A value");
    const isCall = tokens[at] === "(";
    if (isCall) at++;
    const value = isCall ? scope.call(token, names()) : scope.number(token);
    if (value === null) throw new ExpressionError(`\`${token}\` is not known in \`${text}\`.`);
    return value;
  };
  const unit = (): number => {
    const factor = UNITS[tokens[at] ?? ""];
    if (factor === undefined) return 1;
    at++;
    return factor;
  };
  const value = level(0);
  if (at < tokens.length) fail("An operator");
  return value;
}
