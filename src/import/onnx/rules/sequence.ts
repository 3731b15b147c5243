/** @file Lists of values and values that may be missing: bookkeeping while importing, of which nothing stays in the text. */
import type { Value } from "../emit";
import type { NodeContext, Rules } from "../rule";

/** A place in a list of `count`; negative ones count from the end. */
function placeOf(c: NodeContext, i: number, count: number): number {
  const at = c.known(i, "place")[0] ?? 0;
  return at < 0 ? at + count : at;
}

function at(c: NodeContext): Value {
  const items = c.items(0);
  return items[placeOf(c, 1, items.length)] ?? c.fail("a place outside of a list");
}

function insert(c: NodeContext): Value {
  const items = c.items(0);
  const place = c.maybe(2) ? placeOf(c, 2, items.length) : items.length;
  return c.emit.list(items.toSpliced(place, 0, c.in(1)));
}

function erase(c: NodeContext): Value {
  const items = c.items(0);
  return c.emit.list(items.toSpliced(c.maybe(1) ? placeOf(c, 1, items.length) : items.length - 1, 1));
}

const withAxis = (c: NodeContext, x: Value, axis: number): Value => c.reshape(x, x.type.shape.toSpliced(axis, 0, 1));

function joined(c: NodeContext): Value {
  const items = c.items(0);
  const fresh = c.int("new_axis", 0) === 1;
  const axis = c.axis(c.int("axis", 0), (items[0]?.type.shape.length ?? 0) + (fresh ? 1 : 0));
  const parts = fresh ? items.map((item) => withAxis(c, item, axis)) : items;
  return parts.length === 1 ? parts[0]! : c.op("concat", parts, { axis });
}

/** Parts of stated sizes, of one size (the last may be smaller), or single elements, whose axis may go. */
function split(c: NodeContext): Value {
  const x = c.in(0);
  const { shape } = x.type;
  const axis = c.axis(c.int("axis", 0), shape.length);
  const extent = shape[axis] ?? 0;
  const stated = c.maybe(1) ? c.known(1, "sizes") : null;
  const each = stated?.[0] ?? 1;
  const equal = Array.from({ length: Math.ceil(extent / each) }, (_, i) => Math.min(each, extent - i * each));
  const sizes = stated && c.in(1).type.shape.length > 0 ? stated : equal;
  let from = 0;
  const parts = sizes.map((size) => {
    const part = c.op("slice", [x], { start: [from], stop: [from + size], axes: [axis] });
    from += size;
    return stated || c.int("keepdims", 1) === 1 ? part : c.reshape(part, shape.toSpliced(axis, 1));
  });
  return c.emit.list(parts);
}

/** A graph over each place of the lists; what is no list is the same at every place. */
function map(c: NodeContext): readonly Value[] {
  const inputs = c.node.inputs.map((_, i) => c.in(i));
  const rows = c.items(0).map((_, place) =>
    c.subgraph(
      "body",
      inputs.map((x) => x.items?.[place] ?? x),
    ),
  );
  return c.node.outputs.map((_, i) => c.emit.list(rows.flatMap((row) => row[i] ?? [])));
}

export const sequenceRules: Rules = {
  SequenceEmpty: (c) => c.emit.list([]),
  SequenceConstruct: (c) => c.emit.list(c.inputs),
  SequenceAt: at,
  SequenceInsert: insert,
  SequenceErase: erase,
  SequenceLength: (c) => c.emit.ints([c.items(0).length], true),
  SequenceMap: map,
  ConcatFromSequence: joined,
  SplitToSequence: split,
  Optional: (c) => c.in(0),
  OptionalGetElement: (c) => c.in(0),
  OptionalHasElement: (c) =>
    c.emit.host({ dtype: "bool", dims: [], data: Float64Array.of(Number(c.maybe(0) !== null)), wide: false }),
};
