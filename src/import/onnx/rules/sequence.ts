/** @file Lists of values and values that may be missing: bookkeeping while importing, of which nothing stays in the text. */
import type { Value } from "../emit";
import type { NodeContext, Rules } from "../rule";

/** An index in a list of `count`; negative ones count from the end. */
function listIndex(c: NodeContext, i: number, count: number): number {
  const at = c.known(i, "index")[0] ?? 0;
  return at < 0 ? at + count : at;
}

function at(c: NodeContext): Value {
  const items = c.items(0);
  return items[listIndex(c, 1, items.length)] ?? c.fail("an index outside of a list");
}

function insert(c: NodeContext): Value {
  const items = c.items(0);
  const index = c.maybe(2) ? listIndex(c, 2, items.length) : items.length;
  return c.emit.list(items.toSpliced(index, 0, c.in(1)));
}

function erase(c: NodeContext): Value {
  const items = c.items(0);
  return c.emit.list(items.toSpliced(c.maybe(1) ? listIndex(c, 1, items.length) : items.length - 1, 1));
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

/** A graph over each index of the lists; what is no list is the same at every index. */
function map(c: NodeContext): readonly Value[] {
  const inputs = c.node.inputs.map((_, i) => c.in(i));
  const rows = c.items(0).map((_, index) =>
    c.subgraph(
      "body",
      inputs.map((x) => x.items?.[index] ?? x),
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
