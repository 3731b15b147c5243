/**
 * @file `node FILE LAW COUNT:SEED`, bundled by `npm run soak -- --bundle`: one batch of a law where there is nothing but Node (and
 * Dawn, for the law that asks a device). Its last line is the record of the batch.
 */
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
    load: () => import("./codegen.test"),
  },
  knobs: {
    env: { KNOB_SEEDS: String(count), KNOB_FROM: String(seed * 2000) },
    only: "random kernels under",
    load: () => import("./knobs.test"),
  },
  verdicts: { env: { VERDICT_LAWS: part }, only: "random programs", load: () => import("./verdicts.test") },
  texts: {
    env: { LAW_FACTOR: String(count), LAW_SEED: String(seed) },
    load: async () => [await import("./text.test"), await import("./passes.test")],
  },
};

if (!(law in LAWS)) {
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
