/** @file Blocks that are parts of well-known models: windows, groups of queries, pairs, contrast, codebooks, graphs, recurrences. */
import type { Dice, Value } from "./any-program";
import { elements, list, narrowed, rankOf, shapeOf, widthOf, type Block, type Stream } from "./block-stream";
import { after, anyNorm, overRows, partOf } from "./blocks-rows";

/** Windows of an image or a sequence, each attending to itself. */
const windows = (stream: Stream, x: Value, dice: Dice): void => {
  const [b, t, c] = shapeOf(x) as [number, number, number];
  const n = partOf(t);
  const shifted = dice.roll(2) === 0 ? stream.say("torch.roll($0, shifts=1, dims=1)", x) : x;
  const w = stream.say(`$0.reshape(${list([b, n, t / n, c])})`, shifted);
  const p = overRows(stream, stream.say("$0 @ $0.transpose(-1, -2) * 0.3", w), -1, dice);
  const o = stream.say(`($0 @ $1).reshape(${list([b, t, c])})`, p, w);
  after(stream, dice.roll(2) === 0 ? stream.say("torch.roll($0, shifts=-1, dims=1)", o) : o, x, dice);
};

/** Two axes parted, and their parts brought together: patches of images. */
const patches = (stream: Stream, x: Value, dice: Dice): void => {
  const [b, c, h, w] = shapeOf(x) as [number, number, number, number];
  const [n, m] = [partOf(h), partOf(w)];
  const cut = stream.say(`$0.reshape(${list([b, c, n, h / n, m, w / m])})`, x);
  const tokens = stream.say(`$0.permute(0, 2, 4, 1, 3, 5).reshape(${list([b, n * m, -1])})`, cut);
  const y = dice.roll(2) === 0 ? anyNorm(stream, tokens, dice) : tokens;
  const back = stream.say(`$0.reshape(${list([b, n, m, c, h / n, w / m])}).permute(0, 3, 1, 4, 2, 5)`, y);
  after(stream, stream.say(`$0.reshape(${list([b, c, h, w])})`, back), x, dice);
};

export const windowed: Block = (stream, x, dice) => {
  if (rankOf(x) === 3 && elements(x) * shapeOf(x)[1]! < 20_000) windows(stream, x, dice);
  else if (rankOf(x) === 4) patches(stream, x, dice);
};

/** Queries in groups that share keys, positions that add a bias from a table, similarities of directions. */
export const grouped: Block = (stream, x, dice) => {
  const [t, c] = shapeOf(x).slice(-2) as [number, number];
  if (rankOf(x) !== 3 || !stream.affords(4 * elements(x) * Math.max(c, t))) return;
  const b = shapeOf(x)[0]!;
  const h = partOf(c);
  const d = c / h;
  const q = stream.say(`($0 @ $1).reshape(${list([b, t, h, d])}).transpose(1, 2)`, x, stream.input([c, c]));
  const k = stream.say("($0 @ $1).unsqueeze(1)", x, stream.input([c, d]));
  const v = stream.say("($0 @ $1).unsqueeze(1)", x, stream.input([c, d]));
  const wide = dice.roll(3);
  const [keys, values] =
    wide === 0
      ? [k, v]
      : [k, v].map((y) =>
          stream.say(wide === 1 ? `$0.expand(${list([b, h, t, d])})` : `$0.repeat_interleave(${h}, dim=1)`, y),
        );
  const alike = dice.roll(2) === 0;
  const directed = (y: Value): Value => (alike ? stream.say("F.normalize($0, dim=-1)", y) : y);
  let s = stream.say("$0 @ $1.transpose(-1, -2) * 0.5", directed(q), directed(keys!));
  switch (dice.roll(5)) {
    case 0: {
      const bias = stream.say("$0[$1].permute(2, 0, 1)", stream.input([9, h]), stream.indices([t, t], 9));
      s = stream.say("$0 + $1", s, bias);
      break;
    }
    case 1:
      s = stream.say(
        `$0 + $1[:, None, None] * (torch.arange(${t})[None, :] - torch.arange(${t})[:, None])`,
        s,
        stream.input([h]),
      );
      break;
    case 2: {
      const parts = stream.indices([b, t], 2);
      s = stream.say("torch.where(($1[:, None, :, None] == $1[:, None, None, :]), $0, -1e9)", s, parts);
      break;
    }
    case 3: {
      const sink = stream.say(`$0.reshape(1, ${h}, 1, 1).expand(${list([b, h, t, 1])})`, stream.input([h]));
      s = stream.say(`torch.softmax(torch.cat([$0, $1], dim=-1), dim=-1)[..., :${t}]`, s, sink);
      break;
    }
    default:
  }
  const o = stream.say("$0 @ $1", overRows(stream, s, -1, dice), values!);
  const y = stream.say(
    `$0.transpose(1, 2).reshape(${list([b, t, c])})`,
    dice.roll(2) === 0 ? anyNorm(stream, o, dice) : o,
  );
  after(stream, y, x, dice);
};

