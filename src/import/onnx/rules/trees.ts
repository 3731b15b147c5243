/** @file Ensembles of decision trees: all trees walk down together, one level a step, by gathers in tables of nodes. */
import type { Value } from "../emit";
import type { NodeContext, Rules } from "../rule";
import { transformed } from "./ml";
import { zeros } from "./arithmetic";

interface Forest {
  /** By node: the feature that is compared, with what, and where it goes on; leaves stay where they are. */
  readonly feature: readonly number[];
  readonly threshold: readonly number[];
  readonly yes: readonly number[];
  readonly no: readonly number[];
  /** NaN counts as yes. */
  readonly missing: readonly number[];
  readonly roots: readonly number[];
  /** Steps from a root to the farthest leaf. */
  readonly depth: number;
  /** How a feature is compared with the threshold. */
  readonly compare: string;
}

const COMPARE: ReadonlyMap<string, string> = new Map([
  ["BRANCH_LEQ", "le"],
  ["BRANCH_LT", "lt"],
  ["BRANCH_GTE", "ge"],
  ["BRANCH_GT", "gt"],
  ["BRANCH_EQ", "eq"],
  ["BRANCH_NEQ", "ne"],
]);

/** Index of every (tree, node) in the tables. */
function nodeIndices(c: NodeContext): Map<string, number> {
  const nodes = c.ints("nodes_nodeids") ?? [];
  return new Map((c.ints("nodes_treeids") ?? []).map((tree, i) => [`${tree} ${nodes[i]!}`, i]));
}

function forestOf(c: NodeContext, indices: ReadonlyMap<string, number>): Forest | null {
  const trees = c.ints("nodes_treeids") ?? [];
  const modes = c.attribute("nodes_modes")?.strings ?? [];
  const branches = new Set(modes.filter((mode) => mode !== "LEAF"));
  const compare = COMPARE.get([...branches][0] ?? "BRANCH_LEQ");
  if (branches.size > 1 || compare === undefined) return null;
  const next = (name: string): number[] =>
    (c.ints(name) ?? []).map((id, i) => (modes[i] === "LEAF" ? i : (indices.get(`${trees[i]!} ${id}`) ?? i)));
  const [yes, no] = [next("nodes_truenodeids"), next("nodes_falsenodeids")];
  const roots = trees.flatMap((tree, i) => (tree === trees[i - 1] ? [] : [i]));
  let [depth, open] = [0, roots];
  while (open.length > 0 && depth <= trees.length) {
    open = open.flatMap((at) => (modes[at] === "LEAF" ? [] : [yes[at]!, no[at]!]));
    if (open.length > 0) depth++;
  }
  const threshold = c.attribute("nodes_values")?.floats ?? [];
  const missing = c.ints("nodes_missing_value_tracks_true") ?? [];
  return { feature: c.ints("nodes_featureids") ?? [], threshold, yes, no, missing, roots, depth, compare };
}

/** The leaf that each row reaches in each tree: indices, rows × trees. */
function leavesOf(c: NodeContext, x: Value, forest: Forest): Value {
  const [batch] = x.type.shape as [number];
  const table = (values: readonly number[]): Value => c.emit.named(c.emit.ints(values), `${c.hint}_table`);
  const limits = c.emit.host({
    dtype: "f32",
    dims: [forest.threshold.length],
    data: Float64Array.from(forest.threshold),
    wide: false,
  });
  const [feature, yes, no, threshold] = [
    table(forest.feature),
    table(forest.yes),
    table(forest.no),
    c.emit.named(limits, `${c.hint}_limits`),
  ];
  const tracked = forest.missing.includes(1) ? table(forest.missing) : null;
  const pick = (from: Value, at: Value): Value => c.op("gather", [from, at], { axis: 0 });
  let at = c.op("expand", [c.reshape(c.emit.ints(forest.roots), [1, forest.roots.length])], {
    shape: [batch, forest.roots.length],
  });
  for (let step = 0; step < forest.depth; step++) {
    const value = c.op("gather_elements", [x, pick(feature, at)], { axis: 1 });
    const met = c.op(forest.compare, [value, pick(threshold, at)]);
    const open = tracked
      ? c.op("or", [
          met,
          c.op("and", [c.op("is_nan", [value]), c.op("eq", [pick(tracked, at), c.emit.scalar(1, "i32")])]),
        ])
      : met;
    at = c.op("where", [open, pick(yes, at), pick(no, at)]);
  }
  return at;
}

