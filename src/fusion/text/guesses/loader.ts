/**
 * @file A pasted training loop whose data is not here, `for x, y in train_loader:`: the data sets that ship with the page stand in for
 * it, each in the shapes that it is usually read in, and the one that the model reads with the fewest mistakes is offered.
 */
import { dataSets, usualTypes } from "../../datasets";
import { showType, type TextEdit } from "../../ir";
import type { Interpreter } from "../interpreter";
import { everyStatement, expressionsOf } from "../reading/syntax";
import { differentiates } from "../statements/training-loop";
import { fitting, type Program } from "./fitting";

interface LoaderFix {
  readonly title: string;
  readonly edits: readonly TextEdit[];
}

/** Names that the text uses for nothing. */
function freeNames({ statements }: Program): (wanted: string) => string {
  const taken = new Set(expressionsOf(statements).flatMap((expr) => (expr.kind === "name" ? [expr.name] : [])));
  return (wanted) => {
    let name = wanted;
    for (let again = 2; taken.has(name); again++) name = `${wanted}_${again}`;
    return name;
  };
}

/** Declares batches of a data set and gives them the name `loader`; null where no set makes fewer mistakes than the text has now. */
function loaderFix(program: Program, loader: string): LoaderFix | null {
  const { text, read } = program;
  const free = freeNames(program);
  const choices = dataSets.flatMap(({ name, parts: [seen, wanted] }) =>
    usualTypes(name, seen.name).flatMap((type) =>
      usualTypes(name, wanted.name).map((label) => {
        const [x, y] = [free(seen.name), free(wanted.name)];
        const declared = [
          `${x}: ${showType(type)} = data("${name}", "${seen.name}")`,
          `${y}: ${showType(label)} = data("${name}", "${wanted.name}")`,
        ];
        return `${declared.join("\n")}\n${loader} = [(${x}, ${y})]\n\n`;
      }),
    ),
  );
  const mistakesNow = read(text).mistakes;
  const [best] = fitting([choices], ([chosen]) => read(`${chosen}${text}`));
  if (read(`${best}${text}`).mistakes >= mistakesNow) return null;
  const set = dataSets.find(({ name }) => best!.includes(`"${name}"`))!;
  return {
    title: `Read batches of ${set.name} instead`,
    edits: [{ span: { from: 0, to: 0 }, insert: best! }],
  };
}

/** What a training loop goes through and the text does not have: a data set can replace it. */
export function offerData(interpreter: Interpreter, read: Program["read"]): void {
  const { text, statements, diagnostics, stopped } = interpreter;
  if (stopped || !differentiates(interpreter) || ![...everyStatement(statements)].some(({ kind }) => kind === "for"))
    return;
  let offered = false;
  diagnostics.change("unknown-name", ({ span, text: said, fixes = [] }) => {
    const name = text.slice(span.from, span.to);
    const fix = offered ? null : loaderFix({ text, statements, read }, name);
    if (!fix) return { text: said };
    offered = true;
    return {
      code: "missing-data",
      text: `\`${name}\` is not here. A program is one step of training: declare its batch as inputs, from a data set that ships with the page or of your own.`,
      fixes: [fix, ...fixes],
    };
  });
}