/** Every row with every other: distances, kernels of them, the nearest. */
const pairs = (stream: Stream, x: Value, dice: Dice): Value => {
  const y = stream.input([...shapeOf(x).slice(0, -2), dice.pick([5, 7, 4]), widthOf(x)]);
  const d =
    dice.roll(2) === 0
      ? stream.say("($0.unsqueeze(-2) - $1.unsqueeze(-3)).square().sum(dim=-1)", x, y)
      : stream.say(
          "($0 * $0).sum(-1, keepdim=True) - 2 * $0 @ $1.transpose(-1, -2) + ($1 * $1).sum(-1).unsqueeze(-2)",
          x,
          y,
        );
  switch (dice.roll(4)) {
    case 0:
      return stream.say("torch.exp(-0.1 * $0) @ $1", d, y);
    case 1:
      return stream.say("torch.softmax(-$0, dim=-1) @ $1", d, y);
    case 2:
      return stream.say("$0.amin(dim=-1, keepdim=True) + $0.amin(dim=-2, keepdim=True)", d);
    default:
      return anyNorm(stream, d, dice);
  }
};

/** What is alike in two views of one batch, both ways round. */
const contrast = (stream: Stream, x: Value, dice: Dice): void => {
  const [t, c] = shapeOf(x) as [number, number];
  const [a, b] = [
    stream.say("F.normalize($0 @ $1, dim=-1)", x, stream.input([c, 5])),
    stream.say("F.normalize($0, dim=-1)", stream.input([t, 5])),
  ];
  const s = stream.say("$0 @ $1.T * 4", a, b);
  const labels = stream.say(`torch.arange(${t})`);
  const way = dice.roll(3);
  if (way === 0) stream.say("(F.cross_entropy($0, $1) + F.cross_entropy($0.T, $1)) / 2", s, labels);
  else if (way === 1) stream.say("torch.softmax($0, dim=0) * torch.softmax($0, dim=1)", s);
  else stream.say("F.softplus(-$0 * (2 * torch.eye(T) - 1)).sum(dim=-1).mean()".replace("T", String(t)), s);
};

export const paired: Block = (stream, x, dice) => {
  if (rankOf(x) > 3 || !stream.affords(10 * elements(x))) return;
  if (rankOf(x) === 2 && shapeOf(x)[0]! <= 40 && dice.roll(2) === 0) contrast(stream, x, dice);
  else after(stream, pairs(stream, x, dice), x, dice);
};

/** Weights of edges that are a softmax over those that end at the same node. */
export const graphs: Block = (stream, x, dice) => {
  const [n, c] = shapeOf(x) as [number, number];
  if (rankOf(x) !== 2 || n > 40) return;
  const [from, to] = [stream.indices([11], n), stream.indices([11], n)];
  const h = stream.say("$0 @ $1", x, stream.input([c, 6]));
  const s = stream.say(
    "F.leaky_relu(($0[$1] * $3).sum(-1) + ($0[$2] * $3).sum(-1), 0.2)",
    h,
    from,
    to,
    stream.input([6]),
  );
  const e = stream.say("torch.exp($0 - $0.max())", s);
  const total = stream.say(`torch.zeros(${n}).index_add(0, $1, $0)`, e, to);
  const a = stream.say("$0 / ($1[$2] + 1e-6)", e, total, to);
  const o = stream.say(`torch.zeros(${n}, 6).index_add(0, $2, $0[:, None] * $1[$3])`, a, h, to, from);
  after(stream, dice.roll(2) === 0 ? anyNorm(stream, o, dice) : o, x, dice);
};

/** A recurrence over tokens, written as a loop. */
export const recurrent: Block = (stream, x, dice) => {
  const [b, t, c] = shapeOf(x) as [number, number, number];
  if (rankOf(x) !== 3 || t > 9 || c > 12) return;
  const w = stream.input([c, c]);
  let h = stream.say(`torch.zeros(${b}, ${c})`);
  const steps: Value[] = [];
  for (let i = 0; i < Math.min(t, 4); i++) {
    h =
      dice.roll(2) === 0
        ? stream.say(`torch.tanh($0 @ $1 + $2[:, ${i}])`, h, w, x)
        : stream.say(`sigmoid($0) * $0 + (1 - sigmoid($0)) * $1[:, ${i}]`, h, x);
    steps.push(h);
  }
  const all = stream.say(`torch.stack([${steps.map((_, i) => `$${i}`).join(", ")}], dim=1)`, ...steps);
  after(stream, stream.say("$0 * $1", all, stream.input(narrowed(shapeOf(all), dice))), x, dice);
};