/** Σ over trees of what their leaves say: rows × outputs. */
function scoresOf(c: NodeContext, kind: "class" | "target", outputs: number): Value {
  const x = c.cast(c.in(0).type.shape.length === 1 ? c.reshape(c.in(0), [1, c.in(0).type.shape[0]!]) : c.in(0), "f32");
  const indices = nodeIndices(c);
  const forest = forestOf(c, indices);
  if (!forest) return c.fail("trees that compare in several ways");
  const [trees, nodes, ids] = [
    c.ints(`${kind}_treeids`) ?? [],
    c.ints(`${kind}_nodeids`) ?? [],
    c.ints(`${kind}_ids`) ?? [],
  ];
  const weights = zeros(forest.feature.length * outputs);
  const column = (id: number): number => (outputs === 1 ? 0 : id);
  (c.attribute(`${kind}_weights`)?.floats ?? []).forEach((weight, i) => {
    const index = indices.get(`${trees[i]!} ${nodes[i]!}`);
    if (index !== undefined) weights[index * outputs + column(ids[i]!)]! += weight;
  });
  const table = c.emit.host({ dtype: "f32", dims: [forest.feature.length, outputs], data: weights, wide: false });
  const leafValues = c.op("gather", [table, leavesOf(c, x, forest)], { axis: 0 });
  const aggregate = c.text("aggregate_function", "SUM");
  const fold = aggregate === "AVERAGE" ? "mean" : aggregate === "SUM" ? "sum" : aggregate.toLowerCase();
  const scores = c.op(fold, [leafValues], { axes: [1], keepdims: false });
  const base = c.attribute("base_values")?.floats ?? [];
  if (base.length !== outputs) return scores;
  return c.op("add", [
    scores,
    c.emit.host({ dtype: "f32", dims: [outputs], data: Float64Array.from(base), wide: false }),
  ]);
}

/** The best class of each row and a score for each class. Two classes may share one score, which then speaks for the second. */
function classifier(c: NodeContext): readonly Value[] {
  const labels = c.ints("classlabels_int64s") ?? [];
  if (labels.length === 0) return [c.fail("string")];
  const one = labels.length === 2 && new Set(c.ints("class_ids") ?? []).size === 1;
  const raw = scoresOf(c, "class", one ? 1 : labels.length);
  const names = c.emit.ints(labels);
  if (!one) {
    const best = c.op("argmax", [raw], { axes: [1], keepdims: false });
    return [c.op("gather", [names, best], { axis: 0 }), transformed(c, raw)];
  }
  // The one class may be numbered 0; its column holds the score.
  const shares = (c.attribute("class_weights")?.floats ?? []).every((weight) => weight >= 0);
  const edge = c.emit.scalar(shares ? 0.5 : 0);
  const batch = raw.type.shape[0]!;
  const second = c.reshape(c.cast(c.op("gt", [raw, edge]), "i32"), [batch]);
  const first =
    shares && c.text("post_transform", "NONE") === "NONE" ? c.op("sub", [c.emit.scalar(1), raw]) : c.op("neg", [raw]);
  return [c.op("gather", [names, second], { axis: 0 }), transformed(c, c.op("concat", [first, raw], { axis: 1 }))];
}

export const treeRules: Rules = {
  TreeEnsembleClassifier: classifier,
  TreeEnsembleRegressor: (c) => transformed(c, scoresOf(c, "target", c.int("n_targets", 1))),
};
