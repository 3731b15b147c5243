/**
 * @file `npm run soak [-- --plans 100000 --blocks 20000 --gradients 10000 --loops 5000 --kept 4000 --batches 10000 --halves 10000 --strict 10000 --device 5000 --kernels 20000 --knobs 10000 --limits 5000 --hostile 100000 --verdicts 10000 --saved 2000 --peaks 2000 --factor 100 --seed N --minutes M --fresh]`: the laws of
 * `npm test` at full count, in batches of one process each. Progress is stored in .cache/soak.json: the next run goes on where this
 * one stopped, and asks again what failed. Every batch rewrites docs/soak.md. `--bundle FILE` writes the laws as one file that runs on
 * any machine with Node (`node FILE plans 2000:7`); `--take RESULTS` takes the lines it printed there as batches done.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { build, cached } from "./bundle.mjs";

const number = { type: "string" };
const { values: asked } = parseArgs({
  options: {
    plans: number,
    blocks: number,
    gradients: number,
    loops: number,
    kept: number,
    batches: number,
    halves: number,
    strict: number,
    knobs: number,
    device: number,
    kernels: number,
    limits: number,
    hostile: number,
    verdicts: number,
    saved: number,
    peaks: number,
    factor: number,
    seed: number,
    minutes: number,
    bundle: number,
    take: number,
    fresh: { type: "boolean" },
  },
});
const PROGRESS = ".cache/soak.json";
const REPORT = ".cache/soak-batch.json";
const goal = (name, otherwise) => Number(asked[name] ?? otherwise);
mkdirSync(".cache", { recursive: true });
if (asked.fresh) rmSync(PROGRESS, { force: true });

/** Each law: its files, what one batch covers, and the environment that asks for it. */
const LAWS = {
  plans: {
    goal: goal("plans", 100_000),
    batch: 2000,
    unit: "random programs over every op, with random options and device limits",
    says: "every state acyclic, complete, exactly counted and replayable both ways; naive, fused and one state between agree with the f64 reference on both schedules; counted bytes are touched bytes",
    entry: "test/laws/soak-plans.ts",
  },
  blocks: {
    goal: goal("blocks", 20_000),
    batch: 1000,
    unit: "random programs of blocks as people write them (attention, norms, convolutions, scans, indices, losses, gradients), a sixth for a counted machine",
    says: "what holds of plans",
    entry: "test/laws/soak-plans.ts",
  },
  gradients: {
    goal: goal("gradients", 10_000),
    batch: 500,
    unit: "random programs with the gradients of what they compute",
    says: "what holds of plans holds of forward and backward as one graph",
    entry: "test/laws/soak-plans.ts",
  },
  loops: {
    goal: goal("loops", 5000),
    batch: 500,
    unit: "random programs with a loop that stays one: element by element, along tensors, or with rows of its own",
    says: "what holds of plans, whether iterations are launched or inside kernels",
    entry: "test/laws/soak-plans.ts",
  },
  kept: {
    goal: goal("kept", 4000),
    batch: 200,
    unit: "random programs with their gradients, with a random policy, budget and choices of what the backward pass saves",
    says: "the same values whatever is saved, and kernels of one pass each where both run apart",
    files: ["test/laws/gradient-plans.test.ts"],
    only: "what the backward passes of",
    env: (count, seed) => ({ GRADIENT_LAWS: `${2 * count}:${seed}` }),
  },
  batches: {
    goal: goal("batches", 10_000),
    batch: 1000,
    unit: "random programs under `vmap`, or the gradients of each example",
    says: "what holds of plans holds of what is lifted to a batch",
    entry: "test/laws/soak-plans.ts",
  },
  halves: {
    goal: goal("halves", 10_000),
    batch: 1000,
    unit: "random programs on f16, or on f16 and f32 together",
    says: "what holds of plans, within what stores into f16 round",
    entry: "test/laws/soak-plans.ts",
  },
  strict: {
    goal: goal("strict", 10_000),
    batch: 1000,
    unit: "random programs in strict mode",
    says: "what holds of plans, and naive and fused are the same bits in f32",
    entry: "test/laws/soak-plans.ts",
  },
  device: {
    goal: goal("device", 5000),
    batch: 200,
    unit: "random programs on WebGPU (SwiftShader, and an NVIDIA H200 through Dawn)",
    says: "naive and fused agree with the f64 reference, fused no farther from it than naive",
    files: ["test/webgpu/random.test.ts"],
    env: (count, seed) => ({ WEBGPU_LAWS: `${count}:${seed}` }),
  },
  limits: {
    goal: goal("limits", 5000),
    batch: 500,
    unit: "random programs planned and written for random small devices",
    says: "no kernel has more threads, workgroups, workgroup memory or bindings than the device, and values and counts hold there",
    files: ["test/laws/limits.test.ts"],
    env: (count, seed) => ({ LIMIT_LAWS: `${count}:${seed}` }),
  },
  kernels: {
    goal: goal("kernels", 20_000),
    batch: 2000,
    unit: "random programs cut into random kernels",
    says: "every op alone and in random kernels: values, logged addresses, no race, nothing out of bounds",
    files: ["test/laws/kernels.test.ts"],
    only: "random programs from seed",
    env: (count, seed) => ({ CODEGEN_LAWS: `${count}:${seed * 2000}` }),
  },
  knobs: {
    goal: goal("knobs", 10_000),
    batch: 1000,
    unit: "random kernels with their knobs turned",
    says: "rows read again, in one pass, by one thread or in registers, and turns, vectors and workgroups as chosen: values and counts hold",
    files: ["test/laws/knobs.test.ts"],
    only: "random kernels under",
    env: (count, seed) => ({ KNOB_SEEDS: String(count), KNOB_FROM: String(seed * 2000) }),
  },
  hostile: {
    goal: goal("hostile", 100_000),
    batch: 1000,
    unit: "mutants each of texts, links, documents and ONNX files",
    says: "each is answered, none throws, none reaches a prototype",
    files: ["test/laws/hostile.test.ts"],
    env: (count, seed) => ({ HOSTILE: `${count}:${seed}` }),
  },
  verdicts: {
    goal: goal("verdicts", 10_000),
    batch: 500,
    unit: "random programs with random options, each decision and each remedy that names a choice",
    says: "what was chosen is the best by what decided, each number of the sentence is among the bars, and taking a remedy changes the answer",
    files: ["test/laws/verdicts.test.ts"],
    only: "random programs",
    env: (count, seed) => ({ VERDICT_LAWS: `${count}:${seed}` }),
  },
  saved: {
    goal: goal("saved", 2000),
    batch: 100,
    unit: "random programs with their gradients, under every policy of what is saved and with a budget",
    says: "no policy has a higher peak than saving every value, and a budget holds where it can",
    files: ["test/laws/saved-peak.test.ts"],
    env: (count, seed) => ({ SAVED_LAWS: `${count}:${seed}` }),
  },
  peaks: {
    goal: goal("peaks", 2000),
    batch: 200,
    unit: "random programs and their gradients, state by state",
    says: "no plan's peak is above that of the text's order, and a planner that walked along the steps says what a fresh one says",
    files: ["test/laws/peak.test.ts"],
    only: "random programs",
    env: (count, seed) => ({ PEAK_LAWS: `${count}:${seed}` }),
  },
  texts: {
    goal: goal("factor", 100),
    batch: 10,
    unit: "times the sample of every law of reading, printing and editing, and of every pass alone",
    says: "printing what was read gives the same graph, an edit and its undo the same text; no pass alone changes a value",
    files: ["test/laws/text.test.ts", "test/laws/passes.test.ts"],
    env: (count, seed) => ({ LAW_FACTOR: String(count), LAW_SEED: String(seed) }),
  },
};

