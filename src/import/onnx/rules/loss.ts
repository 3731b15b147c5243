/** @file Classification losses. */
import type { Value } from "../emit";
import type { NodeContext, Rules } from "../rule";

function lossAttrs(c: NodeContext): Record<string, string | number> {
  const reduction = c.text("reduction", "mean");
  const ignored = c.maybeInt("ignore_index");
  return { ...(reduction === "mean" ? {} : { reduction }), ...(ignored === null ? {} : { ignore_index: ignored }) };
}

const nll = (c: NodeContext): Value => c.op("nll_loss", [c.in(0), c.in(1), c.maybe(2)], lossAttrs(c));

/** The logarithms of the shares are a second result on demand. */
function crossEntropy(c: NodeContext): readonly Value[] {
  if ((c.node.outputs[1] ?? "") === "") return [c.op("cross_entropy", [c.in(0), c.in(1), c.maybe(2)], lossAttrs(c))];
  const shares = c.op("log_softmax", [c.in(0)], { axis: 1 });
  return [c.op("nll_loss", [shares, c.in(1), c.maybe(2)], lossAttrs(c)), shares];
}

export const lossRules: Rules = { NegativeLogLikelihoodLoss: nll, SoftmaxCrossEntropyLoss: crossEntropy };
