/** @file What a program consists of as a person wrote it. Apart from the links that ask for it: it reads the program. */
import { parseProgram } from "../fusion";

/** Ops and operands: a call counts once, however many parts, iterations or calls of its def there are. */
export function sourceCounts(text: string): { readonly ops: number; readonly edges: number } {
  const operands = new Map<string, number>();
  for (const { op, span, inputs } of parseProgram(text).graph.nodes.values()) {
    if (!span || op === "input" || op === "const" || op === "hole") continue;
    operands.set(`${span.from} ${span.to}`, inputs.length);
  }
  let edges = 0;
  for (const count of operands.values()) edges += count;
  return { ops: operands.size, edges };
}