const git = (...words) => spawnSync("git", words, { encoding: "utf8" }).stdout.trim();

function openProgress() {
  if (existsSync(PROGRESS)) return JSON.parse(readFileSync(PROGRESS, "utf8"));
  return { seed: Number(asked.seed ?? Date.now() % 1_000_000), batches: [], found: [] };
}
const progress = openProgress();
const save = () => writeFileSync(PROGRESS, `${JSON.stringify(progress, null, 1)}\n`);

/** What is still to do, so that every law is as far as the others at any time. */
function remaining() {
  const passed = new Set(progress.batches.filter((batch) => batch.passed).map(({ law, seed }) => `${law}:${seed}`));
  return Object.entries(LAWS)
    .flatMap(([law, { goal: wanted, batch }]) =>
      Array.from({ length: Math.ceil(wanted / batch) }, (_, i) => ({
        law,
        seed: progress.seed + i,
        count: Math.min(batch, wanted - i * batch),
        at: (i + 0.5) / Math.ceil(wanted / batch),
      })),
    )
    .filter(({ law, seed }) => !passed.has(`${law}:${seed}`))
    .toSorted((a, b) => a.at - b.at);
}

/** A batch that tells how many programs fail, and goes on. */
async function runEntry({ law, seed, count }) {
  const bundle = await cached(LAWS[law].entry, `soak-${law}`, ["src", "test"]);
  const options = { encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "inherit"] };
  const { stdout } = spawnSync(process.execPath, [bundle, `${count}:${seed}`, law], options);
  const lost = {
    law,
    seed,
    count,
    failing: count,
    seconds: 0,
    date: new Date().toISOString(),
    failures: [{ says: "the process ended without a result" }],
  };
  return recordOf(stdout.trimEnd().split("\n").at(-1) || JSON.stringify(lost));
}

