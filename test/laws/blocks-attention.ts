/** @file Blocks with products: projections, gated layers, attention in its many forms. */
import type { Dice, Value } from "./any-program";
import {
  ACTIVATIONS,
  elements,
  leadOf,
  list,
  rankOf,
  sameShape,
  shapeOf,
  widthOf,
  type Block,
  type Stream,
} from "./block-stream";
import { after, anyNorm, overRows, partOf, rotated } from "./blocks-rows";

/** x times weights, to `n` columns, written in one of many ways. */
export function projected(stream: Stream, x: Value, n: number, dice: Dice): Value {
  const c = widthOf(x);
  if (!stream.affords(elements(x) * n)) return x;
  const lead = leadOf(x);
  switch (dice.roll(8)) {
    case 0:
      return stream.say("$0 @ $1.T", x, stream.input([n, c]));
    case 1:
      return stream.say("F.linear($0, $1, $2)", x, stream.input([n, c]), stream.input([n]));
    case 2:
      return stream.say("$0 @ $1 + $2", x, stream.input([c, n]), stream.input([n]));
    case 3:
      return stream.say('torch.einsum("...c,cd->...d", $0, $1)', x, stream.input([c, n]));
    case 4:
      return rankOf(x) === 2
        ? stream.say("torch.addmm($2, $0, $1)", x, stream.input([c, n]), stream.input([n]))
        : stream.say("torch.matmul($0, $1)", x, stream.input([...lead.slice(0, -1), c, n]));
    case 5:
      return stream.say(`($0.reshape(-1, ${c}) @ $1).reshape(${list([...lead, n])})`, x, stream.input([c, n]));
    default:
      return stream.say("$0 @ $1", x, stream.input([c, n]));
  }
}

const widthFor = (x: Value, dice: Dice): number =>
  dice.pick([widthOf(x), 2 * widthOf(x), 6, 8, 5, 1, 16, 33].filter((n) => n <= 512));

export const linear: Block = (stream, x, dice) => {
  const y = projected(stream, x, widthFor(x, dice), dice);
  const z = after(stream, y, x, dice);
  if (dice.roll(3) === 0) after(stream, z, x, dice);
};

export const feedForward: Block = (stream, x, dice) => {
  const h = dice.roll(2) === 0 ? anyNorm(stream, x, dice) : x;
  const n = widthFor(x, dice);
  const act = dice.pick(ACTIVATIONS);
  if (!stream.affords(2 * elements(x) * n)) return;
  const gated = dice.roll(2) === 0;
  const up = stream.say(`${act}($0 @ $1)`, h, stream.input([widthOf(x), n]));
  const both = gated ? stream.say("$0 * ($1 @ $2)", up, h, stream.input([widthOf(x), n])) : up;
  const down = stream.say("$0 @ $1", both, stream.input([n, widthOf(x)]));
  after(stream, dice.roll(2) === 0 ? stream.say("$0 + $1", x, down) : down, x, dice);
};

/** Queries, keys and values of [batch, heads, tokens, width], or without batch. */
interface Heads {
  readonly q: Value;
  readonly k: Value;
  readonly v: Value;
}

/** `y` of [batch, tokens, channels] as [batch, heads, tokens, width]. */
function split(stream: Stream, y: Value, heads: number, dice: Dice): Value {
  const lead = leadOf(y);
  const c = widthOf(y);
  const rank = rankOf(y);
  const swap = dice.pick(
    rank === 3 ? ["transpose(1, 2)", "permute(0, 2, 1, 3)"] : ["transpose(0, 1)", "permute(1, 0, 2)"],
  );
  return stream.say(`$0.${dice.pick(["reshape", "view"])}(${list([...lead, heads, c / heads])}).${swap}`, y);
}

function headsOf(stream: Stream, x: Value, dice: Dice): Heads {
  const c = widthOf(x);
  const t = shapeOf(x).at(-2)!;
  if (rankOf(x) === 4 || dice.roll(4) === 0) {
    const lead = shapeOf(x).slice(0, -2);
    const m = dice.pick([t, 5, 7, 3, 17]);
    const k = dice.roll(3) === 0 ? x : stream.input([...lead, m, c]);
    return { q: x, k, v: stream.input([...lead, shapeOf(k).at(-2)!, dice.pick([c, 3, 8])]) };
  }
  const h = partOf(c);
  if (dice.roll(3) === 0) {
    const all = stream.say("$0 @ $1", x, stream.input([c, 3 * c]));
    const [q, k, v] = [0, 1, 2].map((i) => split(stream, stream.say(`$0[..., ${i * c}:${(i + 1) * c}]`, all), h, dice));
    return { q: q!, k: k!, v: v! };
  }
  const [q, k, v] = [0, 1, 2].map(() => split(stream, stream.say("$0 @ $1", x, stream.input([c, c])), h, dice));
  return { q: q!, k: k!, v: v! };
}

