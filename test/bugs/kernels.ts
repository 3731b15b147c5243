/** @file Bugs of the kernels that are written: masks, barriers, partial results, carried values. */
import { bugsIn } from "./bug.ts";

export const kernelBugs = bugsIn("src/fusion/kernel", {
  "wrong-reduce-start": [["emit/accumulate.ts", "const start = «def.reduce!.identity(scalar)»;", "1"]],
  "missing-barrier": [["emit/emitter.ts", '«this.emit({ kind: "barrier" });»', ""]],
  "short-tail": [
    [
      "emit/kernel-frame.ts",
      'low.emit({ kind: "guard", when: { kind: "less", index, bound: «count» } });',
      "count - 1",
    ],
  ],
  "wrong-stride": [
    ["shapes/matmul/write/tile-loads.ts", "space.mul(«step», pitch),", "vector"],
    ["shapes/matmul/write/tile-loads.ts", "space.add(«vector», space.int(offset))", "step"],
  ],
  "dropped-store": [["emit/emitter.ts", '«»buffer.access = "read_write";', "return;"]],
  "swapped-operands": [
    [
      "emit/lowering.ts",
      '«»const width = index?.lane || args.some((arg) => arg.kind === "reg" && arg.width === 4) ? 4 : 1;',
      "if (args.length === 2) args.reverse();",
    ],
  ],
  "stale-reload": [
    [
      "shapes/fold/write/fold.ts",
      "const { inside, bare, column } = «some»;",
      "lanes === 1 && stage > 0 ? { ...some, column: chunk(space.int(0)).column } : some",
    ],
  ],
  "wrong-lane": [["emit/emitter.ts", "const lanes = «[0, 1, 2, 3]»;", "[0, 1, 3, 2]"]],
  "unmasked-pad": [
    ["emit/lowering.ts", "this.lean && «open.length === 1» ? yield* this.#masked(n, at, open[0]!)", "false"],
    ["emit/lowering.ts", 'const test = when === null || «when.kind === "always"» ? null : when;', "true"],
  ],
  "missing-guard": [
    ["emit/kernel-frame.ts", "if («total > count») {", "false"],
    ["shapes/fold/write/rows.ts", "low.branch(«inside», () => {\n    const own = bare();", '{ kind: "always" }'],
  ],
  "lost-slice": [["shapes/matmul/write/matmul-slices.ts", "let half = «slicesOf(tile) / 2»", "0"]],
  "wrong-broadcast": [["emit/lowering.ts", "const skip = «out.length - shape.length»;", "0"]],
  "wrong-row": [["shapes/fold/write/rows.ts", "low.store(low.buffer(id), «row», value, [id]);", "low.space.int(0)"]],
  "lost-lane-fold": [["emit/accumulate.ts", 'const [a, b] = [pair("xy", [0, 1]), pair("zw", «[2, 3]»)];', "[2, 2]"]],
  "lost-finish": [["emit/accumulate.ts", "if («!def.reduce!.finish»)", "true"]],
  "wrong-tile-row": [["shapes/map/write/transpose.ts", "const index = space.add(cell, space.int(«lane»));", "0"]],
  "skipped-last-tile": [["shapes/matmul/write/contraction.ts", 'if («edge.kind === "always"») return value;', "true"]],
  "unmasked-columns": [
    ["emit/accumulate.ts", 'if («inside.kind !== "always"») {', "false"],
    ["shapes/attention/write/online-softmax-state.ts", 'if («inside.kind === "always"») return value;', "true"],
    ["shapes/scan/write/scan.ts", 'if («inside.kind === "always"») return x;', "true"],
  ],
  "missing-epilogue": [
    ["shapes/matmul/write/contraction.ts", "const value = «low.valueAt(id, this.pointOf(id, point))»;", "acc"],
  ],
  "early-reuse": [
    ["shapes/fold/write/join.ts", "const key = `${«stage % 2»} ${slot} ${scalar} ${width}`;", "0"],
    ["shapes/matmul/write/matmul-thin.ts", "if («first > 0») low.barrier();", "false"],
    ["shapes/matmul/write/matmul-sliding.ts", "if («taps > part») low.barrier();", "false"],
  ],
  "wrong-partial": [
    ["shapes/fold/write/fold.ts", "low.branch(space.less(chunk, «schedule.chunks»),", "schedule.chunks - 1"],
    ["shapes/matmul/write/matmul-join.ts", "const { chunks } = «job.schedule»;", "{ chunks: job.schedule.chunks - 1 }"],
    ["shapes/fold/write/mixed.ts", "low.branch(space.less(band, «schedule.chunks»),", "schedule.chunks - 1"],
    [
      "shapes/attention/write/reduce-finish.ts",
      "low.branch(space.less(tid, «schedule.chunks»), () => {",
      "schedule.chunks - 1",
    ],
  ],
  "lost-rescale": [
    ["shapes/attention/write/flash.ts", "if («!this.parts.weightsRescaled») return;", "true"],
    ["shapes/attention/write/flash-finish.ts", "addedUp(row, «parts.weightsRescaled ? fade : null»)", "null"],
    ["shapes/fold/write/one-pass.ts", "«rescaleTo(base);»", ""],
    [
      "shapes/fold/write/one-pass.ts",
      '«add(acc.value, make("between", "mul", make("apart_squared", "mul", apart, apart), walk.seen()));»',
      "",
    ],
    ["shapes/fold/write/one-pass.ts", "«take(acc!, moved);»", ""],
    [
      "shapes/fold/write/one-pass.ts",
      'for (const acc of second[i]!) «take(acc, make("faded", "mul", of(acc.id), factor));»',
      "",
    ],
    [
      "shapes/attention/write/reduce-finish.ts",
      "if («folds[i]!.rescaled») scale(low, acc.value, factor, acc.id);",
      "false",
    ],
    ["shapes/attention/write/online-softmax-state.ts", "return «factor»;", 'literal(1, "f32")'],
    ["shapes/attention/write/online-softmax-state.ts", "const known = «rescaled»", "false"],
  ],
  "wrong-row-owner": [
    [
      "shapes/attention/write/accumulator-placement.ts",
      "const start = cell(number, «space.mod(tiling.tid, group)»);",
      "space.int(0)",
    ],
  ],
  "unjoined-row": [
    [
      "shapes/matmul/write/matmul-rows.ts",
      "finished(low, «{ ...fold, value, position: null, settled: true }», c.sizes.n)",
      "{ ...fold, value: parts[i], position: null, settled: true }",
    ],
  ],
  "torn-word": [["shapes/map/write/pointwise.ts", "const next = space.add(first, space.int(«1»));", "0"]],
  untransposed: [
    [
      "shapes/fold/write/rows.ts",
      "«»if (!perm) return space.tuple(space.unravel(space.ravel(at.at, from), to));",
      "if (perm) return at;",
    ],
  ],
  "lost-carry": [
    ["shapes/scan/write/scan.ts", "«this.low.set(this.#carry, total, [this.scan.id]);»", ""],
    ["shapes/scan/write/scan.ts", '«soFar = soFar === null ? all : joined(low, scan, soFar, all, "so_far");»', ""],
  ],
  "untransposed-block": [
    ["shapes/matmul/write/contraction.ts", "low.part(value, «column», [id])", "0"],
    ["shapes/matmul/write/contraction.ts", "low.part(row[p]!, «column», [id])", "0"],
  ],
  "transposed-four": [
    [
      "emit/joined-accesses.ts",
      "«[0, 1, 2, 3].map((lane) => lanes.get(lane)!)»,",
      "[3, 2, 1, 0].map((lane) => lanes.get(lane)!)",
    ],
    [
      "emit/joined-accesses.ts",
      "const sites = «[...lanes].toSorted(([a], [b]) => a - b)»;",
      "[...lanes].map(([lane, at]) => [3 - lane, at] as const)",
    ],
  ],
  "late-sort": [["shapes/sort/write/sort.ts", "space.atLeast(now, «this.#slots.slack + 1»)", "this.#slots.slots + 1"]],
  "index-in-part": [
    ["shapes/sort/write/chosen.ts", 'low.load(indices, «at», sort.orders, "stood_at")', "space.int(0)"],
  ],
  "unmoved-bar": [["shapes/sort/write/sort.ts", "index: space.int(«sort.retained - 1») }, this.#nodes);", "0"]],
  "half-sorted": [["shapes/sort/write/sort.ts", "step(half, «true»);", "false"]],
  "wrong-scan-start": [["shapes/scan/write/scan.ts", "exclusive: «exclusive(n.attrs)»,", "!exclusive(n.attrs)"]],
  "repeated-row": [
    [
      "shapes/fold/write/mixed.ts",
      "foldIn(low, held.get(id)![iteration]!, at, column, «space.and(inside, counts)»);",
      "inside",
    ],
    ["shapes/fold/write/mixed.ts", "foldIn(low, acc, at, column, «counts»))", '{ kind: "always" }'],
  ],
  "lost-rounding": [["emit/lowering.ts", "if (!rounded || «!this.#inside.has(id)») return value;", "true"]],
  "shared-band": [
    [
      "shapes/scan/write/scan.ts",
      "const cell = (of: Index): Index => space.add(space.mul(of, across), «lane»);",
      "space.int(0)",
    ],
  ],
  "late-step": [
    ["shapes/matmul/write/matmul-sliding.ts", "const before = axis.first - «(side - 1)»;", "0"],
    ["shapes/matmul/write/matmul-sliding.ts", "within(axis.end + «step - 1»)", "-step"],
  ],
  "band-forwards": [
    [
      "shapes/scan/write/scan.ts",
      "«rows.backwards» ? space.add(space.int(turns - 1), space.mul(iteration, -1)) : iteration;",
      "false",
    ],
  ],
  "sorted-up": [["shapes/sort/write/sort.ts", "const attrs = { descending: «this.sort.descending» };", "false"]],
  "wrong-slot": [["shapes/sort/write/sort.ts", "this.#put(low.atLane(own, lane), key, low.atLane(own, «lane»));", "0"]],
  "stale-chunk": [
    [
      "shapes/attention/write/reduce-tile.ts",
      "const start = «space.mul(chunk, (alongColumns ? step : step / 4) * iterations)»;",
      "space.int(0)",
    ],
  ],
  "other-row": [
    [
      "shapes/attention/write/accumulator-placement.ts",
      "for (const [id, value] of «known[i]!») low.setRowValue(id, value);",
      "known[0]!",
    ],
    ["shapes/attention/write/reduce-thread.ts", "(«alongColumns» ? state[i] : state[0])!.enter();", "false"],
  ],
  "stale-rows": [["shapes/attention/write/reduce-tile.ts", "const past = space.mul(«then», step);", "turn"]],
  "digit-before-itself": [
    [
      "shapes/sort/write/digit-moves.ts",
      "space.below(one, «space.mod(tid, together)»)",
      "space.add(space.mod(tid, together), space.int(1))",
    ],
  ],
  "grouped-behind-one-another": [
    [
      "shapes/groups/write/groups.ts",
      '«this.#add(low, spot, low.load(this.#buffer(low, "ranks"), grid.index, nodes, "rank"));»',
      "",
    ],
  ],
  "outside-in-the-first-group": [
    ["shapes/groups/write/groups.ts", '[outside, «literal(this.#targets, "i32")», value]', 'literal(0, "i32")'],
  ],
  "shared-behind-any-edge": [["emit/lowering.ts", "const key = «this.space.keyOf(when)»;", '""']],
  "outside-in-a-bin": [["shapes/bins/write/bins.ts", "[exists, update, «nothing»]", "update"]],
  "lost-run": [
    ["shapes/sort/write/merge-sort.ts", "right: «least(space.add(rest, space.mul(left, -1)))»,", "space.int(0)"],
  ],
  "runs-of-another-length": [
    ["shapes/sort/write/merge-sort.ts", "orderStages(mergeShape(graph, region, form), «schedule.chunkLength»)", "2048"],
  ],
  "row-too-far": [
    [
      "shapes/loop/write/row-loop.ts",
      "space.add(space.int(start), «space.mul(iteration, backwards ? -1 : 1)»)",
      "iteration",
    ],
  ],
  "unmet-threads": [["shapes/loop/write/shared-run.ts", "return «must»;", "false"]],
  "half-a-row": [
    ["shapes/loop/write/shared-run.ts", "«Math.ceil(count / lanes)», (turn) => {", "Math.floor(count / lanes)"],
  ],
  "lost-term": [
    ["shapes/loop/write/map-loop.ts", "const [first, ...rest] = «parts» as [Value, ...Value[]];", "parts.slice(0, -1)"],
  ],
  "wrong-factor": [["shapes/loop/write/map-loop.ts", "given[1]![refs[k]![«i + 1»]!.at]!", "1"]],
  "lost-iteration": [
    ["shapes/loop/write/map-loop.ts", "low.loop(body.iteration, «iterations», (index) => {", "iterations - 1"],
  ],
  "late-carry": [
    [
      "shapes/loop/write/map-loop.ts",
      "return sameElements(value, registers.get(at)!) ? value : «value.map(held)»;",
      "value",
    ],
  ],
});
