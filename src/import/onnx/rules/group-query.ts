/** @file ONNX Runtime's attention over a cache that its batches fill to different lengths. */
import type { AttrValue } from "../../../fusion";
import type { Value } from "../emit";
import type { NodeContext, Rules } from "../rule";
import { and, attend, between, counting, fromHeads, pieces, scaleOf, softcapOf, toHeads, within } from "./attention";
import { rotated } from "./rotary";

/** Queries, keys and values in heads; packed ones stand one after the other in each row. */
function operands(c: NodeContext, heads: number, shared: number): [Value, Value, Value] {
  const packed = c.maybe(1) === null;
  const width = (c.in(0).type.shape[2] ?? 0) / (packed ? heads + 2 * shared : heads);
  const parts = packed
    ? pieces(c, c.in(0), [heads * width, shared * width, shared * width])
    : [c.in(0), c.in(1), c.in(2)];
  return parts.map((part, i) => toHeads(c, part, i === 0 ? heads : shared)) as [Value, Value, Value];
}

/** Where the new rows of each batch begin, i32 [batch, 1, 1, 1]; null where all begin at `at`. */
interface Start {
  readonly at: number;
  readonly each: Value | null;
}

/** The cache with the new rows from `start` on and zeros behind them; one that ends where they begin is lengthened. */
function filled(c: NodeContext, past: Value | null, fresh: Value, start: Start, room: number): Value {
  const [batch, heads, length, size] = fresh.type.shape as [number, number, number, number];
  const old = past?.type.shape[2] ?? 0;
  if (start.each === null && start.at === 0 && room === length) return fresh;
  const both = past ? c.op("concat", [past, fresh], { axis: 2 }) : fresh;
  if (start.each === null && start.at === old && room === old + length) return both;
  const first = start.each ?? c.emit.scalar(start.at, "i32");
  const position = counting(c, room, 2, 4);
  const since = c.op("sub", [position, first]);
  const isNew = c.op("ge", [since, c.emit.scalar(0, "i32")]);
  const isIn = c.op("lt", [since, c.emit.scalar(length, "i32")]);
  const row = c.op("where", [isNew, c.op("add", [since, c.emit.scalar(old, "i32")]), position]);
  const safe = c.op("minimum", [row, c.emit.scalar(old + length - 1, "i32")]);
  const index = c.op("expand", [safe], { shape: [batch, heads, room, size] });
  return c.op("where", [isIn, c.op("gather_elements", [both, index], { axis: 2 }), c.emit.scalar(0, fresh.type.dtype)]);
}

/** How many keys the caches hold at the end and where the new rows begin. */
function extents(
  c: NodeContext,
  batch: number,
  length: number,
  last: Value,
): { room: number; start: Start; prompt: boolean } {
  const old = c.maybe(3)?.type.shape[2] ?? 0;
  const total = old === 0 ? length : (c.known(6, "total length")[0] ?? old + length);
  const room = Math.max(old, total);
  const prompt = total === length;
  if (prompt) return { room, prompt, start: { at: 0, each: null } };
  if (batch === 1) return { room, prompt, start: { at: total - length, each: null } };
  const each = c.op("sub", [c.reshape(last, [batch, 1, 1, 1]), c.emit.scalar(length - 1, "i32")]);
  return { room, prompt, start: { at: 0, each } };
}

/** Something that every query sees beside the keys takes its share of the softmax and gives nothing. */
function sunk(
  c: NodeContext,
  q: Value,
  k: Value,
  v: Value,
  mask: Value | null,
  sight: Value | null,
  sink: Value,
): Value {
  const [batch, heads, length, size] = q.type.shape as [number, number, number, number];
  const { dtype } = q.type;
  const scalar = (value: number): Value => c.emit.scalar(value, dtype);
  const group = heads / (k.type.shape[1] ?? 1);
  const wide = (x: Value): Value => (group === 1 ? x : c.op("repeat_interleave", [x], { repeats: group, axis: 1 }));
  const product = c.op("matmul", [q, c.op("transpose", [wide(k)], { perm: [0, 1, 3, 2] })]);
  const scaled = c.op("mul", [product, scalar(Number(scaleOf(c)["scale"] ?? 1 / Math.sqrt(size)))]);
  const cap = c.float("softcap", 0);
  const capped = cap > 0 ? c.op("mul", [c.op("tanh", [c.op("div", [scaled, scalar(cap)])]), scalar(cap)]) : scaled;
  const biased = mask ? c.op("add", [capped, mask]) : capped;
  const seen = sight ? c.op("where", [sight, biased, scalar(Number.NEGATIVE_INFINITY)]) : biased;
  const beside = c.op("expand", [sink], { shape: [batch, heads, length, 1] });
  const shares = c.op("softmax", [c.op("concat", [seen, beside], { axis: 3 })], { axis: 3 });
  const own = c.op("slice", [shares], { start: [0], stop: [k.type.shape[2] ?? 0], axes: [3] });
  return c.op("matmul", [own, wide(v)]);
}