/** A printed line as a batch; whole plans say how many fail, and with which programs. */
function recordOf(line) {
  const { failures, ...record } = JSON.parse(line);
  if (record.failing === undefined) return { ...record, commit: git("rev-parse", "--short", "HEAD"), failures };
  const told = ({ says, ways, text }) => ({
    title: record.law,
    message: `${says}\n\n${text}\n\n${JSON.stringify(ways)}`,
  });
  return {
    ...record,
    passed: record.failing === 0,
    commit: git("rev-parse", "--short", "HEAD"),
    failures: failures.map(told),
  };
}

function runFiles({ law, seed, count }) {
  const { files, only, env } = LAWS[law];
  rmSync(REPORT, { force: true });
  const began = Date.now();
  const { status } = spawnSync(
    process.execPath,
    [
      "node_modules/vitest/vitest.mjs",
      "run",
      ...files,
      ...(only ? ["-t", only] : []),
      "--maxWorkers=1",
      "--testTimeout=36000000",
      "--reporter=json",
      `--outputFile.json=${REPORT}`,
    ],
    { stdio: ["ignore", "ignore", "inherit"], env: { ...process.env, ...env(count, seed) } },
  );
  const report = existsSync(REPORT) ? JSON.parse(readFileSync(REPORT, "utf8")) : { testResults: [], numPassedTests: 0 };
  const failures = report.testResults.flatMap(({ name, message, assertionResults }) => [
    ...(assertionResults.length === 0 && message ? [{ title: name, message }] : []),
    ...assertionResults
      .filter((each) => each.status === "failed")
      .map(({ fullName, failureMessages }) => ({ title: fullName, message: failureMessages.join("\n") })),
  ]);
  const passed = status === 0 && report.numPassedTests > 0;
  if (!passed && failures.length === 0) failures.push({ title: law, message: `the process ended with ${status}` });
  return {
    law,
    seed,
    count,
    passed,
    seconds: Math.round((Date.now() - began) / 1000),
    commit: git("rev-parse", "--short", "HEAD"),
    date: new Date().toISOString(),
    failures,
  };
}

const first = (text) => text.split("\n").find((line) => line.trim() !== "") ?? "";

/** How much of a batch held: all of it, or the programs that did where they are counted one by one. */
const heldOf = ({ passed, count, failing }) => (passed ? count : failing === undefined ? 0 : count - failing);

