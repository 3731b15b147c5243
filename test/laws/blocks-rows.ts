/** @file Blocks that keep what they are given, or move it: norms, residuals, views, gates, rotations. */
import { sizeOf } from "../../src/fusion/ir";
import type { Dice, Value } from "./any-program";
import {
  ACTIVATIONS,
  elements,
  list,
  narrowed,
  rankOf,
  sameShape,
  shapeOf,
  widthOf,
  type Block,
  type Stream,
} from "./block-stream";

/** The last axis most of the time. */
export const anyAxis = (x: Value, dice: Dice): number => (dice.roll(3) > 0 ? -1 : -1 - dice.roll(rankOf(x)));

const ROWS: readonly string[] = [
  "softmax($0, dim=A)",
  "$0 / $0.abs().sum(dim=A, keepdim=True).clamp(min=1.0)",
  "$0 / $0.sum(dim=A, keepdim=True).abs().clamp(min=1)",
  "$0 / ($0.square().sum(dim=A, keepdim=True) + 1e-3)",
  "F.normalize($0, dim=A)",
  "$0 * torch.rsqrt($0.square().mean(dim=A, keepdim=True) + 1e-5)",
  "$0 / torch.sqrt($0.pow(2).mean(A, keepdim=True) + 1e-6)",
  "($0 - $0.mean(dim=A, keepdim=True)) / ($0.std(dim=A, keepdim=True, unbiased=False) + 1e-3)",
  "($0 - $0.mean(A, keepdim=True)) * torch.rsqrt($0.var(dim=A, keepdim=True, unbiased=False) + 1e-5)",
  "$0 - torch.logsumexp($0, dim=A, keepdim=True)",
  "log_softmax($0, dim=A)",
  "$0 / ($0.abs().amax(dim=A, keepdim=True) + 0.5)",
  "sigmoid($0) / sigmoid($0).sum(dim=A, keepdim=True)",
  "relu($0) / (relu($0).sum(dim=A, keepdim=True) + 1)",
  "torch.exp($0 - $0.amax(dim=A, keepdim=True))",
  "$0 - $0.mean(dim=A, keepdim=True)",
];

/** A row normalisation along an axis, in one line or in several. */
export function overRows(stream: Stream, x: Value, axis: number, dice: Dice): Value {
  const kind = dice.roll(ROWS.length + 4);
  if (kind < ROWS.length) return stream.say(ROWS[kind]!.replaceAll("A", String(axis)), x);
  const say = (text: string, ...operands: Value[]): Value =>
    stream.say(text.replaceAll("A", String(axis)), ...operands);
  switch (kind - ROWS.length) {
    case 0: {
      const centred = say("$0 - $1", x, say("$0.mean(dim=A, keepdim=True)", x));
      return say("$0 * torch.rsqrt($1 + 1e-5)", centred, say("($0 * $0).mean(dim=A, keepdim=True)", centred));
    }
    case 1: {
      const powers = say("torch.exp($0 - $1)", x, say("$0.amax(dim=A, keepdim=True)", x));
      return say("$0 / $1", powers, say("$0.sum(dim=A, keepdim=True)", powers));
    }
    case 2:
      return say("$0 / $1.clamp(min=1)", x, say("$0.sum(dim=A, keepdim=True).abs()", x));
    default: {
      const norm = say("torch.sqrt(($0 * $0).sum(dim=A, keepdim=True))", x);
      return say("$0 / torch.maximum($1, 0.1)", x, norm);
    }
  }
}

/** A norm with the parameters of its rows. */
function layerNorm(stream: Stream, x: Value, dice: Dice): Value {
  const c = widthOf(x);
  const [w, b] = [stream.input([c]), stream.input([c])];
  switch (dice.roll(6)) {
    case 0:
      return stream.say(`F.layer_norm($0, (${c},), $1, $2)`, x, w, b);
    case 1:
      return stream.say("rms_norm($0, $1)", x, w);
    case 2:
      return stream.say(`F.layer_norm($0, (${shapeOf(x).at(-2)}, ${c}))`, x);
    case 3:
      return stream.say("$0 * torch.rsqrt($0.pow(2).mean(-1, keepdim=True) + 1e-6) * $1", x, w);
    case 4:
      return stream.say("layer_norm($0, $1)", x, w);
    default:
      return stream.say("layer_norm($0) * (1 + $1) + $2", x, stream.input(narrowed(shapeOf(x), dice)), b);
  }
}

