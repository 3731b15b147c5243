/** @file Suites of the bench: programs that are only timed and held against their naive plan. */
import { defaultOptions, type CompileOptions } from "../src/fusion";
import { allLessons, examples, optionsFor, type Example } from "../src/lessons";
import { workloadsAt } from "./workloads";
import { folds } from "./folds";
import { opPrograms } from "./op-programs";
import { gradientPrograms } from "./gradient-programs";
import { schedules } from "./schedules";
import { untuned } from "./untuned";

export interface Program {
  readonly name: string;
  readonly text: string;
  /** What an expert's kernels would move, and why no less; null where nobody has worked it out. */
  readonly expert: { readonly bytes: number; readonly why: string } | null;
  /** What differs from the defaults. */
  readonly options?: Partial<CompileOptions>;
}

/** The text of an example at its largest size. */
function largest({ text, sizes }: Example): string {
  return sizes ? text.replace(new RegExp(`^(${sizes.name} *= *)\\d+`, "m"), `$1${sizes.L}`) : text;
}

const ofLesson = (example: Example): Program => {
  const { granularity, ...options } = optionsFor(example, defaultOptions, null, defaultOptions);
  return { name: example.id, text: largest(example), expert: null, options: { ...options, granularity } };
};

/** Those that chapters print numbers about. */
const seeds = (): Program[] => allLessons.filter(({ claims }) => (claims?.length ?? 0) > 0).map(ofLesson);

export const suites: Readonly<Record<string, () => readonly Program[]>> = {
  seeds,
  untuned: () => untuned,
  examples: () => examples.map(ofLesson),
  training: () => examples.filter(({ chapter }) => chapter === "training").map(ofLesson),
  gradients: () => gradientPrograms,
  schedules,
  folds: () => folds,
  ops: opPrograms,
  /** The bench's own workloads, whose rows are checked against f64 when they are run without a suite. */
  tuned: () =>
    workloadsAt(1).map(({ id, text }) => ({
      name: id,
      text,
      expert: null,
      options: { granularity: "primitive" },
    })),
};
