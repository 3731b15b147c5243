/** @file Every item of the five chapters has its place on the page: an example, a sentence, a note, a pass, a reason, a story. */
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { allProfiles, findOp, parseProgram, passCatalogue } from "../src/fusion";
import { acceptedCodes, costCodes, legalityCodes, userCodes } from "../src/fusion/ir/verdict";
import { allLessons, findExample, findNote } from "../src/lessons";
import { chapterRows } from "../src/panels/model/chapter-rows";

/** `kind:name`; a story or a law is `kind:file|words of its title`. */
type Place = `${"example" | "claim" | "note" | "pass" | "code" | "op" | "profile" | "story" | "law"}:${string}`;

const places: Readonly<Record<string, readonly Place[]>> = {
  "000-01": ["profile:a100", "claim:000-01"],
  "000-02": ["profile:h100", "claim:000-02"],
  "000-03": ["note:roofline", "story:run.spec.ts|both plans run and agree"],
  "000-04": ["claim:000-04", "example:ln-relu/statements", "example:ln-relu/calls"],
  "000-05": ["example:gelu-dropout-residual"],
  "000-06": ["example:layer-norm", "example:layer-norm/statements"],
  "000-07": ["example:dropout-softmax", "example:dropout-softmax/calls"],
  "000-08": ["code:C_LIBRARY", "example:library-matmul", "note:library-epilogues"],
  "000-09": ["code:L_ROW_NOT_OWNED", "example:matmul-softmax", "note:online"],
  "000-10": ["example:layer-norm-gelu", "story:read.spec.ts|pointing at an op lights its lines of WGSL"],
  "000-11": ["claim:000-11", "example:masked-lanes/mended", "story:examples.spec.ts|a task asks for the faulty line"],
  "000-12": ["code:L_INDEX"],
  "000-13": ["example:attention-scores", "note:online"],
  "000-14": ["note:roofline", "story:run.spec.ts|both plans run and agree"],
  "000-15": ["claim:000-15"],
  "000-16": ["claim:000-16"],
  "000-17": ["claim:000-17"],
  "000-18": ["example:layer-norm-backward", "example:layer-norm-backward/cut", "pass:saved-values"],
  "000-19": ["claim:000-19"],
  "000-20": ["claim:000-20"],
  "000-21": ["claim:000-21", "example:swiglu", "example:bias-gelu"],
  "000-22": ["claim:000-22"],
  "000-23": ["claim:000-23"],
  "000-24": ["note:xla-tidy", "note:xla-fusion"],
  "000-25": ["story:first-screen.spec.ts|a tour is offered once"],
  "000-26": ["note:triton", "note:cublas", "note:pytorch"],
  "001-01": ["claim:001-01"],
  "001-02": ["claim:001-02", "profile:generic"],
  "001-03": ["law:src/panels/model/gains.test.ts|launch"],
  "001-04": ["pass:weight-folding", "example:conv-bn-relu", "code:L_NOT_CONST", "note:conv-bn"],
  "001-05": ["example:matmul-bias-relu", "note:three-ways"],
  "001-06": ["claim:001-06", "story:read.spec.ts|attention's memory is drawn over its size"],
  "001-07": ["claim:001-07", "story:knobs.spec.ts|a row read again on each pass"],
  "001-08": ["note:onnx-runtime"],
  "001-09": ["note:onnx-runtime", "story:options.spec.ts|a level says what it runs"],
  "001-10": ["example:scale-offset-power", "pass:scalar-algebra", "note:tensorrt"],
  "001-11": ["note:torch-compile"],
  "001-12": ["pass:recognition", "note:onnx-runtime", "story:import.spec.ts|a model asks for its open dimension"],
  "001-13": ["claim:001-13", "example:bias-gelu/tanh", "note:three-ways"],
  "001-14": ["code:C_REGISTERS", "example:overfuse"],
  "001-15": ["example:transpose-matmul", "pass:transpose-folding", "note:notes-disagree"],
  "001-16": ["claim:001-16"],
  "001-17": ["note:synchronise", "law:src/panels/model/gains.test.ts|a clock that does not wait"],
  "001-18": ["note:profile-first", "law:src/panels/model/summary.test.ts|every good practice has its answer"],
  "002-01": ["example:l2-norm"],
  "002-02": ["example:l2-norm"],
  "002-03": ["note:cutlass", "note:tiles"],
  "002-04": ["note:below-wgsl"],
  "002-05": ["example:linear-ln-gelu", "note:which-width"],
  "002-06": ["note:intensity", "law:src/panels/model/kernel-card.test.ts|intensity"],
  "002-07": [
    "note:what-fusion-gains",
    "law:src/panels/model/gains.test.ts|saved time is traffic, launches and the rest",
  ],
  "002-08": ["note:what-is-a-kernel"],
  "002-09": ["note:coalescing", "example:against-the-grain"],
  "002-10": ["story:knobs.spec.ts|a choice for every kernel", "note:workgroup"],
  "002-11": ["story:knobs.spec.ts|a knob is timed at each of its values"],
  "002-12": ["law:src/panels/model/kernel-card.test.ts|test("],
  "002-13": ["law:src/panels/model/strip.test.ts|in the order in which they run"],
  "002-14": ["law:test/cli.test.ts|test("],
  "002-15": ["claim:002-15"],
  "002-16": ["claim:002-16"],
  "002-17": ["claim:002-17"],
  "002-18": ["note:your-device"],
  "002-19": ["note:precision"],
  "002-20": ["note:enough-work", "note:fuse-what-is-related"],
  "002-21": ["note:needs", "story:no-webgpu.spec.ts|without navigator.gpu"],
  "003-01": ["claim:003-01"],
  "003-02": ["note:what-is-a-kernel"],
  "003-03": ["example:jvp-mul"],
  "003-04": ["example:vjp-mul"],
  "003-05": ["example:one-graph-or-two", "law:src/fusion/saved-sheet.test.ts|expands"],
  "003-06": ["op:add", "op:mul", "op:neg", "op:exp", "op:log", "op:sin", "op:cos", "op:relu", "op:sigmoid", "op:tanh"],
  "003-07": ["example:tanh-affine"],
  "003-08": ["example:mul-add", "pass:producer-consumer"],
  "003-09": ["claim:003-09", "example:two-readers/store", "example:two-readers/duplicate", "example:two-readers/multi"],
  "003-10": ["note:keep-in-memory", "code:U_USER_BARRIER", "story:steps.spec.ts|Forbid re-plans at once"],
  "003-11": ["example:matmul-bias-relu/library", "example:matmul-bias-relu"],
  "003-12": ["example:dense-backward"],
  "003-13": ["code:L_OPAQUE", "example:all-reduce"],
  "003-14": ["op:sum", "op:mean", "op:max", "op:norm", "op:logsumexp", "example:dense-backward"],
  "003-15": ["example:sum-exp"],
  "003-16": ["example:softmax", "example:softmax/store", "example:softmax/recompute", "example:softmax/long-rows"],
  "003-17": ["pass:recognition"],
  "003-18": ["pass:recognition", "pass:contraction-epilogue"],
  "003-19": ["example:softmax-xent", "example:softmax-xent/apart"],
  "003-20": ["code:L_STRICT", "example:strict/fast", "note:roundings"],
  "003-21": ["claim:003-21", "example:one-graph-or-two/inverted"],
  "003-22": ["note:checkpointing", "example:checkpointing", "law:src/fusion/saved-sheet.test.ts|budget"],
  "003-23": ["example:scale-bias-relu"],
  "003-24": ["note:targets"],
  "003-25": ["story:knobs.spec.ts|a choice for every kernel"],
  "003-26": [
    "example:overfuse",
    "example:long-chain",
    "example:duplicate-expensive/forced",
    "example:library-matmul",
    "example:against-the-grain/forced",
    "example:one-workgroup/forced",
    "example:strict/fast",
  ],
  "003-27": [
    "op:matmul",
    "op:conv2d",
    "op:sum",
    "op:sort",
    "op:topk",
    "op:gather",
    "op:scatter_add",
    "op:dropout",
    "op:all_reduce",
    "op:device_copy",
    "op:custom_call",
    "code:L_EFFECT",
  ],
  "003-28": ["note:all-reduce", "example:all-reduce/alone"],
  "003-29": ["example:mul-add-relu"],
  "003-30": ["example:one-graph-or-two/apart", "code:L_SAVED"],
  "003-31": ["note:loops", "law:src/fusion/loops.test.ts|test("],
  "003-32": ["pass:saved-values", "example:one-graph-or-two"],
  "003-33": ["example:relu-bits", "example:relu-bits/tensor"],
  "003-34": ["example:transpose-matmul", "pass:transpose-folding"],
  "003-35": ["example:batches", "example:batches/each-gradient", "story:options.spec.ts|passes change places by key"],
  "003-36": ["law:src/panels/model/gains.test.ts|earned back"],
  "003-37": Array.from({ length: 9 }, (_, i): Place => `note:question-${i + 1}`),
  "003-38": ["law:src/picture/decision.test.ts|test("],
  "004-01": ["note:memories", "note:hbm"],
  "004-02": ["claim:004-02", "example:log-relu/vector", "example:log-relu/scalar"],
  "004-03": ["claim:004-03"],
  "004-04": ["note:what-fusion-gains", "note:online"],
  "004-05": ["example:batch-norm", "example:batch-norm/training", "example:matmul-max"],
  "004-06": ["note:three-ways"],
  "004-07": ["claim:004-07", "pass:monotone-commute", "note:sparton"],
  "004-08": ["note:occupancy", "note:triton", "note:sparton", "note:splade"],
};