/** Any norm of the rows, the columns or the images. */
export function anyNorm(stream: Stream, x: Value, dice: Dice): Value {
  return dice.roll(3) === 0 ? layerNorm(stream, x, dice) : overRows(stream, x, anyAxis(x, dice), dice);
}

export const normed: Block = (stream, x, dice) => {
  after(stream, anyNorm(stream, x, dice), x, dice);
};

/** What follows a result: nothing, a bias, a gate, an activation, a residual. */
export function after(stream: Stream, y: Value, x: Value, dice: Dice): Value {
  switch (dice.roll(9)) {
    case 0:
      return stream.say("$0 + $1", y, stream.input([widthOf(y)]));
    case 1:
      return stream.say(`${dice.pick(ACTIVATIONS)}($0)`, y);
    case 2:
      return sameShape(y, x) ? stream.say("$0 + $1", x, y) : y;
    case 3:
      return sameShape(y, x) ? stream.say("$0 * sigmoid($1)", y, x) : stream.say("silu($0) * 0.5", y);
    case 4:
      return stream.say("$0 * $1", y, stream.input(narrowed(shapeOf(y), dice)));
    case 5:
      return stream.say("$0 + $1 * 0.5", y, stream.input(shapeOf(y)));
    default:
      return y;
  }
}

export const residual: Block = (stream, x, dice) => {
  const other = stream.writing.valueAt(
    1 + dice.roll(4),
    (value) => value.type.dtype === "f32" && value !== x && sameShape(value, x),
  );
  const y = other ?? stream.input(narrowed(shapeOf(x), dice));
  const kind = dice.roll(5);
  stream.say(
    ["$0 + $1", "$0 * silu($1)", "torch.lerp($0, $1, 0.3)", "$0 - 0.5 * $1", "torch.where($0 > $1, $0, 0.1 * $1)"][
      kind
    ]!,
    x,
    y,
  );
};

/** A divisor of `extent` that is neither 1 nor all of it, if there is one. */
export const partOf = (extent: number): number =>
  [2, 3, 4, 5].find((part) => extent % part === 0 && part < extent) ?? 1;

const VIEWS: readonly ((x: Value, dice: Dice) => string | null)[] = [
  () => "$0.transpose(-1, -2)",
  (x) => (rankOf(x) >= 3 ? "$0.transpose(1, 2)" : "$0.T"),
  (x) => (rankOf(x) === 4 ? "$0.transpose(1, 2).reshape(" + list([shapeOf(x)[0]!, shapeOf(x)[2]!, -1]) + ")" : null),
  (x) => {
    const h = partOf(widthOf(x));
    const lead = shapeOf(x).slice(0, -1);
    return rankOf(x) < 4 ? `$0.reshape(${list([...lead, h, widthOf(x) / h])}).transpose(-2, -3)` : null;
  },
  (x) => (rankOf(x) === 4 ? "$0.permute(0, 2, 3, 1)" : rankOf(x) === 3 ? "$0.permute(2, 0, 1)" : null),
  (x) => (rankOf(x) === 4 ? "$0.flatten(2).transpose(1, 2)" : rankOf(x) === 3 ? "$0.flatten(0, 1)" : null),
  (x) => (rankOf(x) >= 3 ? `$0.reshape(-1, ${widthOf(x)})` : null),
  (x) => {
    const h = partOf(shapeOf(x).at(-2)!);
    const [t, c] = shapeOf(x).slice(-2) as [number, number];
    return rankOf(x) < 4 ? `$0.reshape(${list([...shapeOf(x).slice(0, -2), h, t / h, c])})` : null;
  },
  (x, dice) => `torch.flip($0, dims=(${-1 - dice.roll(rankOf(x))},))`,
  (x, dice) => `torch.roll($0, shifts=${1 + dice.roll(3)}, dims=${-1 - dice.roll(rankOf(x))})`,
  (_, dice) => `F.pad($0, (${dice.roll(2)}, ${dice.roll(3)}, ${1 + dice.roll(2)}, 0))`,
  (x) => (shapeOf(x).at(-2)! > 1 ? "$0[..., 1:, :]" : null),
  (x) => (shapeOf(x).at(-2)! > 1 ? "torch.cat([$0[..., 1:, :], $0[..., :1, :]], dim=-2)" : null),
  (x) => (widthOf(x) > 1 ? "$0[..., ::2]" : null),
  (x) => (rankOf(x) < 4 ? `$0.unsqueeze(-2).expand(${list([...shapeOf(x).slice(0, -1), 2, widthOf(x)])})` : null),
  (x) => (rankOf(x) < 4 ? "torch.stack([$0, tanh($0)], dim=-2)" : null),
  (x) => (rankOf(x) < 4 ? "$0.repeat_interleave(2, dim=-2)" : null),
  (x) => `$0.reshape(${list([sizeOf(shapeOf(x)) / widthOf(x), widthOf(x)])}).T`,
];

