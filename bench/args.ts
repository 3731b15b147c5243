/** @file The bench's flags. */
import { parseArgs } from "node:util";
import { allPasses, isKnobValue, knobNames, noKnobs, withKnob, type Knobs } from "../src/fusion";
import { plannedFor, type Planning } from "./device";
import type { BenchRequest } from "./bench";

export const usageText = `npm run bench -- [--suite untuned] [--only 1,3,8] [--divide 16] [--budget 2000] [--tiles] [--schedule gpu] [--knob joined=subgroups] [--out FILE] [--wgsl FOLDER]
  --suite    seeds, untuned, examples, gradients, training, tuned, folds or schedules: only timed, both plans held against one another
  --programs every .py program of this folder, as a suite or behind one
  --train    steps per second of the suite's programs that train; without a suite or folder, of the suite training
  --json     with --suite: writes a row for each program, after each program
  --torch    with --suite: times of a peer, as JSON of ms by program (bench/peers/ writes it)
  --without  with --suite: plans without these passes, PASS[,PASS]
  --planned-for  with --suite: generic, or device: the roofs measured here, as the page's first run plans
  --multiprocessors  with --suite: of this device, where somebody has counted them
  --only     ids of workloads, or what stands before their dash
  --divide   makes every extent smaller; 1 on a GPU, 16 on a CPU when absent
  --budget   ms for each workload
  --tiles    sweeps the tiles of the matmuls instead
  --schedule gpu or cpu: that kind of kernel, whatever the adapter is
  --knob     NAME=VALUE for every kernel, as on the command line; may stand several times
  --out      writes the figures as JSON
  --wgsl     writes every kernel into this folder
`;

export interface SuiteArgs extends Planning {
  /** null: only programs of a folder. */
  readonly name: string | null;
  readonly programs: string | null;
  /** Steps of programs that train are timed, not runs. */
  readonly train: boolean;
  readonly torch: string | null;
}

export interface BenchArgs {
  readonly suite: SuiteArgs | null;
  readonly request: Omit<BenchRequest, "print" | "keep">;
  readonly out: string | null;
  readonly wgsl: string | null;
}

/** null: help was asked for. Throws, as parseArgs does, on flags that do not exist. */
export function readBenchArgs(args: readonly string[]): BenchArgs | null {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: "string" },
      divide: { type: "string" },
      budget: { type: "string" },
      tiles: { type: "boolean" },
      schedule: { type: "string" },
      knob: { type: "string", multiple: true },
      out: { type: "string" },
      wgsl: { type: "string" },
      suite: { type: "string" },
      programs: { type: "string" },
      train: { type: "boolean" },
      without: { type: "string" },
      "planned-for": { type: "string" },
      json: { type: "string" },
      torch: { type: "string" },
      multiprocessors: { type: "string" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) return null;
  const only = listed(values.only);
  const { divide, budget, tiles = false, train = false, wgsl = null, torch = null } = values;
  const out = values.json ?? values.out ?? null;
  const suite =
    values.suite === undefined && values.programs === undefined && !train
      ? null
      : {
          name: values.suite ?? (train && values.programs === undefined ? "training" : null),
          programs: values.programs ?? null,
          without: passesOf(values.without),
          plannedFor: oneOf("planned-for", values["planned-for"] ?? "generic", plannedFor),
          train,
          torch,
          multiprocessors: values.multiprocessors === undefined ? null : Number(values.multiprocessors),
        };
  const schedule = (["gpu", "cpu"] as const).find((kind) => kind === values.schedule) ?? null;
  const request = {
    only,
    divide: Number(divide ?? 0),
    budgetMillis: Number(budget ?? 2000),
    tiles,
    schedule,
    knobs: knobsOf(values.knob ?? []),
  };
  return { suite, request, out, wgsl };
}

const listed = (text = ""): string[] => text.split(",").filter((each) => each.length > 0);

function oneOf<T extends string>(flag: string, given: string, known: readonly T[]): T {
  const found = known.find((each) => each === given);
  if (found === undefined) throw new Error(`--${flag} is ${known.join(" or ")}, not ${given}`);
  return found;
}

function passesOf(given: string | undefined): string[] {
  const known = allPasses.map(({ name }) => name);
  return listed(given).map((name) => oneOf("without", name, known));
}

function knobsOf(given: readonly string[]): Knobs {
  return given.reduce((knobs, text) => {
    const [name, value = ""] = text.split("=");
    const knob = knobNames.find((known) => known === name);
    if (!knob || !isKnobValue(knob, value)) throw new Error(`--knob is NAME=VALUE, not ${text}`);
    return withKnob(knobs, knob, value);
  }, noKnobs);
}