const claimed = new Set(allLessons.flatMap(({ claims = [] }) => claims.map(({ row }) => row)));
const codes = new Set<string>([...legalityCodes, ...costCodes, ...userCodes, ...acceptedCodes]);
const contains = (file: string, words: string): boolean =>
  existsSync(file) && readFileSync(file, "utf8").includes(words);

const [fileOf, wordsOf] = [(name: string) => name.split("|")[0]!, (name: string) => name.split("|")[1]!];

/** Whether the page has what a place names, by kind. */
const checks: Readonly<Record<string, (name: string, row: string) => boolean>> = {
  example: (name) => findExample(name) !== null,
  claim: (name, row) => name === row && name in chapterRows && claimed.has(name),
  note: (name, row) => findNote(name)?.rows.includes(row) === true,
  pass: (name) => passCatalogue.some((pass) => pass.name === name),
  code: (name) => codes.has(name),
  op: (name) => findOp(name) !== null,
  profile: (name) => allProfiles.some((profile) => profile.name === name),
  story: (name) => contains(`e2e/${fileOf(name)}`, wordsOf(name)),
  law: (name) => contains(fileOf(name), wordsOf(name)),
};

function isThere(row: string, place: Place): boolean {
  const at = place.indexOf(":");
  return checks[place.slice(0, at)]!(place.slice(at + 1), row);
}