export const moved: Block = (stream, x, dice) => {
  const text = dice.pick(VIEWS)(x, dice);
  const y = text === null ? stream.say("$0.transpose(-1, -2)", x) : stream.say(text, x);
  if (dice.roll(2) === 0) after(stream, y, x, dice);
};

/** Halves of the last axis that gate one another. */
export const halved: Block = (stream, x, dice) => {
  const c = widthOf(x);
  if (c < 2 || c % 2 === 1) return;
  const [a, b] = [stream.say(`$0[..., :${c / 2}]`, x), stream.say(`$0[..., ${c / 2}:]`, x)];
  stream.say(
    dice.pick(["$0 * sigmoid($1)", "silu($0) * $1", "torch.cat([$1, $0], dim=-1)", "F.gelu($0) * $1 + $0"]),
    a,
    b,
  );
};

/** Pairs of the last axis turned by angles. */
export function rotated(stream: Stream, x: Value, dice: Dice): Value {
  const c = widthOf(x);
  const t = shapeOf(x).at(-2)!;
  if (c % 2 === 1 || c < 2 || elements(x) > 4000) return x;
  const angles = stream.say(`torch.outer(torch.arange(${t}).float(), $0)`, stream.input([c / 2]));
  switch (dice.roll(4)) {
    case 0: {
      const both = stream.say("torch.cat([$0, $0], dim=-1)", angles);
      const turned = stream.say(`torch.cat([-$0[..., ${c / 2}:], $0[..., :${c / 2}]], dim=-1)`, x);
      return stream.say("$0 * torch.cos($2) + $1 * torch.sin($2)", x, turned, both);
    }
    case 1: {
      const [cos, sin] = [stream.say("torch.cos($0)", angles), stream.say("torch.sin($0)", angles)];
      const [a, b] = [stream.say("$0[..., ::2]", x), stream.say("$0[..., 1::2]", x)];
      const pairs = stream.say("torch.stack([$0 * $2 - $1 * $3, $0 * $3 + $1 * $2], dim=-1)", a, b, cos, sin);
      return stream.say("$0.flatten(-2)", pairs);
    }
    case 2: {
      const [a, b] = [stream.say(`$0[..., :${c / 2}]`, x), stream.say(`$0[..., ${c / 2}:]`, x)];
      return stream.say("torch.cat([$0 * cos($2) - $1 * sin($2), $1 * cos($2) + $0 * sin($2)], dim=-1)", a, b, angles);
    }
    default:
      return stream.say("rope($0, cos($1), sin($1))", x, angles);
  }
}

export const rotary: Block = (stream, x, dice) => {
  rotated(stream, x, dice);
};
