/** @file What an iteration carries on: names and fields of objects that hold another value after it than before it, and entries that the first one makes. */
import { type Attrs, isInput, type NodeId, type Span, type TensorType } from "../../ir";
import { type Frame, type Interpreter, type Moment, typeOf } from "../interpreter";
import { labelOf } from "../layers/weights";
import { setField } from "../objects/fields";
import { setWeight } from "../objects/parameters";
import { bare, bodiesOf, everyStatement, expressionsOf, rootsOf, type Statement, walk } from "../reading/syntax";
import { latest, madeAs } from "../values/grown";
import { entryUnder } from "../reading/strings";
import {
  type Binding,
  type ObjectInfo,
  type Operand,
  type Scope,
  type SymbolRecord,
  tensorValue,
  type Value,
} from "../values/values";
import { startAttrs } from "./starting-values";
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

/** What a value has become where it is: a list that grew, a tensor that was stored over. */
function nowOf(interpreter: Interpreter, value: Value): Value {
  let found = latest(interpreter, value);
  for (let next = interpreter.memory?.later.get(found); next; next = interpreter.memory?.later.get(found)) found = next;
  return found;
}

/** What names and fields hold now. */
export function momentOf(interpreter: Interpreter, frame: Frame): Moment {
  const { fieldWrites, weightWrites, optimizing } = interpreter;
  const names = [...scopesOf(frame)].map((scope) => {
    const now = [...scope.names].flatMap(([name, history]): [string, Binding][] => {
      const last = history.at(-1);
      return last ? [[name, { ...last, value: nowOf(interpreter, last.value) }]] : [];
    });
    return [scope, new Map(now)] as const;
  });
  const objects = new Set(names.flatMap(([, of]) => [...of.values()].flatMap(({ value }) => objectsIn(value))));
  for (const object of objects)
    for (const value of object.fields.values()) for (const inside of objectsIn(value)) objects.add(inside);
  const held = [...objects].flatMap((object) =>
    [...object.fields].flatMap(([name, value]) =>
      HELD.has(value.kind) ? [{ object, name, value: nowOf(interpreter, value) }] : [],
    ),
  );
  return {
    names,
    held,
    fields: fieldWrites.length,
    weights: weightWrites.length,
    moved: new Map(optimizing.replaced),
  };
}

/** What changes where it is, so that a field holds something else without being set. */
const HELD: ReadonlySet<Value["kind"]> = new Set(["tensor", "sequence", "dict"]);

/** Objects that a value is, or holds in lists. */
function objectsIn(value: Value): readonly ObjectInfo[] {
  if (value.kind === "object") return [value.object];
  if (value.kind === "sequence") return value.items.flatMap((item) => objectsIn(item.value));
  return value.kind === "dict" ? [...value.entries.values()].flatMap((item) => objectsIn(item.value)) : [];
}

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
      const now = (): Value | undefined => {
        const value = scope.names.get(name)?.at(-1)?.value;
        return value && nowOf(interpreter, value);
      };
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
    return [{ home: fieldHome(interpreter, object, name), from, to }];
  });
  const ofLists = before.held.flatMap(({ object, name, value: from }): Changed[] => {
    const to = nowOf(interpreter, object.fields.get(name) ?? from);
    if (to === from || seen.get(object)?.has(name)) return [];
    return [{ home: fieldHome(interpreter, object, name), from, to }];
  });
  return [...ofNames, ...ofFields, ...ofLists, ...buffersSince(interpreter, before)];
}

/** Weights that nothing trains and that were written over, such as the running means of a norm. */
const buffersSince = (interpreter: Interpreter, { weights }: Moment): readonly Changed[] =>
  interpreter.weightWrites.slice(weights).flatMap(({ named, key, before }): Changed[] => {
    const began = before === undefined ? undefined : interpreter.nodes.get(before);
    if (!began || !isInput(began) || !interpreter.weightOf.get(began.id)?.buffer) return [];
    const now = (): Value => tensorValue(named.weights.get(key)!);
    const put = (value: Value): void => {
      if (value.kind === "tensor") setWeight(interpreter, named, key, value.node);
    };
    return [{ home: { name: key, now, put, isRead: () => false }, from: tensorValue(began.id), to: now() }];
  });

const fieldHome = (interpreter: Interpreter, object: ObjectInfo, name: string): Home => ({
  name: `${object.name ?? labelOf(object)}.${name}`,
  now: () => {
    const value = object.fields.get(name);
    return value && nowOf(interpreter, value);
  },
  put: (value) => setField(interpreter, object, name, value),
  isRead: () => name.startsWith("_") || readsField(interpreter, name),
});

/** Whether the text reads a field of this name anywhere. */
const readsField = ({ statements }: Interpreter, field: string): boolean =>
  [...expressionsOf(statements), ...updatedIn(statements)].some(
    (expr) => expr.kind === "member" && expr.name.text === field,
  );

const updatedIn = (statements: readonly Statement[]) =>
  [...everyStatement(statements)].flatMap((each) => (each.kind === "update" ? [...walk(bare(each.target))] : []));

/** A state that has to be made. */
export type MakeState = (state: { readonly label: string; readonly type: TensorType; readonly start: Attrs }) => NodeId;

type Dict = Extract<Value, { kind: "dict" }>;
type Leaf = (make: MakeState) => Value;

/** How a value begins: what is known or an input is itself, and what begins evenly becomes a state; null of anything else. */
function leafOf(interpreter: Interpreter, value: Value, label: string): Leaf | null {
  if (value.kind === "number" || value.kind === "bool" || value.kind === "none" || value.kind === "string")
    return () => value;
  if (value.kind !== "tensor") return null;
  const { node } = value;
  if (isInput(interpreter.nodes.get(node)!) && !interpreter.drawn.has(node)) return () => value;
  const start = startAttrs(interpreter, node);
  const type = typeOf(interpreter, node);
  return start && ((make) => tensorValue(make({ label, type, start })));
}

/**
 * The dictionary `from`, as `if len(state) == 0: state["exp_avg"] = zeros_like(p)` fills it: with the entries that were made in it since there were `made` of them, as they began.
 * @returns null where none were, or one begins as something that only an iteration knows
 */
export function withFirstEntries(
  interpreter: Interpreter,
  from: Dict,
  made: number,
  label: string,
): ((make: MakeState) => Dict) | null {
  const of = madeAs(interpreter, from);
  const own = interpreter.madeEntries
    .slice(made)
    .filter((each) => madeAs(interpreter, each.of) === of && !from.entries.has(each.word));
  const first = own.filter(({ word }, i) => own.findIndex((each) => each.word === word) === i);
  const parts = first.map(({ key, word, value }) => {
    const inside = `${label}.${word.replace(/^tensor /, "")}`;
    const leaf =
      value.kind === "dict" ? withFirstEntries(interpreter, value, made, inside) : leafOf(interpreter, value, inside);
    return leaf && { key, word, leaf: leaf as Leaf };
  });
  if (parts.length === 0 || parts.includes(null)) return null;
  return (make) => {
    const entries = parts.map((part): [string, Operand] => [
      part!.word,
      entryUnder(part!.key, { value: part!.leaf(make), path: "", expr: null }),
    ]);
    return { ...from, entries: new Map([...from.entries, ...entries]) };
  };
}
