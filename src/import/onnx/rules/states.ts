/** @file Layers that hand a state on: linear attention and causal convolutions, written out step by step. */
import type { Value } from "../emit";
import type { NodeContext, Rules } from "../rule";
import { range } from "./arithmetic";
import { MAX_ITERATIONS } from "./loops";

/** The last axis as heads. */
function heads(c: NodeContext, x: Value, count: number): Value {
  const [batch, steps, width] = x.type.shape as [number, number, number];
  return c.reshape(x, [batch, steps, count, width / count]);
}

/**
 * q [B, T, Hq·K], k [B, T, H·K], v [B, T, H·V] with a state S [B, H, K, V] that each step lets fade by exp(decay), then
 * gives β·k ⊗ (v − what k finds there) or k ⊗ v; the result is scale · qᵀS for each query head of the state's.
 */
function linearAttention(c: NodeContext): readonly Value[] {
  if (c.int("state_window", 0) !== 0) return [c.fail("a window of states")];
  const [asking, shared] = [c.int("q_num_heads", 1), c.int("kv_num_heads", 1)];
  const [q, k, v] = [heads(c, c.in(0), asking), heads(c, c.in(1), shared), heads(c, c.in(2), shared)];
  const [batch, steps, , keys] = q.type.shape as [number, number, number, number];
  const values = v.type.shape[3] ?? 1;
  if (steps > MAX_ITERATIONS) return [c.fail(`more than ${MAX_ITERATIONS} steps`)];
  const rule = c.text("update_rule", "gated_delta");
  const decay = rule.startsWith("gated") ? c.op("exp", [heads(c, c.in(4), shared)]) : null;
  const rate = rule.endsWith("delta") ? c.in(5) : null;
  const scale = c.emit.scalar(c.float("scale", 0) || 1 / Math.sqrt(keys), q.type.dtype);
  const at = (x: Value, step: number, shape: readonly number[]): Value =>
    c.reshape(c.op("slice", [x], { start: [step], stop: [step + 1], axes: [1] }), shape);
  let state = c.maybe(3) ?? c.filled(0, [batch, shared, keys, values], v.type.dtype);
  const results = range(steps).map((step) => {
    const fade = decay && at(decay, step, [batch, shared, decay.type.shape[3] ?? 1, 1]);
    const old = fade ? c.op("mul", [state, fade]) : state;
    const [key, value] = [at(k, step, [batch, shared, keys, 1]), at(v, step, [batch, shared, 1, values])];
    const fresh = (): Value => {
      if (!rate) return value;
      const found = c.op("matmul", [c.reshape(key, [batch, shared, 1, keys]), old]);
      const share = at(rate, step, [batch, rate.type.shape[2] ?? 1, 1, 1]);
      return c.op("mul", [c.op("sub", [value, found]), share]);
    };
    state = c.op("add", [old, c.op("mul", [key, fresh()])]);
    const query = at(q, step, [batch, shared, asking / shared, keys]);
    const found = c.op("mul", [c.op("matmul", [query, state]), scale]);
    return c.reshape(found, [batch, 1, asking * values]);
  });
  return [results.length === 1 ? results[0]! : c.op("concat", results, { axis: 1 }), state];
}

/** Each channel with its own kernel over what is past; the last k − 1 positions are handed on. */
function causalConv(c: NodeContext): readonly Value[] {
  if (c.int("state_window", 0) !== 0 || c.int("channels_last", 0) !== 0 || c.int("ndim", 1) !== 1)
    return [c.fail("a window of states, channels that come last or several axes")];
  const [x, w] = [c.in(0), c.in(1)];
  const [batch, channels, length] = x.type.shape as [number, number, number];
  const dilation = c.int("dilation", 1);
  const past = ((w.type.shape[2] ?? 1) - 1) * dilation;
  const whole =
    past === 0 ? x : c.op("concat", [c.maybe(3) ?? c.filled(0, [batch, channels, past], x.type.dtype), x], { axis: 2 });
  const made = c.op("conv", [whole, w, c.maybe(2)], {
    stride: [1],
    padding: [0, 0],
    dilation: [dilation],
    groups: channels,
  });
  const last = c.op("slice", [whole], { start: [length], stop: [length + past], axes: [2] });
  return [c.text("activation", "none") === "none" ? made : c.op("silu", [made]), last];
}

export const stateRules: Rules = { LinearAttention: linearAttention, CausalConvWithState: causalConv };
