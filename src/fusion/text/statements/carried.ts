/** @file What an iteration carries on: names and fields of objects that hold another value after it than before it. */
import type { Span } from "../../ir";
import type { Frame, Interpreter, Moment } from "../interpreter";
import { labelOf } from "../layers/weights";
import { setField } from "../objects/fields";
import { bare, bodiesOf, everyStatement, expressionsOf, rootsOf, type Statement, walk } from "../reading/syntax";
import type { ObjectInfo, Scope, SymbolRecord, Value } from "../values/values";
import { onlyTells } from "./telling";

/** Where a value lies that the next iteration finds. */
export interface Home {
  /** What the program calls it. */
  readonly name: string;
  readonly now: () => Value | undefined;
  readonly put: (value: Value) => void;
  /** Whether the loop reads what it held before. */
  readonly isRead: () => boolean;
}

/** A home with what it held. */
export interface Changed {
  readonly home: Home;
  readonly from: Value;
  readonly to: Value;
}

/** A scope and those around it. */
export function* scopesOf(frame: Frame): Generator<Scope> {
  for (let scope: Scope | null = frame.scope; scope; scope = scope.parent) yield scope;
}

/** What names and fields hold now. */
export const momentOf = ({ fieldWrites, optimizing }: Interpreter, frame: Frame): Moment => ({
  names: [...scopesOf(frame)].map((scope) => [
    scope,
    new Map([...scope.names].flatMap(([name, history]) => (history.length > 0 ? [[name, history.at(-1)!]] : []))),
  ]),
  fields: fieldWrites.length,
  moved: new Map(optimizing.replaced),
});

const isInside = ({ from, to }: Span, around: Span): boolean => from >= around.from && to <= around.to;

/** Spans of `body` that only tell something: what they read changes nothing. */
function tellingSpans(body: readonly Statement[]): readonly Span[] {
  return [...everyStatement(body)].flatMap((each) => {
    if (!onlyTells([each])) return [];
    return each.kind === "if" ? rootsOf(each).map(({ span }) => span) : [each.span];
  });
}

/** Whether the loop reads a name here, itself or in a function that it may call, for more than to tell it. */
export function readIn({ statements }: Interpreter, loop: Statement): (symbol: SymbolRecord) => boolean {
  const telling = tellingSpans(bodiesOf(loop)[0]!);
  const defs = [...everyStatement(statements)].flatMap(({ kind, span }) =>
    (kind === "def" || kind === "class") && !isInside(loop.span, span) ? [span] : [],
  );
  const counts = (use: Span): boolean =>
    (isInside(use, loop.span) && !telling.some((span) => isInside(use, span))) ||
    defs.some((span) => isInside(use, span));
  return ({ uses }) => uses.some(counts);
}

const isGrown = (from: Value, to: Value): boolean =>
  from.kind === "sequence" &&
  to.kind === "sequence" &&
  to.items.length > from.items.length &&
  from.items.every((item, i) => item.value === to.items[i]!.value);

/** Names and fields that hold another value than at `before`, from the innermost scope out. */
export function changedSince(interpreter: Interpreter, before: Moment, loop: Statement): readonly Changed[] {
  const isRead = readIn(interpreter, loop);
  const ofNames = before.names.flatMap(([scope, names]) =>
    [...names].flatMap(([name, { value: from, symbol }]): Changed[] => {
      const now = (): Value | undefined => scope.names.get(name)?.at(-1)?.value;
      const to = now();
      const put = (value: Value): void => scope.bind(name, { step: ++interpreter.step, value, symbol });
      if (!to || to === from) return [];
      // What a list is after it has grown is what the next iteration finds.
      const grown = isGrown(from, to) ? scope.names.get(name)!.at(-1)!.symbol : symbol;
      return [{ home: { name, now, put, isRead: () => isRead(symbol) || isRead(grown) }, from, to }];
    }),
  );
  const seen = new Map<ObjectInfo, Set<string>>();
  const ofFields = interpreter.fieldWrites.slice(before.fields).flatMap(({ object, name, before: from }): Changed[] => {
    const known = seen.get(object) ?? new Set();
    seen.set(object, known);
    const isKnown = known.has(name);
    known.add(name);
    const to = object.fields.get(name);
    if (isKnown || !from || !to || from === to) return [];
    const home: Home = {
      name: `${object.name ?? labelOf(object)}.${name}`,
      now: () => object.fields.get(name),
      put: (value) => setField(interpreter, object, name, value),
      isRead: () => readsField(interpreter, name),
    };
    return [{ home, from, to }];
  });
  return [...ofNames, ...ofFields];
}

/** Whether the text reads a field of this name anywhere. */
const readsField = ({ statements }: Interpreter, field: string): boolean =>
  [...expressionsOf(statements), ...updatedIn(statements)].some(
    (expr) => expr.kind === "member" && expr.name.text === field,
  );

const updatedIn = (statements: readonly Statement[]) =>
  [...everyStatement(statements)].flatMap((each) => (each.kind === "update" ? [...walk(bare(each.target))] : []));