/** `com.microsoft.GroupQueryAttention`: lengths say where each batch ends; it sees what is before, unless told otherwise. */
function groupQueryAttention(c: NodeContext): readonly Value[] {
  const [heads, shared] = [c.int("num_heads", 1), c.int("kv_num_heads", 1)];
  if (c.maybe(12) || c.maybe(13)) return [c.fail("quantised caches")];
  if ((c.node.outputs[3] ?? "") !== "") return [c.fail("its scores as a result")];
  let [q, k, v] = operands(c, heads, shared);
  const [batch, , length] = q.type.shape as [number, number, number];
  const last = c.reshape(c.cast(c.in(5), "i32"), [batch]);
  const { room, prompt, start } = extents(c, batch, length, last);
  const normed = (x: Value, i: number): Value =>
    c.maybe(i) ? c.op("rms_norm", [x, c.in(i)], { eps: c.float("qk_norm_epsilon", 1e-6) }) : x;
  [q, k] = [normed(q, 14), normed(k, 15)];
  if (c.int("do_rotary", 0) === 1) {
    const first = start.each ? c.reshape(start.each, [batch, 1]) : c.emit.scalar(start.at, "i32");
    const positions = c.maybe(9) ? c.cast(c.in(9), "i32") : c.op("add", [counting(c, length, 1, 2), first]);
    const rotate = (x: Value): Value =>
      rotated(c, x, positions, c.in(7), c.in(8), c.int("rotary_interleaved", 0) === 1);
    [q, k] = [rotate(q), rotate(k)];
  }
  const [keys, values] = [filled(c, c.maybe(3), k, start, room), filled(c, c.maybe(4), v, start, room)];
  const causal = c.int("causal", 1) === 1;
  const window = c.int("local_window_size", -1);
  const given = c.maybe(10);
  const short = room - (given?.type.shape[3] ?? room);
  const bias = given && short > 0 ? c.op("pad", [given], { pads: [0, short], mode: "constant", value: 0 }) : given;
  // Shorter prompts of a batch end early; behind the last new row there is nothing to see either.
  const ended = (prompt && batch > 1) || !causal ? within(c, c.op("add", [last, c.emit.scalar(1, "i32")]), room) : null;
  const smooth = c.int("smooth_softmax", -1) === 1;
  const result = ((): Value => {
    const inWindow = (): Value | null =>
      between(
        c,
        length,
        room,
        start.each ?? c.emit.scalar(start.at, "i32"),
        window > 0 ? window - 1 : -1,
        causal ? 0 : -1,
      );
    if (smooth || c.maybe(11)) {
      const sink = c.maybe(11) ? c.reshape(c.in(11), [1, heads, 1, 1]) : c.emit.scalar(0, q.type.dtype);
      return sunk(
        c,
        q,
        keys,
        values,
        bias,
        and(c, ended, inWindow()),
        c.reshape(sink, [1, sink.type.shape[1] ?? 1, 1, 1]),
      );
    }
    const simple = start.each === null && causal;
    const options: Readonly<Record<string, AttrValue>> = {
      ...(simple
        ? { is_causal: true, ...(start.at > 0 ? { causal_offset: start.at } : {}), ...(window > 0 ? { window } : {}) }
        : {}),
      ...scaleOf(c),
      ...softcapOf(c),
    };
    return attend(c, { q, k: keys, v: values, bias, sight: simple ? ended : and(c, ended, inWindow()), options });
  })();
  return [fromHeads(c, result), keys, values];
}

export const groupQueryRules: Rules = { GroupQueryAttention: groupQueryAttention };
