/** @file Statements of random programs that are whole layers: attention, norms over channels, losses, tuples of indices. */
import { sizeOf } from "../../src/fusion/ir";
import type { Proposal, Value, Writing } from "./any-program";
import type { Writer } from "./any-statement";

/** Rows of scores that never reach memory, if the planner knows how. */
export const attention: Writer = (writing, x, second, dice) => {
  const { shape, dtype } = x.type;
  const d = shape.at(-1)!;
  if (shape.length < 2 || dtype !== "f32" || sizeOf(shape) === 0) return null;
  const budget = writing.demands.mostProducts / (2 * sizeOf(shape));
  const m = [3, 33, 65, 1, 128].map((_, i, list) => list[(i + dice.roll(2)) % 5]!).find((keys) => keys <= budget) ?? 1;
  const lead = shape.slice(0, -2);
  const [k, v] = [writing.input([...lead, m, d]), writing.input([...lead, m, dice.roll(2) === 0 ? d : 3])];
  const mask = writing.input([shape.at(-2)!, m], second === 3 ? "bool" : "f32");
  switch (second) {
    case 0:
      return { text: "scaled_dot_product_attention($0, $1, $2)", operands: [x, k, v] };
    case 1:
      return { text: "scaled_dot_product_attention($0, $1, $2, is_causal=True, softcap=5.0)", operands: [x, k, v] };
    case 2:
      return { text: "scaled_dot_product_attention($0, $1, $2, attn_mask=$3)", operands: [x, k, v, mask] };
    case 3:
      return {
        text: "softmax(where($3, $0 @ transpose($1, -1, -2) * 0.25, -1e30), dim=-1) @ $2",
        operands: [x, k, v, mask],
      };
    case 4:
      return { text: "softmax($0 @ transpose($1, -1, -2) * 0.25, dim=-1) @ $2", operands: [x, k, v] };
    case 5:
      return { text: "relu($0 @ transpose($1, -1, -2)).max(dim=-1)", operands: [x, k] };
    case 6:
      return shape.length === 2 ? { text: 'einsum("nd,md->nm", $0, $1)', operands: [x, k] } : null;
    default:
      return d % 2 === 0
        ? { text: "rope($0, cos($1), sin($1))", operands: [x, writing.input([shape.at(-2)!, d / 2])] }
        : null;
  }
};

/** Norms whose parameters belong to the second axis. */
export const channels: Writer = (writing, x, second, dice) => {
  const { shape, dtype } = x.type;
  if (shape.length < 2 || dtype !== "f32" || sizeOf(shape) === 0) return null;
  const c = shape[1]!;
  const [w, b, mean] = [writing.input([c]), writing.input([c]), writing.input([c])];
  const variance = writing.input([c], "f32", "uniform(0.5, 2)");
  switch (second % 5) {
    case 0:
      return { text: "batch_norm($0, $1, $2, $3, $4)", operands: [x, mean, variance, w, b] };
    case 1:
      return { text: "batch_norm($0, training=True)", operands: [x] };
    case 2:
      return { text: `group_norm($0, ${c % 2 === 0 ? 2 : 1}, $1, $2)`, operands: [x, w, b] };
    case 3:
      return { text: "instance_norm($0)", operands: [x] };
    default:
      return { text: `local_response_norm($0, ${2 + dice.roll(2)})`, operands: [x] };
  }
};

export const loss: Writer = (writing, x, second, dice) => {
  const { shape, dtype } = x.type;
  if (shape.length < 2 || dtype !== "f32" || sizeOf(shape) === 0) return null;
  const classes = writing.input([shape[0]!, ...shape.slice(2)], "i32", `uniform(0, ${shape[1]!})`);
  const how = dice.pick(["mean", "sum", "none"]);
  if (second >= 2 && second <= 5) return streamed(writing, x, dice.roll(7), how);
  if (second % 2 === 0) return { text: `cross_entropy($0, $1, reduction="${how}")`, operands: [x, classes] };
  return { text: `nll_loss($0, $1, reduction="${how}")`, operands: [x, classes] };
};

/** Folds of the rows of a product, which need not be stored for them. */
function streamed(writing: Writing, x: Value, kind: number, how: string): Proposal | null {
  const { shape } = x.type;
  const [n, d] = [shape[0]!, shape.at(-1)!];
  const budget = writing.demands.mostProducts / (2 * sizeOf(shape));
  const c = [90, 33, 17].find((columns) => columns <= budget);
  if (shape.length !== 2 || c === undefined) return null;
  const [w, labels] = [writing.input([d, c]), writing.input([n], "i32", `uniform(0, ${c})`)];
  switch (kind) {
    case 0:
      return { text: "softmax($0 @ $1, dim=-1)", operands: [x, w] };
    case 1:
      return { text: "layer_norm($0 @ $1, $2)", operands: [x, w, writing.input([c])] };
    case 2:
      return { text: `cross_entropy($0 @ $1, $2, ignore_index=1, reduction="${how}")`, operands: [x, w, labels] };
    case 3:
      return {
        text: "logsumexp($0 @ $1, dim=-1) - ($0 @ $1).gather(1, $2.unsqueeze(-1)).squeeze(-1)",
        operands: [x, w, labels],
      };
    case 4:
      return { text: "(log_softmax($0 @ $1, dim=-1) * $2).sum(dim=-1)", operands: [x, w, writing.input([n, c])] };
    case 5:
      return { text: "argmax($0 @ $1, dim=-1) * 1.0", operands: [x, w] };
    default:
      return { text: "(softmax($0 @ $1, dim=-1) * $2).sum(dim=-1)", operands: [x, w, writing.input([c])] };
  }
}

/** Tuples of indices, and pools of powers. */
export const tuples: Writer = (writing, x, second, dice) => {
  const { shape, dtype } = x.type;
  if (shape.length < 2 || dtype !== "f32" || sizeOf(shape) === 0 || sizeOf(shape) > 300) return null;
  const indices = writing.input([3, 2], "i32", `uniform(0, ${Math.min(shape[0]!, shape[1]!)})`);
  if (shape.length === 4 && second % 2 === 0) return { text: "lp_pool2d($0, 2.0, 2)", operands: [x] };
  if (second === 1) return { text: "topk_indices($0, 1, dim=0) * 0.5", operands: [x] };
  if (second < 4) return { text: "gather_nd($0, $1)", operands: [x, indices], exact: x.exact };
  const updates = writing.input([3, ...shape.slice(2)]);
  return { text: `scatter_nd($0, $1, $2, reduction="${dice.pick(["add", "none"])}")`, operands: [x, indices, updates] };
};
