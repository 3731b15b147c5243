/**
 * @file What a branch does beside binding names: tensors that are stored over, lists that change, fields and weights that are set. Where
 * only the run knows whether it is taken, that is chosen like the values of names.
 */
import type { NodeId } from "../../ir";
import { writeInPlace } from "../calls/memory";
import type { Frame, Interpreter, Marks } from "../interpreter";
import { rebind, replace, setWeight } from "../objects/parameters";
import { setField } from "../objects/fields";
import type { Expr, Statement } from "../reading/syntax";
import { change } from "../values/grown";
import { type Named, type ObjectInfo, type Scope, tensorValue, type Value } from "../values/values";
import { chosenOf } from "./chosen";
import { underName } from "./targets";

/** What was done since a moment, each thing as it ended. */
export interface Effects {
  /** Tensors that were stored over. */
  readonly tensors: ReadonlyMap<Value, Value>;
  /** Lists and dictionaries that changed. */
  readonly lists: ReadonlyMap<Value, Value>;
  readonly fields: ReadonlyMap<ObjectInfo, ReadonlyMap<string, Value>>;
  /** Names of scopes around the def that bound them. */
  readonly names: ReadonlyMap<Scope, ReadonlyMap<string, Value>>;
  readonly weights: ReadonlyMap<Named, ReadonlyMap<string, NodeId>>;
  /** What training moves, and the next values. */
  readonly moved: ReadonlyMap<NodeId, NodeId>;
}

export const NO_EFFECTS: Effects = {
  tensors: new Map(),
  lists: new Map(),
  fields: new Map(),
  names: new Map(),
  weights: new Map(),
  moved: new Map(),
};

/** The moment now. */
export const marksOf = ({
  nodes,
  memory,
  grown,
  fieldWrites,
  outerWrites,
  weightWrites,
  optimizing,
}: Interpreter): Marks => ({
  nodes: nodes.size,
  later: memory?.later.size ?? 0,
  grown: grown.size,
  fields: fieldWrites.length,
  names: outerWrites.length,
  weights: weightWrites.length,
  replaced: new Map(optimizing.replaced),
  first: new Map(optimizing.first),
});

/** What each value that `map` has got since it had `size` entries ended as; those entries go. */
function takeLater(map: Map<Value, Value> | undefined, size: number): Map<Value, Value> {
  const own = new Map([...(map ?? [])].slice(size));
  const nexts = new Set(own.values());
  const ends = new Map<Value, Value>();
  for (const was of own.keys()) {
    map!.delete(was);
    if (nexts.has(was)) continue;
    let now = was;
    for (let next = own.get(now); next; next = own.get(now)) now = next;
    ends.set(was, now);
  }
  return ends;
}

function grouped<K, V>(entries: readonly (readonly [K, string, V])[]): Map<K, Map<string, V>> {
  const all = new Map<K, Map<string, V>>();
  for (const [of, key, value] of entries) all.set(of, (all.get(of) ?? new Map<string, V>()).set(key, value));
  return all;
}

/** Puts `map` back to what it was, and tells what it had otherwise. */
function takeMoved(map: Map<NodeId, NodeId>, was: ReadonlyMap<NodeId, NodeId>): Map<NodeId, NodeId> {
  const moved = new Map([...map].filter(([id, value]) => was.get(id) !== value));
  map.clear();
  for (const [id, value] of was) map.set(id, value);
  return moved;
}

/** What a value that a name was given is now. */
export function standsFor({ memory, grown }: Interpreter, value: Value): Value {
  let now = value;
  for (let next = memory?.later.get(now) ?? grown.get(now); next; next = memory?.later.get(now) ?? grown.get(now))
    now = next;
  return now;
}

