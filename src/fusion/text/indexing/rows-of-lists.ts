/** @file `hs[t]` while one iteration stands for all of a loop's: what the list has there in each, where these are rows of one tensor. */
import { applyParts } from "../calls/apply";
import type { Interpreter, StatementRun } from "../interpreter";
import type { SubscriptExpr } from "../reading/syntax";
import { longestStart } from "../statements/any-iteration";
import { rowIn } from "../statements/loop-rows";
import { branchAlike, leavesOf, mapLeaves } from "../values/trees";
import { tensorValue, type Operand, type Value } from "../values/values";

/** How the row of a tensor follows from the index of a list. */
interface Follows {
  readonly whole: Operand;
  readonly axis: number;
  /** The row is that much more than the index, or, backwards, than what is left of nothing when the index is taken away. */
  readonly plus: number;
  readonly backwards: boolean;
}

/** What one leaf is in all of the first iterations: the same value, or a row that follows from the index. */
type Leaf = { readonly same: Operand } | Follows;

function followed(interpreter: Interpreter, leaves: readonly Operand[], indices: readonly number[]): Leaf | null {
  const [first] = leaves as [Operand];
  const isSame = ({ value }: Operand): boolean =>
    value === first.value ||
    (value.kind === "tensor" && first.value.kind === "tensor" && value.node === first.value.node);
  if (leaves.every(isSame)) return { same: first };
  const rows = leaves.map(({ value }) => (value.kind === "tensor" ? rowIn(interpreter, value.node) : null));
  const [source] = rows;
  if (!source || rows.some((row) => row?.node !== source.node || row.axis !== source.axis)) return null;
  const whole = { ...first, value: tensorValue(source.node) };
  const found = [false, true].map((backwards): Follows => {
    const plus = source.at + (backwards ? indices[0]! : -indices[0]!);
    return { whole, axis: source.axis, plus, backwards };
  });
  const follows = ({ plus, backwards }: Follows): boolean =>
    rows.every((row, turn) => row!.at === plus + (backwards ? -indices[turn]! : indices[turn]!));
  return found.find(follows) ?? null;
}

/**
 * The item of a list at an index that hangs on the iteration's number alone. Where only the items of some first iterations are rows of one
 * tensor, these are noted in `alike`; null where not even those of the first two are.
 * @param index a whole number, a tensor of no axes
 */
export function itemInAnyIteration(
  interpreter: Interpreter,
  run: StatementRun,
  { expr, path }: { readonly expr: SubscriptExpr; readonly path: string },
  items: readonly Operand[],
  index: Operand,
): Value | null {
  const { anyIteration } = interpreter;
  const indices = index.value.kind === "tensor" ? anyIteration?.numbersOf(index.value.node) : null;
  if (!anyIteration || !indices) return null;
  const all = indices.map((at) => items.at(at));
  const found = all.filter((item) => item !== undefined);
  if (found.length < all.length) return null;
  const [first] = found as [Operand];
  const count = leavesOf(first).length;
  const inFirst = (turns: number): readonly Leaf[] | null => {
    const some = found.slice(0, turns);
    if (some.some((item) => !branchAlike(first.value, item.value))) return null;
    const leaves = some.map(leavesOf);
    const each = Array.from({ length: count }, (_, at) =>
      followed(
        interpreter,
        leaves.map((own) => own[at]!),
        indices,
      ),
    );
    return each.every((leaf) => leaf !== null) ? each : null;
  };
  const least = longestStart(found.length, (turns) => inFirst(turns) !== null);
  const leaves = least > 1 ? inFirst(least) : null;
  if (!leaves) return null;
  anyIteration.alike = Math.min(anyIteration.alike, least);
  return mapLeaves(first, (leaf, at) => {
    const said = leaves[at]!;
    return "same" in said ? said.same : { ...leaf, value: rowOf(interpreter, run, { expr, path, index }, said, at) };
  }).value;
}

interface Asked {
  readonly expr: SubscriptExpr;
  readonly path: string;
  readonly index: Operand;
}

const rowOf = (
  interpreter: Interpreter,
  run: StatementRun,
  { expr, path, index }: Asked,
  { whole, axis, plus, backwards }: Follows,
  at: number,
): Value =>
  applyParts(
    interpreter,
    run,
    { path: at === 0 ? path : `${path}.${at}`, expr, label: "index" },
    [whole, index],
    (b, [rows, number]) => {
      const first = b.scalar(plus, "i32");
      const row = backwards ? b.op("row", "sub", [first, number!]) : b.op("row", "add", [number!, first]);
      return b.op("gather", "gather", [rows!, plus === 0 && !backwards ? number! : row], { axis });
    },
  );