/** Masks by position, biases of broadcast shapes, decays. */
function masked(stream: Stream, scores: Value, dice: Dice): Value {
  const shape = shapeOf(scores);
  const [t, m] = shape.slice(-2) as [number, number];
  const rows = `torch.arange(${t})[:, None]`;
  const columns = `torch.arange(${m})[None, :]`;
  switch (dice.roll(11)) {
    case 0:
      return stream.say(`torch.where(${rows} >= ${columns}, $0, -1e9)`, scores);
    case 1:
      return stream.say(`$0.masked_fill(torch.tril(torch.ones(${t}, ${m})) == 0, float("-inf"))`, scores);
    case 2:
      return stream.say("$0 + $1", scores, stream.input([t, m]));
    case 3:
      return stream.say(
        "$0 + $1",
        scores,
        stream.input(shape.map((extent, i) => (i === shape.length - 2 ? 1 : extent))),
      );
    case 4:
      return stream.say(
        "$0 + $1",
        scores,
        stream.input(shape.map((extent, i) => (i === shape.length - 1 ? extent : 1))),
      );
    case 5:
      return stream.say(`$0 - 0.1 * torch.abs(${rows} - ${columns})`, scores);
    case 6:
      return stream.say(`$0 * torch.where(${rows} >= ${columns}, 0.9 ** (${rows} - ${columns}), 0.0)`, scores);
    case 7:
      return stream.say("5 * torch.tanh($0 / 5)", scores);
    case 8:
      return stream.say("torch.where($1, $0, -1e9)", scores, stream.input([t, m], "bool"));
    case 9:
      return stream.say(`torch.tril($0)`, scores);
    default:
      return scores;
  }
}

/** Scores, and what becomes of them before they meet the values. */
function probabilities(stream: Stream, { q, k }: Heads, dice: Dice): Value {
  const transposed = dice.pick(["transpose(-1, -2)", "transpose(-2, -1)", "mT"]);
  const scale = dice.pick([" * 0.3535", " / math.sqrt(8)", "", " * 0.25"]);
  let s = stream.say(`$0 @ $1.${transposed}${scale}`, q, k);
  s = masked(stream, s, dice);
  if (dice.roll(3) === 0) s = masked(stream, s, dice);
  const way = dice.roll(4);
  if (way < 2) return stream.say("torch.softmax($0, dim=-1)", s);
  return overRows(stream, s, dice.roll(5) === 0 ? -2 : -1, dice);
}

/** Heads side by side again. */
function joined(stream: Stream, o: Value, dice: Dice): Value {
  const shape = shapeOf(o);
  const merged = [...shape.slice(0, -3), shape.at(-2)!, shape.at(-3)! * shape.at(-1)!];
  const swap = shape.length === 4 ? "transpose(1, 2)" : "transpose(0, 1)";
  if (dice.roll(4) === 0) return stream.say(`$0.${swap}`, o);
  return stream.say(`$0.${swap}.${dice.pick(["reshape", "contiguous().view"])}(${list(merged)})`, o);
}

export const attention: Block = (stream, x, dice) => {
  const t = shapeOf(x).at(-2)!;
  if (!stream.affords(3 * elements(x) * Math.max(t, widthOf(x), 8))) return;
  const heads = headsOf(stream, dice.roll(3) === 0 ? anyNorm(stream, x, dice) : x, dice);
  const turned =
    dice.roll(3) === 0 ? { ...heads, q: rotated(stream, heads.q, dice), k: rotated(stream, heads.k, dice) } : heads;
  const p = probabilities(stream, turned, dice);
  const weighed = dice.roll(6) === 0 ? stream.say("F.dropout($0, p=0.1, seed=3)", p) : p;
  let o = stream.say("$0 @ $1", weighed, heads.v);
  if (dice.roll(2) === 0) o = anyNorm(stream, o, dice);
  if (rankOf(o) >= 3) o = joined(stream, o, dice);
  if (rankOf(o) === rankOf(x) && dice.roll(2) === 0 && leadOf(o).join() === leadOf(x).join())
    o = projected(stream, o, widthOf(x), dice);
  after(stream, o, x, dice);
};