/** What was met, alike with alike: the first of each kind, and how often. */
function foundLines() {
  const kinds = new Map();
  const once = new Map(progress.found.map((each) => [`${each.date} ${each.law} ${each.seed} ${each.message}`, each]));
  for (const each of once.values()) {
    const kind = `${each.law} ${each.says.replaceAll(/step \d+ \([\w/-]+\)|\d+(?:\.\d+)?/g, "#").slice(0, 60)}`;
    kinds.set(kind, [...(kinds.get(kind) ?? []), each]);
  }
  return [...kinds.values()].map((all) => {
    const [{ date, law, seed, says }] = all;
    const times = all.length === 1 ? "" : ` (${all.length} times)`;
    return `- ${date.slice(0, 10)}, ${law}, seed ${seed}${times}: \`${says.replaceAll("`", "'")}\``;
  });
}

function writeResult() {
  const done = progress.batches.filter((batch) => heldOf(batch) > 0);
  const failing = progress.batches.filter(({ passed }) => !passed);
  const minutes = Math.round(progress.batches.reduce((sum, { seconds }) => sum + seconds, 0) / 60);
  const dates = progress.batches.map(({ date }) => date).toSorted();
  const commits = [...new Set(progress.batches.map(({ commit }) => commit))];
  const laws = Object.entries(LAWS).map(([law, { goal: wanted, unit, says }]) => {
    const mine = done.filter((batch) => batch.law === law);
    const ran = mine.reduce((sum, batch) => sum + heldOf(batch), 0);
    const seeds = mine.map(({ seed }) => seed).toSorted((a, b) => a - b);
    const from = seeds.length === 0 ? "" : `; seeds ${seeds[0]} to ${seeds.at(-1)}`;
    return `- _${law}_: **${ran.toLocaleString("en")}** of ${wanted.toLocaleString("en")} ${unit}${from}: ${says}.`;
  });
  const lines = [
    "# Soak",
    "",
    "`npm run soak` runs the laws of `npm test` on many more random programs, and writes this list. Each line begins with the name of its law, by which failures are listed and `npm run soak -- --LAW COUNT` asks for it (`--factor` for _texts_); then come the programs that held, those that are wanted, and the first and last seed.",
    "",
    `${dates[0]?.slice(0, 10)} to ${dates.at(-1)?.slice(0, 10)}, ${minutes} minutes of one core, Node ${process.versions.node}, commits ${commits[0]} to ${commits.at(-1)}.`,
    "",
    ...laws,
    "",
    `Batches that fail at the end: ${failing.length}. Failures on the way, one line a kind, the first of each:`,
    ...(progress.found.length === 0 ? [] : ["", ...foundLines()]),
    "",
  ];
  writeFileSync("docs/soak.md", lines.join("\n"));
}

const began = Date.now();
const most = asked.minutes === undefined ? Infinity : Number(asked.minutes);
if (asked.bundle) {
  await build("test/laws/soak-anywhere.ts", resolve(asked.bundle), [], {
    vitest: resolve("test/laws/plain-vitest.ts"),
  });
  process.exit(0);
}
const taken = asked.take ? readFileSync(asked.take, "utf8").trim().split("\n").map(recordOf) : [];
for (const batch of asked.take ? taken : remaining()) {
  if ((Date.now() - began) / 60_000 >= most) break;
  const result = asked.take ? batch : LAWS[batch.law].entry ? await runEntry(batch) : runFiles(batch);
  progress.batches = [...progress.batches.filter(({ law, seed }) => law !== batch.law || seed !== batch.seed), result];
  for (const { message } of result.failures) {
    console.log(message);
    progress.found.push({
      date: result.date,
      law: batch.law,
      seed: batch.seed,
      says: first(message).slice(0, 160),
      message,
    });
  }
  save();
  writeResult();
  console.log(
    `${batch.law} ${batch.count}:${batch.seed} ${result.passed ? "passed" : "FAILED"} in ${result.seconds} s`,
  );
}
const open = progress.batches.filter(({ passed }) => !passed).length;
console.log(`${progress.batches.length - open} batches passed, ${open} failed, ${remaining().length} to go`);
process.exit(open === 0 ? 0 : 1);