describe("every item of the chapters", () => {
  test("all 111 are listed", () => {
    const counts = { "000": 26, "001": 18, "002": 21, "003": 38, "004": 8 };
    const rows = Object.entries(counts).flatMap(([chapter, count]) =>
      Array.from({ length: count }, (_, i) => `${chapter}-${String(i + 1).padStart(2, "0")}`),
    );
    expect(Object.keys(places).toSorted()).toEqual(rows);
  });

  test.each(Object.entries(places))("%s has its place", (row, all) => {
    expect(all.filter((place) => !isThere(row, place))).toEqual([]);
    expect(all.length).toBeGreaterThan(0);
  });
});

test("a width taken from the input is a mistake at its line, unless the weight is square", () => {
  const program = (out: number, width: string): string =>
    `x: f32[8, 16]\nw: f32[16, ${out}] = param()\nh = x @ w\ny = gelu(layer_norm(h, (${width},)))\n`;
  expect(parseProgram(program(16, "x.size(-1)")).diagnostics).toEqual([]);
  expect(parseProgram(program(32, "h.size(-1)")).diagnostics).toEqual([]);
  const text = program(32, "x.size(-1)");
  const [wrong] = parseProgram(text).diagnostics;
  expect(text.slice(0, wrong!.span.from).split("\n")).toHaveLength(4);
  expect(wrong!.text).toMatch(/32/);
});