/** Attention without a softmax: products of a feature map, whole or running. */
export const kernelised: Block = (stream, x, dice) => {
  const c = widthOf(x);
  const t = shapeOf(x).at(-2)!;
  if (!stream.affords(2 * elements(x) * c) || t * c * elements(x) > 60_000) return;
  const map = dice.pick(["F.elu($0) + 1", "relu($0)", "torch.exp(0.3 * $0)"]);
  const [q, k] = [stream.say(map, x), stream.say(map, stream.input(shapeOf(x)))];
  const v = stream.input(shapeOf(x));
  switch (dice.roll(5)) {
    case 0: {
      const kv = stream.say("$0.transpose(-1, -2) @ $1", k, v);
      const total = stream.say("($0 * $1.sum(dim=-2, keepdim=True)).sum(dim=-1, keepdim=True)", q, k);
      after(stream, stream.say("($0 @ $1) / ($2 + 1e-3)", q, kv, total), x, dice);
      return;
    }
    case 1: {
      const running = stream.say("torch.cumsum($0 * $1, dim=-2)", k, v);
      const total = stream.say("torch.cumsum($0, dim=-2)", k);
      after(stream, stream.say("$0 * $1 / ($2 + 0.1)", q, running, total), x, dice);
      return;
    }
    case 2: {
      if (rankOf(x) > 3) return;
      const outer = stream.say("torch.cumsum($0.unsqueeze(-1) * $1.unsqueeze(-2), dim=-3)", k, v);
      after(stream, stream.say("($0.unsqueeze(-2) @ $1).squeeze(-2)", q, outer), x, dice);
      return;
    }
    case 3: {
      const s = stream.say(`torch.tril($0 @ $1.transpose(-1, -2))`, q, k);
      const p = stream.say("$0 / ($0.sum(dim=-1, keepdim=True).abs().clamp(min=1))", s);
      after(stream, anyNorm(stream, stream.say("$0 @ $1", p, v), dice), x, dice);
      return;
    }
    default: {
      const p = stream.say("torch.softmax($0, dim=-1) @ (torch.softmax($1, dim=-2).transpose(-1, -2) @ $2)", q, k, v);
      after(stream, p, x, dice);
    }
  }
};

/** Results of heads, gated by another projection of what they came from. */
export const gatedHeads: Block = (stream, x, dice) => {
  const c = widthOf(x);
  const h = partOf(c);
  if (rankOf(x) !== 3 || h === 1 || !stream.affords(elements(x) * c)) return;
  const y = overRows(stream, split(stream, x, h, dice), -1, dice);
  const back = stream.say(`$0.transpose(1, 2).reshape(${list(shapeOf(x))})`, y);
  const gate = stream.say(`${dice.pick(["silu", "sigmoid"])}($0 @ $1)`, x, stream.input([c, c]));
  after(stream, stream.say("$0 * $1", gate, back), x, dice);
};

/** Two earlier values multiplied, or contracted over any axes. */
export const mixed: Block = (stream, x, dice) => {
  const y =
    stream.writing.valueAt(
      1 + dice.roll(3),
      (value) => value.type.dtype === "f32" && value !== x && sameShape(value, x),
    ) ?? stream.input(shapeOf(x));
  if (!stream.affords(elements(x) * Math.max(widthOf(x), shapeOf(x).at(-2)!))) return;
  const letters = "abcd".slice(0, rankOf(x));
  const texts = [
    "$0.transpose(-1, -2) @ $1",
    "$0 @ $1.transpose(-1, -2)",
    `torch.einsum("${letters},${letters}->${letters.slice(0, -1)}", $0, $1)`,
    `torch.einsum("${letters},${letters}->${letters.at(-1)}", $0, $1)`,
    `torch.einsum("${letters},${letters.slice(0, -1)}e->${letters.slice(0, -2)}e${letters.at(-1)}", $0, $1)`,
    "($0 * $1).sum(dim=-1, keepdim=True) * $0",
    "torch.bmm($0, $1.transpose(1, 2))",
  ];
  const text = dice.pick(rankOf(x) === 3 ? texts : texts.slice(0, -1));
  const z = stream.say(text, x, y);
  if (rankOf(z) >= 2) after(stream, dice.roll(2) === 0 ? anyNorm(stream, z, dice) : z, x, dice);
};