/** What was done since `marks`; it is undone. */
export function takeEffects(interpreter: Interpreter, marks: Marks): Effects {
  const { nodes, memory, grown, fieldWrites, outerWrites, weightWrites, optimizing } = interpreter;
  const tensors = takeLater(memory?.later, marks.later);
  if (tensors.size > 0) {
    const before = new Set([...nodes.keys()].slice(0, marks.nodes));
    for (const was of tensors.keys()) if (was.kind === "tensor" && !before.has(was.node)) tensors.delete(was);
  }
  const fields = grouped(
    fieldWrites.slice(marks.fields).flatMap(({ object, name }) => {
      const value = object.fields.get(name);
      return value ? [[object, name, value] as const] : [];
    }),
  );
  for (const { object, name, before } of fieldWrites.splice(marks.fields).reverse())
    if (before) object.fields.set(name, before);
    else object.fields.delete(name);
  const names = grouped(
    outerWrites.slice(marks.names).flatMap(({ scope, name }) => {
      const value = scope.names.get(name)?.at(-1)?.value;
      return value ? [[scope, name, value] as const] : [];
    }),
  );
  for (const { scope, name, count } of outerWrites.splice(marks.names).reverse()) scope.keepFirst(name, count);
  const weights = grouped(
    weightWrites.slice(marks.weights).map(({ named, key }) => [named, key, named.weights.get(key)!] as const),
  );
  for (const { named, key, before } of weightWrites.splice(marks.weights).reverse())
    if (before === undefined) named.weights.delete(key);
    else named.weights.set(key, before);
  const moved = takeMoved(optimizing.replaced, marks.replaced);
  takeMoved(optimizing.first, marks.first);
  return { tensors, lists: takeLater(grown, marks.grown), fields, names, weights, moved };
}

/** What chooses, and where that stands. */
export interface Choice {
  readonly frame: Frame;
  readonly statement: Statement;
  readonly test: { readonly node: NodeId; readonly expr: Expr };
  /** Lists that are only grown and never read. */
  readonly told: ReadonlySet<Value>;
}

const union = <K>(a: ReadonlyMap<K, unknown>, b: ReadonlyMap<K, unknown>): ReadonlySet<K> =>
  new Set([...a.keys(), ...b.keys()]);

/** Does what `test` chooses of both, what names have been given aside. Answers what can't be chosen for, in words, or null. */
export function chooseEffects(
  interpreter: Interpreter,
  { frame, statement, test, told }: Choice,
  [yes, no]: readonly [Effects, Effects],
): string | null {
  const known = new Map<Value, Map<Value, Value | null>>();
  const choose = (a: Value, b: Value): Value | null => {
    const before = known.get(a)?.get(b);
    if (before !== undefined) return before;
    const value = underName(interpreter, frame, statement, "_", (run) =>
      chosenOf(interpreter, run, test, [a, b], run.root),
    );
    known.set(a, (known.get(a) ?? new Map<Value, Value | null>()).set(b, value));
    return value;
  };
  return (
    chooseTensors(interpreter, { frame, statement, test, told }, [yes, no], choose) ??
    chooseLists(interpreter, told, [yes, no], choose) ??
    chooseFields(interpreter, [yes, no], choose) ??
    chooseNames(interpreter, [yes, no], choose) ??
    chooseWeights(interpreter, frame, [yes, no], choose)
  );
}

type Choose = (a: Value, b: Value) => Value | null;

function chooseTensors(
  interpreter: Interpreter,
  { frame, statement, test }: Choice,
  [yes, no]: readonly [Effects, Effects],
  choose: Choose,
): string | null {
  const { memory } = interpreter;
  const all = union(yes.tensors, no.tensors);
  for (const was of all) {
    const base = memory!.views.get(was)?.base;
    // What shows a part of another tensor changes with that.
    if (memory!.later.has(was) || (base && all.has(base))) continue;
    const value = choose(yes.tensors.get(was) ?? was, no.tensors.get(was) ?? was);
    if (!value) return "write tensors of one shape";
    underName(interpreter, frame, statement, "_", (run) => writeInPlace(interpreter, run, test.expr, was, value));
    for (const end of endsOf(was, yes.tensors, no.tensors))
      if (end !== value && !memory!.later.has(end)) memory!.later.set(end, value);
  }
  return null;
}

