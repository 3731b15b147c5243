/** @file Bugs of the passes: what a merge, a rewrite or a verdict may get wrong. */
import { bugsIn } from "./bug.ts";

export const passBugs = bugsIn("src/fusion/passes", {
  "lost-consumer": [
    ["driver/copies.ts", "const add = «readers».map((reader) => copied(producer, reader));", "readers.slice(0, 1)"],
    ["driver/copies.ts", "...(storesProducer ? [] : [producer]), ...«readers», ...gone", "readers.slice(0, 1)"],
  ],
  "lost-output": [["driver/merge.ts", "«»const readers = planner.regionsReading(value);", "return false;"]],
  "leaves-producer": [["driver/merge.ts", "removedRegions: «remove»,", "remove.slice(1)"]],
  "double-member": [
    [
      "driver/merge.ts",
      "«planner.inTextOrder(regions.map(({ members }) => members))»;",
      "regions.flatMap(({ members }) => members)",
    ],
  ],
  "no-cycle-check": [["driver/merge.ts", "if («merged.length < 2») return null;", "true"]],
  "no-bindings-limit": [["driver/merge.ts", "«bindings > maxBindings» &&", "false"]],
  "no-budget": [
    [
      "profitability/profitability.ts",
      "Math.min(«(grown ? OPS_PER_NOTCH : OPS_GROWING) * options.groupSize», STATEMENT_LIMIT)",
      "STATEMENT_LIMIT",
    ],
  ],
  "ignores-pins": [
    ["budget-split.ts", "for (const edge of «planner.options.forbidden») {", "[]"],
    ["driver/merge.ts", "if («forbidden.length === 0») return null;", "true"],
  ],
  "cse-ignores-attrs": [
    ["canonicalise.ts", "const seen = «JSON.stringify(attrs)»;", 'op === "const" ? JSON.stringify(attrs) : ""'],
  ],
  "cse-merges-random": [["canonicalise.ts", 'const draws = «opDef(n.op).kind === "random"»;', "false"]],
  "one-reader-stays": [
    [
      "algebra/weight-folding.ts",
      "inputs: reader.inputs.map((input) => («input === n.id» ? folded.id : input)),",
      "false",
    ],
    ["driver/rewriter.ts", "«[...readersOf(from)]».map((id) => {", "[...readersOf(from)].slice(1)"],
  ],
  "wrong-identity": [["algebra/identities.ts", "const { value } = «law»;", "{ value: 0 }"]],
  "sign-of-one": [["algebra/identities.ts", "|| «power % 2 !== 0») return null;", "false"]],
  "drops-strict": [
    [
      "algebra/identities.ts",
      'if (!law.changesZero || «!planner.options.strict» || n.type.dtype === "i32") return null;',
      "true",
    ],
  ],
  "transposes-cancel-always": [
    [
      "algebra/identities.ts",
      "const undone = «perm.every((axis, i) => axis === i)»;",
      "perm.every((axis, i) => axis === i) || sameType(node(site.graph, x), n)",
    ],
  ],
  "permutes-backwards": [
    ["algebra/identities.ts", "const perm = «outer.map((axis) => first[axis]!)»;", "first.map((axis) => outer[axis]!)"],
  ],
  "stale-totals": [
    ["driver/run.ts", "planner.apply(decision.patch, candidate.merged); «totals = planner.totals();»", ""],
  ],
  "repeat-refusals": [
    ["driver/run.ts", "«»const keys = edges.length > 0 ? edges : [`${rule} ${nodes.join()}`];", "return true;"],
  ],
  "divides-the-weight": [
    ["algebra/weight-folding.ts", ': recipe.op(«"mul"», [taken, inWeight(recipe, channels, scale.id)]);', '"div"'],
  ],
  "literal-lost": [
    [
      "algebra/scalar-algebra.ts",
      'const number = outer.kind === "mul" ? «inner.number * outer.number» : inner.number + outer.number;',
      "outer.number",
    ],
    [
      "algebra/scalar-algebra.ts",
      'const number = outer.kind === "mul" ? inner.number * outer.number : «inner.number + outer.number»;',
      "outer.number",
    ],
  ],
  "transpose-forgotten": [
    ["algebra/movement-algebra.ts", "return perm.every((axis, i) => «first[axis] === i»);", "true"],
  ],
  "uncounted-row": [["rows/distribute-sum.ts", 'if («picks === "one"») return row;', "true"]],
  "shows-twice": [["driver/rewriter.ts", "if («shown») return;", "false"]],
  "multiplies-by-divisor": [["rows/hoist-row-scale.ts", "op: «scaled.op»,", '"mul"']],
  "keeps-the-maximum": [
    [
      "algebra/monotone-commute.ts",
      'const op = «way === "up"» ? fold.op : opDef(fold.op).reduce!.picks!.opposite;',
      "true",
    ],
  ],
  "sign-of-the-row": [
    ["algebra/row-of-product.ts", 'if («factors.negative») row = factory.call("neg", [row], {}, n, late);', "false"],
  ],
  "not-exchanged": [["algebra/identities.ts", "inputs: [c.id, «b!», a!]", "a!"]],
  "products-along-columns": [["rows/sum-of-products.ts", "axes: [«shape.length - 1»]", "0"]],
  "first-phase-first": [
    ["algebra/phases.ts", "const shared = { batches: 1, rows: step, zeros: «step - 1 - last» };", "last"],
  ],
  "taps-as-they-are": [["algebra/windows-added.ts", 'call("flip", parted, { axes: «tapAxes» })', "[at + taps.length]"]],
  "worst-chosen": [["profitability/weigh.ts", "return choosing(criterion, ways, «best»);", "(best + 1) % ways.length"]],
});
