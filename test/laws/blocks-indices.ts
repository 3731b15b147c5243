/** @file Blocks that load or add by indices that are data, that choose, and that fold to a few numbers. */
import type { Dice, Value } from "./any-program";
import { elements, leadOf, list, rankOf, sameShape, shapeOf, widthOf, type Block, type Stream } from "./block-stream";
import { after, anyNorm } from "./blocks-rows";

const axisOf = (x: Value, dice: Dice): number => dice.roll(rankOf(x));

export const indexed: Block = (stream, x, dice) => {
  const axis = axisOf(x, dice);
  const shape = shapeOf(x);
  const extent = shape[axis]!;
  const n = dice.pick([5, 3, 7, extent]);
  const taken = shape.with(axis, n);
  switch (dice.roll(7)) {
    case 0:
      after(stream, stream.say(`torch.index_select($0, ${axis}, $1)`, x, stream.indices([n], extent)), x, dice);
      return;
    case 1:
      after(stream, stream.say(`torch.gather($0, ${axis}, $1)`, x, stream.indices(taken, extent)), x, dice);
      return;
    case 2:
      after(stream, stream.say("$0[$1]", x, stream.indices([n], shape[0]!)), x, dice);
      return;
    case 3: {
      const words = stream.say("F.embedding($1, $0)", stream.input([11, widthOf(x)]), stream.indices(leadOf(x), 11));
      after(stream, stream.say("$0 + $1", x, words), x, dice);
      return;
    }
    case 4:
      after(stream, stream.say(`torch.take_along_dim($0, torch.argsort($0, dim=${axis}), dim=${axis})`, x), x, dice);
      return;
    case 5: {
      const kinds = stream.say(`F.one_hot($0, ${5}).float()`, stream.indices(leadOf(x), 5));
      after(stream, stream.say("$0 @ $1 + $2", kinds, stream.input([5, widthOf(x)]), x), x, dice);
      return;
    }
    default:
      after(stream, stream.say(`torch.index_select($0, ${axis}, $1) * 0.5`, x, stream.indices([n], extent)), x, dice);
  }
};

/** Messages along edges, from sources to targets. */
function passedOn(stream: Stream, x: Value): Value {
  const n = shapeOf(x)[0]!;
  const ends = stream.say("$0[$1] - $0[$2]", x, stream.indices([9], n), stream.indices([9], n));
  return stream.say(`torch.zeros(${list(shapeOf(x))}).index_add(0, $1, relu($0))`, ends, stream.indices([9], n));
}

function written(stream: Stream, x: Value, dice: Dice): Value {
  const axis = axisOf(x, dice);
  const shape = shapeOf(x);
  const extent = shape[axis]!;
  const n = dice.pick([4, 3, 7]);
  const some = shape.with(axis, n);
  switch (dice.roll(6)) {
    case 0:
      return stream.say(`torch.index_add($0, ${axis}, $1, $2)`, x, stream.indices([n], extent), stream.input(some));
    case 1: {
      const sums = `torch.zeros(${list(some)}).index_add(${axis}, $1, $0)`;
      return anyNorm(stream, stream.say(sums, x, stream.indices([extent], n)), dice);
    }
    case 2:
      return stream.say(`$0.scatter_add(${axis}, $1, $2)`, x, stream.indices(shape, extent), stream.input(shape));
    case 3:
      return passedOn(stream, x);
    case 4: {
      const at = stream.input([2], "i32", "const([0, 0])");
      return stream.say(`$0.index_copy(${axis}, $1, $2)`, x, at, stream.input(shape.with(axis, 2)));
    }
    default: {
      const y = stream.say("$0.scatter_add(0, $1, $2 * 0.5)", x, stream.indices(shape, shape[0]!), stream.input(shape));
      return anyNorm(stream, y, dice);
    }
  }
}

/** Rows added, or put, where indices say. */
export const updated: Block = (stream, x, dice) => {
  if (elements(x) <= 2000) after(stream, written(stream, x, dice), x, dice);
};

/** Tokens to experts: the weights of the best few, and what the experts say. */
export const dispatched: Block = (stream, x, dice) => {
  const c = widthOf(x);
  const experts = 4;
  if (rankOf(x) > 3 || !stream.affords(elements(x) * c * experts)) return;
  const gates = stream.say("torch.softmax($0 @ $1, dim=-1)", x, stream.input([c, experts]));
  const best = stream.say("$0.amax(dim=-1, keepdim=True)", gates);
  const chosen =
    dice.roll(2) === 0
      ? stream.say("torch.where($0 >= $1, $0, 0.0)", gates, best)
      : stream.say("$0 * ($0 >= torch.topk($0, 2, dim=-1).values[..., -1:])", gates);
  const shares = stream.say("$0 / ($0.sum(dim=-1, keepdim=True) + 1e-6)", chosen);
  const w = stream.input([experts, c, c]);
  const letters = "bt".slice(0, rankOf(x) - 1);
  const all = stream.say(`relu(torch.einsum("${letters}c,ecd->${letters}ed", $0, $1))`, x, w);
  after(stream, stream.say("($0 * $1.unsqueeze(-1)).sum(dim=-2)", all, shares), x, dice);
};

const FOLDS = [
  "$0.mean(dim=(-2, -1), keepdim=True)",
  "$0.sum(dim=-2, keepdim=True)",
  "$0.var(dim=-1, keepdim=True)",
  "$0.amax(dim=-2, keepdim=True)",
  "$0.square().mean(dim=(0, -1), keepdim=True)",
  "torch.logsumexp($0, dim=-2, keepdim=True)",
  "$0.mean(dim=0, keepdim=True)",
];

/** Means and losses over several axes; what they say may meet what they came from again. */
export const folded: Block = (stream, x, dice) => {
  const shape = shapeOf(x);
  const c = widthOf(x);
  const other = stream.writing.valueAt(
    1 + dice.roll(3),
    (value) => value !== x && value.type.dtype === "f32" && sameShape(value, x),
  );
  const y = other ?? stream.input(shape);
  switch (dice.roll(9)) {
    case 0:
      stream.say(`F.mse_loss($0, $1${dice.pick(["", ', reduction="sum"'])})`, x, y);
      return;
    case 1:
      stream.say(`F.cross_entropy($0.reshape(-1, ${c}), $1)`, x, stream.indices([elements(x) / c], c));
      return;
    case 2:
      stream.say(`F.kl_div(torch.log_softmax($0, dim=-1), torch.softmax($1, dim=-1), reduction="batchmean")`, x, y);
      return;
    case 3:
      stream.say("(F.normalize($0, dim=-1) * F.normalize($1, dim=-1)).sum(dim=-1).mean()", x, y);
      return;
    case 4:
      stream.say("F.smooth_l1_loss($0, $1)", x, y);
      return;
    case 5:
      stream.say("-(torch.softmax($0, dim=-1) * torch.log_softmax($0, dim=-1)).sum(-1).mean(dim=0)", x);
      return;
    case 6:
      stream.say("F.binary_cross_entropy_with_logits($0, sigmoid($1))", x, y);
      return;
    default:
      contrasted(stream, x, dice);
  }
};

function contrasted(stream: Stream, x: Value, dice: Dice): void {
  const fold = stream.say(dice.pick(FOLDS), x);
  const y = stream.say(dice.pick(["$0 - $1", "$0 * sigmoid($1)", "$0 / ($1.abs() + 1)", "$0 + $1"]), x, fold);
  after(stream, y, x, dice);
}
