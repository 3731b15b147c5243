/** @file Blocks over images and signals: convolutions, pools, and what runs along an axis. */
import type { Dice, Value } from "./any-program";
import { ACTIVATIONS, elements, narrowed, rankOf, shapeOf, widthOf, type Block, type Stream } from "./block-stream";
import { after, anyAxis, partOf } from "./blocks-rows";

/** A convolution of any stride, padding, dilation and number of groups. */
function convolved(stream: Stream, x: Value, dice: Dice): Value {
  const c = shapeOf(x)[1]!;
  const is2d = rankOf(x) === 4;
  const groups = dice.pick([1, 1, c, partOf(c)]);
  const out = groups * dice.pick(groups === c ? [1, 2] : [1, 2, 3]);
  const k = dice.pick([3, 1, 2, 5]);
  const taps = is2d ? [k, dice.pick([k, 3, 1])] : [k];
  const stride = dice.pick([1, 1, 2]);
  const dilation = dice.pick([1, 1, 2]);
  const padding = dice.pick([1, 0, 2, (k - 1) * dilation]);
  if (!stream.affords((elements(x) * out * taps.reduce((a, b) => a * b, 1)) / groups)) return x;
  const how = `stride=${stride}, padding=${padding}, dilation=${dilation}, groups=${groups}`;
  const name = is2d ? "F.conv2d" : "F.conv1d";
  const w = stream.input([out, c / groups, ...taps]);
  if (groups === 1 && dice.roll(8) === 0) {
    return stream.say(`F.conv_transpose${is2d ? 2 : 1}d($0, $1, stride=${stride})`, x, stream.input([c, out, ...taps]));
  }
  return dice.roll(2) === 0
    ? stream.say(`${name}($0, $1, ${how})`, x, w)
    : stream.say(`${name}($0, $1, $2, ${how})`, x, w, stream.input([out]));
}

function channelNorm(stream: Stream, x: Value, dice: Dice): Value {
  const c = shapeOf(x)[1]!;
  const [w, b] = [stream.input([c]), stream.input([c])];
  switch (dice.roll(6)) {
    case 0:
      return stream.say(
        "F.batch_norm($0, $1, $2, $3, $4)",
        x,
        w,
        stream.input([c], "f32", "uniform(0.5, 2)"),
        b,
        stream.input([c]),
      );
    case 1:
      return stream.say("F.batch_norm($0, None, None, $1, $2, training=True)", x, w, b);
    case 2:
      return stream.say(`F.group_norm($0, ${partOf(c)}, $1, $2)`, x, w, b);
    case 3:
      return stream.say("F.instance_norm($0)", x);
    case 4:
      return stream.say("$0 / torch.sqrt($0.square().mean(dim=1, keepdim=True) + 1e-5)", x);
    default:
      return rankOf(x) === 4
        ? stream.say(`F.layer_norm($0.permute(0, 2, 3, 1), (${c},), $1, $2).permute(0, 3, 1, 2)`, x, w, b)
        : stream.say("F.softmax($0, dim=1)", x);
  }
}

export const convolution: Block = (stream, x, dice) => {
  if (rankOf(x) < 3) return;
  const y = convolved(stream, x, dice);
  const z = dice.roll(3) > 0 ? channelNorm(stream, y, dice) : y;
  const a = dice.roll(2) === 0 ? stream.say(`${dice.pick(ACTIVATIONS)}($0)`, z) : after(stream, z, x, dice);
  if (dice.roll(3) === 0 && rankOf(a) === 4) excited(stream, a, dice);
};

/** Channels weighed by what their means say. */
function excited(stream: Stream, x: Value, dice: Dice): void {
  const c = shapeOf(x)[1]!;
  const mean = stream.say(dice.pick(["$0.mean(dim=(2, 3))", "F.adaptive_avg_pool2d($0, 1).flatten(1)"]), x);
  const gate = stream.say("sigmoid(relu($0 @ $1) @ $2)", mean, stream.input([c, 3]), stream.input([3, c]));
  stream.say("$0 * $1[:, :, None, None]", x, gate);
}

export const pooled: Block = (stream, x, dice) => {
  const [h, w] = shapeOf(x).slice(-2) as [number, number];
  if (rankOf(x) === 3) {
    if (w < 3) return;
    stream.say(
      dice.pick([
        "F.max_pool1d($0, 2)",
        "F.avg_pool1d($0, 3, stride=1, padding=1)",
        "F.max_pool1d($0, 3, stride=2, padding=1)",
      ]),
      x,
    );
    return;
  }
  if (rankOf(x) < 4 || h < 3 || w < 3) return;
  const y = stream.say(
    dice.pick([
      "F.max_pool2d($0, 2)",
      "F.avg_pool2d($0, 2)",
      "F.max_pool2d($0, 3, stride=2, padding=1)",
      "F.avg_pool2d($0, 3, stride=1, padding=1)",
      "F.adaptive_avg_pool2d($0, 1)",
      "F.interpolate($0, scale_factor=2)",
      "$0.mean(dim=(2, 3), keepdim=True)",
      "$0.amax(dim=(2, 3), keepdim=True)",
      "F.adaptive_avg_pool2d($0, (2, 3))",
    ]),
    x,
  );
  after(stream, y, x, dice);
};

const SCANS = [
  "torch.cumsum($0, dim=A)",
  "$0.cumsum(dim=A).flip(A)",
  "cummax($0, dim=A)",
  "torch.cumprod(1 - 0.5 * sigmoid($0), dim=A)",
  "cumsum($0, dim=A, reverse=True)",
  "cumsum($0, dim=A, exclusive=True)",
  "torch.logcumsumexp($0, dim=A)",
  "$0 - $0.cumsum(dim=A) / N",
];

export const scanned: Block = (stream, x, dice) => {
  const axis = dice.roll(2) === 0 ? -2 : anyAxis(x, dice);
  const n = shapeOf(x).at(axis)!;
  const said = (text: string, ...operands: Value[]): Value =>
    stream.say(text.replaceAll("A", String(axis)).replaceAll("N", String(n)), ...operands);
  switch (dice.roll(4)) {
    case 0: {
      // A running mean of what decays.
      const decay = said("torch.cumsum(F.logsigmoid($0), dim=A)", stream.input(shapeOf(x)));
      const sums = said("torch.cumsum($0 * torch.exp(-$1), dim=A)", x, decay);
      after(stream, said("$0 * torch.exp($1)", sums, decay), x, dice);
      return;
    }
    case 1: {
      const count = stream.say(`torch.arange(1, ${widthOf(x) + 1}).float()`);
      after(stream, stream.say("$0.cumsum(dim=-1) / $1", x, count), x, dice);
      return;
    }
    default: {
      const y = said(dice.pick(SCANS), x);
      after(
        stream,
        dice.roll(2) === 0 ? stream.say("$0 * $1", y, stream.input(narrowed(shapeOf(y), dice))) : y,
        x,
        dice,
      );
    }
  }
};