/** What a value ended as, where that is another: names may stand for it. */
const endsOf = (was: Value, ...ways: readonly ReadonlyMap<Value, Value>[]): readonly Value[] =>
  ways.flatMap((way) => way.get(was) ?? []).filter((end) => end !== was);

function chooseLists(
  interpreter: Interpreter,
  told: ReadonlySet<Value>,
  [yes, no]: readonly [Effects, Effects],
  choose: Choose,
): string | null {
  for (const was of union(yes.lists, no.lists)) {
    if (told.has(was) || interpreter.grown.has(was)) continue;
    const value = choose(yes.lists.get(was) ?? was, no.lists.get(was) ?? was);
    if (!value) return "leave a list or a dictionary with the same entries";
    change(interpreter, was, value);
    for (const end of endsOf(was, yes.lists, no.lists)) change(interpreter, end, value);
  }
  return null;
}

function chooseFields(interpreter: Interpreter, [yes, no]: readonly [Effects, Effects], choose: Choose): string | null {
  for (const object of union(yes.fields, no.fields)) {
    const [a, b] = [yes, no].map(({ fields }) => fields.get(object) ?? new Map<string, Value>());
    for (const name of union(a!, b!)) {
      const before = object.fields.get(name);
      const [one, other] = [a!.get(name) ?? before, b!.get(name) ?? before];
      const value = one && other ? choose(one, other) : (one ?? other)!;
      if (!value) return `leave \`.${name}\` in one shape`;
      setField(interpreter, object, name, value);
    }
  }
  return null;
}

function chooseNames(interpreter: Interpreter, [yes, no]: readonly [Effects, Effects], choose: Choose): string | null {
  for (const scope of union(yes.names, no.names)) {
    const [a, b] = [yes, no].map(({ names }) => names.get(scope) ?? new Map<string, Value>());
    for (const name of union(a!, b!)) {
      const before = scope.names.get(name)?.at(-1);
      const [one, other] = [a!.get(name) ?? before?.value, b!.get(name) ?? before?.value];
      const value = one && other ? choose(one, other) : null;
      if (!value || !before) return `leave \`${name}\` in one shape`;
      interpreter.outerWrites.push({ scope, name, count: scope.names.get(name)!.length });
      scope.bind(name, { step: ++interpreter.step, value, symbol: before.symbol });
    }
  }
  return null;
}

function chooseWeights(
  interpreter: Interpreter,
  frame: Frame,
  [yes, no]: readonly [Effects, Effects],
  choose: Choose,
): string | null {
  const chosen = (a: NodeId, b: NodeId): NodeId => {
    const value = a === b ? null : choose(nodeValue(a), nodeValue(b));
    return value?.kind === "tensor" ? value.node : a;
  };
  const values = new Map<NodeId, Value>();
  const nodeValue = (id: NodeId): Value => {
    const value = values.get(id) ?? tensorValue(id);
    values.set(id, value);
    return value;
  };
  for (const named of union(yes.weights, no.weights)) {
    const [a, b] = [yes, no].map(({ weights }) => weights.get(named) ?? new Map<string, NodeId>());
    for (const key of union(a!, b!)) {
      const before = named.weights.get(key);
      const [one, other] = [a!.get(key) ?? before, b!.get(key) ?? before];
      if (one === undefined || other === undefined) return "make the same weights";
      setWeight(interpreter, named, key, chosen(one, other));
    }
  }
  for (const first of union(yes.moved, no.moved)) {
    const before = interpreter.optimizing.replaced.get(first) ?? first;
    const now = chosen(yes.moved.get(first) ?? before, no.moved.get(first) ?? before);
    replace(interpreter, before, now);
    rebind(interpreter, frame, before, now);
  }
  return null;
}
