/** @file Bugs of the kernels that are written: masks, barriers, partial results, carried values. */
import { bugsIn } from "./bug.ts";

export const codegenBugs = bugsIn("src/fusion/codegen", {
  "wrong-reduce-start": [["templates/accumulate.ts", "const start = «def.reduce!.identity(scalar)»;", "1"]],
  "missing-barrier": [["emitter.ts", '«this.emit({ kind: "barrier" });»', ""]],
  "short-tail": [
    ["kernel-frame.ts", 'low.emit({ kind: "guard", when: { kind: "less", index, bound: «count» } });', "count - 1"],
  ],
  "wrong-stride": [
    ["templates/matmul-tile.ts", "space.mul(«step», width),", "vector"],
    ["templates/matmul-tile.ts", "space.add(«vector», space.int(offset))", "step"],
  ],
  "dropped-store": [["emitter.ts", '«»buffer.access = "read_write";', "return;"]],
  "swapped-operands": [
    [
      "lowering.ts",
      '«»const width = index?.lane || args.some((arg) => arg.kind === "reg" && arg.width === 4) ? 4 : 1;',
      "if (args.length === 2) args.reverse();",
    ],
  ],
  "stale-reload": [
    [
      "templates/fold.ts",
      "const { inside, bare, column } = «some»;",
      "lanes === 1 && stage > 0 ? { ...some, column: chunk(space.int(0)).column } : some",
    ],
  ],
  "wrong-lane": [["emitter.ts", "const lanes = «[0, 1, 2, 3]»;", "[0, 1, 3, 2]"]],
  "unmasked-pad": [
    ["lowering.ts", "if (this.lean && «open.length === 1») return yield* this.#masked(n, at, open[0]!);", "false"],
    ["lowering.ts", 'const test = when === null || «when.kind === "always"» ? null : when;', "true"],
  ],
  "missing-guard": [
    ["kernel-frame.ts", "if («total > count») {", "false"],
    ["templates/rows.ts", "low.branch(«inside», write);", '{ kind: "always" }'],
  ],
  "wrong-broadcast": [["lowering.ts", "const skip = «out.length - shape.length»;", "0"]],
  "wrong-row": [["templates/rows.ts", "low.store(low.buffer(id), «row», value, [id]);", "low.space.int(0)"]],
  "lost-lane-fold": [
    ["templates/accumulate.ts", 'const [a, b] = [pair("xy", [0, 1]), pair("zw", «[2, 3]»)];', "[2, 2]"],
  ],
  "lost-finish": [["templates/accumulate.ts", "if («!def.reduce!.finish»)", "true"]],
  "wrong-tile-row": [["templates/transpose.ts", "const index = space.add(cell, space.int(«lane»));", "0"]],
  "skipped-last-tile": [["templates/contraction.ts", 'if («edge.kind === "always"») return value;', "true"]],
  "unmasked-columns": [
    ["templates/accumulate.ts", 'if («inside.kind !== "always"») {', "false"],
    ["templates/online-softmax-state.ts", 'if («inside.kind === "always"») return value;', "true"],
    ["templates/scan.ts", 'if («inside.kind === "always"») return x;', "true"],
  ],
  "missing-epilogue": [["templates/contraction.ts", "const value = «low.valueAt(id, this.placed(id, point))»;", "acc"]],
  "early-reuse": [
    ["templates/join.ts", "const key = `${«stage % 2»} ${slot} ${scalar} ${width}`;", "0"],
    ["templates/matmul-thin.ts", "const arrays = cells[«m % 2»]!;", "0"],
  ],
  "wrong-partial": [
    ["templates/fold.ts", "low.branch(space.less(chunk, «schedule.chunks»),", "schedule.chunks - 1"],
    ["templates/matmul-join.ts", "const { chunks } = «job.schedule»;", "{ chunks: job.schedule.chunks - 1 }"],
    ["templates/mixed.ts", "low.branch(space.less(band, «schedule.chunks»),", "schedule.chunks - 1"],
    ["templates/reduce-finish.ts", "low.branch(space.less(tid, «schedule.chunks»), () => {", "schedule.chunks - 1"],
  ],
  "lost-rescale": [
    ["templates/flash.ts", "if («!this.parts.weightsRescaled») return;", "true"],
    ["templates/flash-finish.ts", "addedUp(row, «parts.weightsRescaled ? fade : null»)", "null"],
    ["templates/one-pass.ts", "«rescaleTo(base);»", ""],
    [
      "templates/one-pass.ts",
      '«add(acc.value, make("between", "mul", make("apart_squared", "mul", apart, apart), walk.seen()));»',
      "",
    ],
    ["templates/one-pass.ts", "«take(acc!, moved);»", ""],
    [
      "templates/one-pass.ts",
      'for (const acc of second[i]!) «take(acc, make("faded", "mul", of(acc.id), factor));»',
      "",
    ],
    ["templates/reduce-finish.ts", "if («folds[i]!.rescaled») scale(low, acc.value, factor, acc.id);", "false"],
    ["templates/online-softmax-state.ts", "return «factor»;", 'literal(1, "f32")'],
    ["templates/online-softmax-state.ts", "const known = «rescaled»", "false"],
  ],
  "wrong-row-owner": [
    [
      "templates/accumulator-placement.ts",
      "const start = cell(number, «space.mod(tiling.tid, group)»);",
      "space.int(0)",
    ],
  ],
  "unjoined-row": [
    [
      "templates/matmul-rows.ts",
      "finished(low, «{ ...fold, value, position: null, settled: true }», c.sizes.n)",
      "{ ...fold, value: parts[i], position: null, settled: true }",
    ],
  ],
  "torn-word": [["templates/pointwise.ts", "const next = space.add(first, space.int(«1»));", "0"]],
  untransposed: [
    [
      "templates/rows.ts",
      "«»if (!perm) return space.tuple(space.unravel(space.ravel(at.at, from), to));",
      "if (perm) return at;",
    ],
  ],
  "lost-carry": [
    ["templates/scan.ts", "«this.low.set(this.#carry, total, [this.scan.id]);»", ""],
    ["templates/scan.ts", '«soFar = soFar === null ? all : joined(low, scan, soFar, all, "so_far");»', ""],
  ],
  "unturned-block": [["templates/contraction.ts", "low.part(value, «column», [id])", "0"]],
  "turned-four": [
    [
      "joined-accesses.ts",
      "const places = «[0, 1, 2, 3].map((lane) => four.lanes.get(lane)!)»;",
      "[3, 2, 1, 0].map((lane) => four.lanes.get(lane)!)",
    ],
  ],
  "late-sort": [["templates/orders/sort.ts", "space.atLeast(now, «this.#slots.slack + 1»)", "this.#slots.slots + 1"]],
  "place-in-part": [["templates/orders/chosen.ts", 'low.load(places, «at», sort.orders, "stood_at")', "space.int(0)"]],
  "unmoved-bar": [["templates/orders/sort.ts", "index: space.int(«sort.kept - 1») }, this.#nodes);", "0"]],
  "half-sorted": [["templates/orders/sort.ts", "step(half, «true»);", "false"]],
  "wrong-scan-start": [["templates/scan.ts", "exclusive: «exclusive(n.attrs)»,", "!exclusive(n.attrs)"]],
  "repeated-row": [
    [
      "templates/mixed.ts",
      "foldIn(low, held.get(id)![iteration]!, at, column, «space.and(inside, counts)»);",
      "inside",
    ],
    ["templates/mixed.ts", "foldIn(low, acc, at, column, «counts»))", '{ kind: "always" }'],
  ],
  "lost-rounding": [["lowering.ts", "if (!rounded || «!this.#inside.has(id)») return value;", "true"]],
  "shared-band": [
    [
      "templates/scan.ts",
      "const cell = (of: Index): Index => space.add(space.mul(of, across), «lane»);",
      "space.int(0)",
    ],
  ],
  "band-forwards": [
    [
      "templates/scan.ts",
      "«rows.backwards» ? space.add(space.int(turns - 1), space.mul(iteration, -1)) : iteration;",
      "false",
    ],
  ],
  "sorted-up": [["templates/orders/sort.ts", "const attrs = { descending: «this.sort.descending» };", "false"]],
  "wrong-place": [["templates/orders/sort.ts", "this.#put(low.atLane(own, lane), key, low.atLane(own, «lane»));", "0"]],
  "stale-chunk": [
    [
      "templates/reduce-tile.ts",
      "const start = «space.mul(chunk, (alongColumns ? step : step / 4) * iterations)»;",
      "space.int(0)",
    ],
  ],
  "stale-rows": [["templates/reduce-tile.ts", "const past = space.mul(«then», step);", "turn"]],
  "digit-before-itself": [
    ["templates/orders/digit-sort.ts", "low.branch(space.below(smaller, «bin»), () =>", "space.add(bin, space.int(1))"],
  ],
  "outside-in-a-bin": [["templates/bins.ts", "[exists, part(update), «nothing»]", "part(update)"]],
  "lost-run": [
    ["templates/orders/merge-sort.ts", "right: «least(space.add(rest, space.mul(left, -1)))»,", "space.int(0)"],
  ],
  "row-too-far": [
    [
      "templates/loops/row-loop.ts",
      "space.add(space.int(start), «space.mul(iteration, backwards ? -1 : 1)»)",
      "iteration",
    ],
  ],
  "lost-term": [["map-loop.ts", "const [first, ...rest] = «parts» as [Value, ...Value[]];", "parts.slice(0, -1)"]],
  "wrong-factor": [["map-loop.ts", "given[1]![places[k]![«i + 1»]!.at]!", "1"]],
  "lost-iteration": [["map-loop.ts", "low.loop(body.iteration, «iterations», (index) => {", "iterations - 1"]],
  "late-carry": [
    ["map-loop.ts", "return sameElements(value, registers.get(at)!) ? value : «value.map(held)»;", "value"],
  ],
});
