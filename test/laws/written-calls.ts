/** @file A call of every op, as a person writes it, of `x` and `y` in f32[4, 8]. */
import { allComposites, allOps } from "../../src/fusion";

/** Calls that need more than tensors. */
const WRITTEN: Readonly<Record<string, string>> = {
  and: "logical_and(x, y)", or: "logical_or(x, y)", not: "logical_not(x)", xor: "logical_xor(x, y)",
  broadcast_in_dim: "broadcast_in_dim(x, (4, 3, 8), (0, 2))", cast: "x.to(i32)", clamp: "clamp(x, -1, 1)", concat: "concat([x, y], axis=1)",
  expand: "x.unsqueeze(1).expand(4, 3, 8)", iota: "iota(8) + x", linear: "linear(x, y)", matmul: "x @ y.T", pad: "pad(x, (1, 2, 1, 0), mode='reflect')",
  permute: "x.permute(1, 0)", prelu: "prelu(x, y)", repeat: "x.repeat(2, 1)", repeat_interleave: "repeat_interleave(x, 2, dim=1)", reshape: "x.reshape(8, 4)",
  roll: "roll(x, 3, 1)", slice: "slice(x, (1, 1), (3, 7), (1, 2))", stack: "stack([x, y])", tile: "tile(x, (2, 1))", transpose: "transpose(x, 0, 1)",
  avg_pool: "avg_pool2d(x.reshape(2, 1, 4, 4), (2, 3), stride=2, padding=1, ceil_mode=True, count_include_pad=False)",
  conv: "conv2d(x.reshape(1, 4, 2, 4), y.reshape(2, 2, 2, 4), padding=(1, 2), stride=(1, 2), groups=2)",
  conv_transpose: "conv_transpose1d(x.reshape(1, 4, 8), y.reshape(4, 2, 4), stride=3, padding=1, groups=2)",
  shift_left: "shift_left((x * 9).to(i32), 3)", shift_right: "shift_right((x * 9).to(i32), 1)",
  bit_and: "bit_and((x * 9).to(i32), (y * 9).to(i32))", bit_not: "bit_not((x * 9).to(i32))", bit_or: "bit_or((x * 9).to(i32), 12)", bit_xor: "bit_xor((x * 9).to(i32), (y * 9).to(i32))",
  embedding: "embedding((x * 3).to(i32), y)", gather: "gather(x, (y * 5).to(i32), axis=1)",
  gather_elements: "gather_elements(x, (y * 5).to(i32), axis=1)", gather_nd: "gather_nd(x, (y.reshape(4, 4, 2) * 4).to(i32))",
  one_hot: "one_hot((x * 3).to(i32), 5, axis=1)", scatter_add: "scatter_add(x, (y * 3).to(i32), y, axis=1)",
  scatter_elements: "scatter_elements(x, (y[:3] * 3).to(i32), y[:3], axis=1)", scatter_nd: "scatter_nd(x, (y.reshape(4, 4, 2)[:, :3] * 4).to(i32), y[:, :3], reduction='max')",
  batch_norm: "batch_norm(x, abs(x[0]) + 1, abs(x[1]) + 1, y[0], y[1])", cross_entropy: "cross_entropy(x, (y[:, 0] * 3).to(i32), y[0], ignore_index=1)",
  group_norm: "group_norm(x.reshape(2, 4, 4), 2, y[0, :4], y[1, :4])", instance_norm: "instance_norm(x.reshape(1, 4, 8))", local_response_norm: "local_response_norm(x, 3)",
  nll_loss: "nll_loss(x, (y[:, 0] * 3).to(i32), reduction='none')",
  einsum: "einsum('bik,bjk->bij', x.reshape(2, 2, 8), y.reshape(2, 2, 8))", rope: "rope(x, cos(y[:, :3]), sin(y[:, :3]), interleaved=True)",
  scaled_dot_product_attention: "scaled_dot_product_attention(x.reshape(1, 4, 2, 4), y.reshape(1, 2, 4, 4), y.reshape(1, 2, 4, 4), is_causal=True, softcap=2.0, window=1)",
  topk: "topk(x, 3)", topk_indices: "topk_indices(x, 3, axis=0, largest=False)",
  lp_pool: "lp_pool(x, 3, (2, 2))",
  max_pool: "max_pool2d(x, (2, 2), padding=1)", unfold: "unfold(x.reshape(1, 2, 4, 4), (2, 2), padding=1)",
  unsqueeze: "x.unsqueeze(1)", window: "window(x, (2, 3), stride=(1, 2), dilation=(2, 1), padding=(1, 0, 1, 2), interior=(2, 1), value=0.5)", where: "where(x > 0, x, y)",
  full: "full((4, 8), 0.5) * x", zeros: "zeros(4, 8) + x", ones: "ones((4, 8)) * x", eye: "eye(4, 8, k=1) * x", linspace: "linspace(-1, 1, 8) * x", full_like: "full_like(x, 2)",
  new_zeros: "x.new_zeros(2, 3)", new_ones: "x.new_ones((2, 3), dtype=i32)", new_full: "x.new_full((2, 3), 0.5)", masked_fill: "masked_fill(x, y > 0, -1e9)", addmm: "addmm(x[0], x, y.T[:, :1], beta=2.0)",
  lerp: "lerp(x, y, 0.25)", addcmul: "addcmul(x, y, y, value=0.5)", addcdiv: "addcdiv(x, y, abs(y) + 1)", narrow: "narrow(x, 1, 2, 3)", select: "select(x, 1, -1)", index_select: "index_select(x, 1, (y[0] * 5).to(i32))",
  movedim: "movedim(x, 0, 1)", unflatten: "unflatten(x, 1, (2, -1))", vstack: "vstack([x, y])", hstack: "hstack([x, y])", dstack: "dstack([x, y])", threshold: "threshold(x, 0.25, -1)",
  binary_cross_entropy: "binary_cross_entropy(sigmoid(x), sigmoid(y))", kl_div: "kl_div(x, sigmoid(y))", softmax_cross_entropy_with_integer_labels: "softmax_cross_entropy_with_integer_labels(x, (y[:, 0] * 3).to(i32))",
  adaptive_avg_pool: "adaptive_avg_pool2d(x.reshape(1, 1, 4, 8), (3, 2))", adaptive_max_pool: "adaptive_max_pool2d(x.reshape(1, 1, 4, 8), (3, 5))", pixel_shuffle: "pixel_shuffle(x.reshape(8, 2, 2), 2)",
  pixel_unshuffle: "pixel_unshuffle(x.reshape(1, 4, 8), 2)", interpolate: "interpolate(x.reshape(1, 1, 4, 8), size=(3, 12), mode='bilinear')", tensordot: "tensordot(x, y, dims=([1], [1]))", index_add: "index_add(x, 0, (y[0, :3] * 2).to(i32), y[:3])",
}; // prettier-ignore
const sources = new Set(["input", "const", "hole"]);
const callOf = (def: (typeof allOps)[number] | (typeof allComposites)[number]): string => {
  const tensors = def.params.filter((param) => param.kind === "tensor" && param.default === undefined).length;
  return WRITTEN[def.name] ?? (tensors === 2 ? `${def.name}(x, y)` : `${def.name}(x)`);
};
export const calls = [...allOps, ...allComposites]
  .filter((def) => !sources.has(def.name))
  .map((def) => [def.name, callOf(def)] as const);
