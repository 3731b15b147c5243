/**
 * @file Bundled by `npm run soak -- --bundle FILE`, the laws where there is nothing but Node (and Dawn, for the law that asks a device):
 * `node FILE LAW COUNT:SEED` runs one batch, and its last line is the record of it. `node FILE all --cores 16 --minutes 9 --seed N
 * --results RESULTS [gradients=10000 kept=4000 …]` runs batches side by side until the goals or the minutes are reached, one process
 * each, and adds a record a line to RESULTS; with the same seed it goes on where it stopped. `npm run soak -- --take RESULTS` reads them.
 */
import { spawn } from "node:child_process";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { runAll } from "./plain-vitest";

const [law = "plans", part = "20:1"] = process.argv.slice(2);
const [count, seed] = part.split(":").map(Number) as [number, number];

interface Batch {
  readonly env: Readonly<Record<string, string>>;
  readonly only?: string;
  readonly load: () => Promise<unknown>;
}

/** The same files and settings as in `scripts/soak.mjs`. */
const LAWS: Readonly<Record<string, Batch>> = {
  device: { env: { WEBGPU_LAWS: part }, load: () => import("../webgpu/random.test") },
  kept: {
    env: { GRADIENT_LAWS: `${2 * count}:${seed}` },
    only: "what the backward passes of",
    load: () => import("./gradient-plans.test"),
  },
  limits: { env: { LIMIT_LAWS: part }, load: () => import("./limits.test") },
  kernels: {
    env: { CODEGEN_LAWS: `${count}:${seed * 2000}` },
    only: "random programs from seed",
    load: () => import("./kernels.test"),
  },
  knobs: {
    env: { KNOB_SEEDS: String(count), KNOB_FROM: String(seed * 2000) },
    only: "random kernels under",
    load: () => import("./knobs.test"),
  },
  hostile: { env: { HOSTILE: part }, load: () => import("./hostile.test") },
  verdicts: { env: { VERDICT_LAWS: part }, only: "random programs", load: () => import("./verdicts.test") },
  saved: { env: { SAVED_LAWS: part }, load: () => import("./saved-peak.test") },
  texts: {
    env: { LAW_FACTOR: String(count), LAW_SEED: String(seed) },
    load: async () => [await import("./text.test"), await import("./passes.test")],
  },
};

/** Batches of some ten seconds: a core is never idle for long, and little is lost when the minutes are over. */
const sizeOf = (law: string): number => ({ hostile: 1000, loops: 10 })[law] ?? 50;
/** Programs a law, where the command line names none. */
const GOALS = {
  blocks: 20_000,
  gradients: 10_000,
  loops: 5000,
  kept: 4000,
  batches: 10_000,
  halves: 10_000,
  strict: 10_000,
  knobs: 10_000,
};

interface Job {
  readonly law: string;
  readonly part: string;
  /** How far along its law this batch stands: all laws go on together. */
  readonly at: number;
}

/** All that is asked for and not yet in the results. */
function jobsOf(goals: Readonly<Record<string, number>>, first: number, done: ReadonlySet<string>): Job[] {
  return Object.entries(goals)
    .flatMap(([name, goal]) => {
      const size = sizeOf(name);
      const batches = Math.ceil(goal / size);
      return Array.from({ length: batches }, (_, i) => ({
        law: name,
        part: `${Math.min(size, goal - i * size)}:${first + i}`,
        at: i / batches,
      }));
    })
    .filter((job) => !done.has(`${job.law} ${job.part}`))
    .sort((a, b) => a.at - b.at);
}

/** The record that one process prints last; null where it printed none, or had no time left. */
const recordOf = (job: Job, millis: number): Promise<string | null> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [process.argv[1]!, job.law, job.part], {
      stdio: ["ignore", "pipe", "inherit"],
      timeout: Math.max(1, millis),
    });
    let printed = "";
    child.stdout.on("data", (piece: Buffer) => (printed += piece.toString()));
    child.on("close", () =>
      resolve(
        printed
          .trimEnd()
          .split("\n")
          .findLast((line) => line.startsWith("{")) ?? null,
      ),
    );
  });

async function runAllLaws(): Promise<void> {
  const { values, positionals } = parseArgs({
    args: process.argv.slice(3),
    allowPositionals: true,
    options: {
      cores: { type: "string", default: String(availableParallelism()) },
      minutes: { type: "string", default: "Infinity" },
      seed: { type: "string", default: "1" },
      results: { type: "string", default: "soak-results.jsonl" },
    },
  });
  const { results } = values;
  const end = Date.now() + Number(values.minutes) * 60_000;
  const named = positionals.map((goal) => goal.split("=") as [string, string]);
  const goals = named.length > 0 ? Object.fromEntries(named.map(([name, goal]) => [name, Number(goal)])) : GOALS;
  const lines = existsSync(results) ? readFileSync(results, "utf8").trim().split("\n").filter(Boolean) : [];
  const records = lines.map((line) => JSON.parse(line) as { law: string; count: number; seed: number });
  const jobs = jobsOf(goals, Number(values.seed), new Set(records.map((r) => `${r.law} ${r.count}:${r.seed}`)));
  const total = jobs.length;
  const core = async (): Promise<void> => {
    for (;;) {
      const job = Date.now() < end ? jobs.shift() : undefined;
      if (!job) return;
      const record = await recordOf(job, end - Date.now());
      if (record !== null) appendFileSync(results, `${record}\n`);
    }
  };
  await Promise.all(Array.from({ length: Number(values.cores) }, core));
  console.log(`${total - jobs.length} of ${total} batches started, ${jobs.length} to go; results in ${results}`);
}

if (law === "all") {
  await runAllLaws();
} else if (!(law in LAWS)) {
  process.argv.splice(2, 2, part, law);
  await import("./soak-plans");
} else {
  const began = Date.now();
  const { env, only, load } = LAWS[law]!;
  Object.assign(process.env, env);
  await load();
  const { ran, failures } = await runAll(only);
  const seconds = Math.round((Date.now() - began) / 1000);
  const passed = ran > 0 && failures.length === 0;
  console.log(JSON.stringify({ law, seed, count, passed, seconds, date: new Date().toISOString(), failures }));
}
process.exit(0);
