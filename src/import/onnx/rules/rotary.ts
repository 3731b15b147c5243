/** @file Rotary embedding: rows rotated by the angles of their positions. */
import type { Value } from "../emit";
import type { NodeContext, Rules } from "../rule";
import { counting, fromHeads, toHeads } from "./attention";

/** x [B, H, S, D] rotated by the angles of its positions ([B, S], or [B or 1, S, pairs] when they are there already). */
export function rotated(
  c: NodeContext,
  x: Value,
  positions: Value | null,
  cos: Value,
  sin: Value,
  interleaved: boolean,
): Value {
  const angles = (cache: Value): Value => {
    const rows = positions ? c.op("gather", [cache, positions], { axis: 0 }) : cache;
    const [batch, length, pairs] = rows.type.shape as [number, number, number];
    return c.reshape(rows, [batch, 1, length, pairs]);
  };
  return c.op("rope", [x, angles(cos), angles(sin)], interleaved ? { interleaved: true } : {});
}

function rotaryEmbedding(c: NodeContext): Value {
  const x = c.in(0);
  const flat = x.type.shape.length === 3;
  // As wide as the tables are.
  c.implied("rotary_embedding_dim");
  const heads = toHeads(c, x, c.int("num_heads", 1));
  const rotatedHeads = rotated(c, heads, c.maybe(3), c.in(1), c.in(2), c.int("interleaved", 0) === 1);
  return flat ? fromHeads(c, rotatedHeads) : rotatedHeads;
}

/** `com.microsoft.RotaryEmbedding`: positions are given, or where the first one lies; 3-D rows are heads of the cache's width. */
function contribRotary(c: NodeContext): Value {
  const x = c.in(0);
  const { shape } = x.type;
  const flat = shape.length === 3;
  const pairs = c.in(2).type.shape[1] ?? 1;
  const width = c.int("rotary_embedding_dim", 0) > 0 ? (shape[2] ?? 0) / c.int("num_heads", 1) : 2 * pairs;
  const heads = flat ? toHeads(c, x, c.int("num_heads", 0) || (shape[2] ?? 0) / width) : x;
  const [batch, , length] = heads.type.shape as [number, number, number];
  const given = c.cast(c.in(1), "i32");
  const one = (given.type.shape.length === 1 && given.type.shape[0] === 1) || given.type.shape.length === 0;
  const positions = one
    ? c.op("add", [counting(c, length, 1, 2), c.reshape(given, [1, 1])])
    : c.reshape(given, [batch, length]);
  const rotatedHeads = rotated(c, heads, positions, c.in(2), c.in(3), c.int("interleaved", 0) === 1);
  return flat ? fromHeads(c, rotatedHeads) : rotatedHeads;
}

export const rotaryRules: Rules = { RotaryEmbedding: rotaryEmbedding };
export const contribRotaryRules: Rules = { RotaryEmbedding: contribRotary };
