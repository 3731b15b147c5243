/** @file Times libraries on one program, in turns, and holds their answers against one another. */
import { distance } from "../suite-data";
import { median } from "../../src/gpu";
import type { Contender, Ready, Task } from "./runner";

export interface Cell {
  readonly contender: string;
  /** Why there are no times, in a sentence; null where there are. */
  readonly problem: string | null;
  /** ms of one run. */
  readonly median: number;
  /** Largest − smallest over the median. */
  readonly spread: number;
  readonly samples: readonly number[];
  /** Runs in a sample. */
  readonly runs: number;
  /** Between its answers and those of the first contender: |a − b| / |b| in the second norm, of the worst result. */
  readonly apart: number;
}

export interface Pace {
  /** ms that a sample takes at least. */
  readonly sampleMillis: number;
  readonly samples: number;
}

/** Runs in a sample, at most. */
const MAX_RUNS = 1024;
/** What runs differ by whose sums are added in another order; a wrong answer is apart by much more. */
const MAX_APART = 2e-3;

interface Competing {
  readonly contender: Contender;
  readonly ready: Ready;
  results: readonly Float32Array[];
  readonly samples: number[];
  runs: number;
}

const said = (error: unknown): string => (error instanceof Error ? error.message : String(error)).split("\n")[0]!;

/** One cell for each contender, in their order. */
export async function compete(task: Task, contenders: readonly Contender[], pace: Pace): Promise<Cell[]> {
  const problems = new Map<Contender, string>();
  const competing: Competing[] = [];
  for (const contender of contenders) {
    try {
      const ready = await contender.prepare(task);
      await ready.results();
      competing.push({ contender, ready, results: [], samples: [], runs: await runsFor(ready, pace) });
    } catch (error) {
      problems.set(contender, said(error));
    }
  }
  for (let turn = 0; turn < pace.samples; turn++) {
    for (const each of competing.filter(({ contender }) => !problems.has(contender))) {
      try {
        each.samples.push((await each.ready.run(each.runs)) / each.runs);
      } catch (error) {
        problems.set(each.contender, said(error));
      }
    }
  }
  // Read at the end: what went wrong meanwhile shows.
  for (const each of competing) {
    try {
      each.results = await each.ready.results();
    } catch (error) {
      problems.set(each.contender, said(error));
    }
    await each.ready.close();
  }
  const [first] = competing;
  return contenders.map((contender) => {
    const found = competing.find((each) => each.contender === contender);
    const apart = found && first ? apartOf(found.results, first.results) : Number.NaN;
    const wrong = apart <= MAX_APART ? null : `Its answer is ${apart.toExponential(1)} away from ours.`;
    return cellOf(contender.name, problems.get(contender) ?? (found ? wrong : "It did not run."), found, apart);
  });
}

function cellOf(contender: string, problem: string | null, found: Competing | undefined, apart: number): Cell {
  const { samples = [], runs = 0 } = found ?? {};
  const middle = samples.length > 0 ? median(samples) : Number.NaN;
  const spread = (Math.max(...samples) - Math.min(...samples)) / middle;
  return { contender, problem, median: middle, spread, samples, runs, apart };
}

/** So many runs that a sample lasts long enough; what finds it warms up. */
async function runsFor(ready: Ready, { sampleMillis }: Pace): Promise<number> {
  let runs = 1;
  for (;;) {
    await ready.run(runs);
    const millis = await ready.run(runs);
    if (millis >= sampleMillis / 2 || runs >= MAX_RUNS) break;
    runs = Math.min(MAX_RUNS, runs * 2);
  }
  return runs;
}

const apartOf = (got: readonly Float32Array[], want: readonly Float32Array[]): number =>
  got.length === want.length ? Math.max(...got.map((data, i) => apartOne(data, want[i]!))) : Number.POSITIVE_INFINITY;

const apartOne = (got: Float32Array, want: Float32Array): number =>
  got.length === want.length ? distance(got, want) : Number.POSITIVE_INFINITY;
