/**
 * @file Patterns of patterns: attention, a loss over a log_softmax, a bias before a gelu, a dropout before a residual. Labels only.
 * @about neg, sub, max, gelu, add: formulas are written with these.
 */
import { node, sameShape, type Node, type NodeId } from "../../ir";
import { opDef } from "../../ops";
import { isFreeView } from "../../kernel";
import { attempt, behind, opOf, type Seen } from "../algebra/matching";
import { either, geluOf, logSoftmax, logsumexp, softmax, type Pattern } from "./patterns";

/** Ops between the two products of attention besides the softmax: scale, bias, mask, cap, dropout. */
const MODS = 16;

/** Back through elementwise ops of one shape and free views to a product; null where none is near. */
function productBefore(seen: Seen, from: NodeId): Node | null {
  const { graph } = seen;
  const came = new Map<NodeId, NodeId | null>([[from, null]]);
  for (const id of came.keys()) {
    const n = node(graph, id);
    const { kind } = opDef(n.op);
    if (kind === "contraction") {
      for (let at: NodeId | null = id; at !== null; at = came.get(at) ?? null) seen.members.add(at);
      return n;
    }
    if (came.size > MODS || !(kind === "elementwise" || kind === "random" || isFreeView(n))) continue;
    for (const input of n.inputs) if (!came.has(input)) came.set(input, id);
  }
  return null;
}

/** softmax of a product, times values; what is done to the scores and to their shares in between belongs to it. */
const attention: Pattern = (seen, root) => {
  if (opDef(root.op).kind !== "contraction") return null;
  const shares = sharesOf(seen, root.inputs[0]!);
  return shares && productBefore(seen, shares) ? "scaled_dot_product_attention" : null;
};

/** What a softmax, seen behind views and a dropout, is taken of. */
function sharesOf(seen: Seen, id: NodeId): NodeId | null {
  let n = behind(seen, id);
  if (n.op === "dropout") {
    seen.members.add(n.id);
    n = behind(seen, n.inputs[0]!);
  }
  if (softmax(seen, n) === null) return null;
  seen.members.add(n.id);
  const exp = opOf(seen, n.inputs[0]!, "exp")!;
  return opOf(seen, exp.inputs[0]!, "sub")!.inputs[0]!;
}

/** What a gather takes one element of each row of. */
function gathered(seen: Seen, id: NodeId): Node | null {
  const gather = attempt(seen, (tried) => {
    const n = behind(tried, id);
    if (opDef(n.op).kind !== "gather") return null;
    tried.members.add(n.id);
    return n;
  });
  return gather && behind(seen, gather.inputs[0]!);
}

const isLogSoftmax = (seen: Seen, n: Node): boolean => {
  const found = attempt(seen, (tried) => logSoftmax(tried, n)) !== null;
  if (found) seen.members.add(n.id);
  return found;
};

/** −log_softmax(x) picked by an index or by a sum over a mask; logsumexp(x) − x picked by an index; nll_loss as called. */
const crossEntropy: Pattern = (seen, root) => {
  const { graph } = seen;
  const loss = root.groups.find(({ kind, id }) => kind === "composite" && id === root.id);
  if (loss?.label === "nll_loss") return attempt(seen, (tried) => lossOver(tried, root, loss.id));
  if (root.op === "neg") {
    const picked = attempt(seen, (tried) => {
      const from = gathered(tried, root.inputs[0]!);
      return from && isLogSoftmax(tried, from) ? from : null;
    });
    if (picked) return "cross_entropy";
    const sum = opOf(seen, root.inputs[0]!, "sum");
    const masked = sum && opOf(seen, sum.inputs[0]!, "mul");
    return (
      masked &&
      either(seen, masked.inputs[0]!, masked.inputs[1]!, (tried, log) =>
        isLogSoftmax(tried, behind(tried, log)) ? "cross_entropy" : null,
      )
    );
  }
  if (root.op !== "sub") return null;
  const total = behind(seen, root.inputs[0]!);
  const from = logsumexp(seen, total) === null ? null : gathered(seen, root.inputs[1]!);
  const max = from && [...seen.members].map((id) => node(graph, id)).find(({ op }) => op === "max");
  if (!from || !max || behind(seen, max.inputs[0]!).id !== from.id) return null;
  seen.members.add(total.id);
  seen.members.delete(from.id);
  return "cross_entropy";
};

/** Back through the nodes of the call `group` to a log_softmax. */
function lossOver(seen: Seen, root: Node, group: string): string | null {
  const open = new Set([root.id]);
  for (const id of open) {
    const n = node(seen.graph, id);
    if (n.groups.some((each) => each.id === group)) for (const input of n.inputs) open.add(input);
    else if (isLogSoftmax(seen, behind(seen, id))) return "cross_entropy";
  }
  return null;
}

/** gelu(x + b), where b runs along the last axis. A bias that another call adds, as layer_norm does, belongs to that call. */
const biasGelu: Pattern = (seen, root) => {
  const x = root.op === "gelu" ? root.inputs[0]! : geluOf(seen, root);
  const sum = x === null ? null : opOf(seen, x, "add");
  const isBias = (id: NodeId): boolean => {
    const { shape } = node(seen.graph, id).type;
    return shape.length === 1 && root.type.shape.length > 1 && shape[0] === root.type.shape.at(-1);
  };
  const isCalls = sum?.groups.some(({ kind }) => kind === "composite");
  return sum?.inputs.some(isBias) && !isCalls ? "bias_gelu" : null;
};

/** dropout(x) + r; with a bias added before, that belongs to it. */
const dropoutResidual: Pattern = (seen, root) => {
  if (root.op !== "add") return null;
  return either(seen, root.inputs[0]!, root.inputs[1]!, (tried, dropped, residual) => {
    const whole = sameShape(node(tried.graph, residual).type.shape, root.type.shape);
    return whole && opOf(tried, dropped, "dropout") ? "dropout_add" : null;
  });
};

/** Asked before the patterns that they are made of. */
export const joinedPatterns: readonly Pattern[] = [attention, crossEntropy, biasGelu, dropoutResidual];
