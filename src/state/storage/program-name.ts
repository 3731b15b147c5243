/** @file What a program is called in a list: by its class or function, else by its first line that says something. */

const MAX = 60;

/** Lines of the text itself, not of a class, a def or a docstring in it. */
function outerLines(text: string): string[] {
  const plain = text.replace(/^\s*("""|''')[\s\S]*?\1/gm, "");
  return plain.split("\n").filter((line) => /^[^\s#)\]}]/.test(line));
}

/** Imports, decorators and switches come before what a program is about. */
const SAYS_NOTHING = /^(import|from|@|torch\.manual_seed|np\.random\.seed|if __name__)\b|^@/;

/**
 * The class or function that the text's own lines use last, or that it ends with; else its first line that says something;
 * "empty" where none does.
 */
export function programName(text: string): string {
  const lines = outerLines(text);
  const made = lines.flatMap((line) => /^(?:class|def|async def)\s+(\w+)/.exec(line)?.[1] ?? []);
  const used = lines.filter((line) => !/^(class|def|async def)\b/.test(line)).join("\n");
  const named = made.findLast((name) => new RegExp(`\\b${name}\\b`).test(used)) ?? made.at(-1);
  if (named) return named;
  const first = lines.find((line) => !SAYS_NOTHING.test(line)) ?? text.split("\n").find((line) => line.trim() !== "");
  return first?.trim().slice(0, MAX) ?? "empty";
}
