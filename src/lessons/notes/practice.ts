/** @file Good practice, as a list to go through. */
import type { Note } from "./note";

const practice = (
  id: string,
  title: string,
  text: string,
  rows: readonly string[],
  tries: Note["tries"] = [],
  figure?: Note["figure"],
): Note => ({
  id,
  kind: "practice",
  title,
  text: [text],
  rows,
  examples: tries.map(({ opens }) => opens),
  tries,
  ...(figure ? { figure } : {}),
});

export const practices: readonly Note[] = [
  practice(
    "use-what-is-there",
    "Let the framework fuse first",
    "Raise its optimisation level before you write a kernel: most chains need nothing else. Options has the levels.",
    ["001-18", "001-09"],
  ),
  practice(
    "profile-first",
    "Measure before you fuse",
    "Find the slow kernels that are limited by memory; the others gain nothing. Traffic and Measured show both.",
    ["001-18", "002-20"],
    [{ title: "Nothing to gain", opens: "square-matmul" }],
  ),
  practice(
    "fuse-what-is-related",
    "Fuse ops that share data",
    "Fuse ops that read the same values or each other's results. Ops that share no data only compete for registers.",
    ["002-20"],
    [{ title: "One value, two readers", opens: "two-readers" }],
  ),
  practice(
    "enough-work",
    "Keep the GPU busy",
    "A kernel with one workgroup leaves all other multiprocessors idle, even if it moves few bytes.",
    ["002-20"],
    [
      { title: "One workgroup for everything", opens: "one-workgroup" },
      { title: "Fused anyway", opens: "one-workgroup/forced" },
    ],
  ),
  practice(
    "not-too-much",
    "Do not fuse too much",
    "What a kernel holds costs registers. When they are full, tiles become small, or values go to memory after all.",
    ["001-18"],
    [
      { title: "Too much in registers", opens: "overfuse" },
      { title: "Fused anyway", opens: "overfuse/forced" },
    ],
  ),
  practice(
    "by-hand-last",
    "Write kernels by hand last",
    "Do it only where a compiler cannot: each kernel must be maintained, tuned and tested on every GPU.",
    ["001-18"],
    [{ title: "The bug in one", opens: "masked-lanes" }],
  ),
  practice(
    "check-numbers",
    "Check the numbers",
    "Fused arithmetic may round differently. Every run here compares naive and fused results and checks both against a 64-bit reference.",
    ["001-18", "002-20"],
    [
      { title: "Strict", opens: "strict" },
      { title: "Fast", opens: "strict/fast" },
    ],
  ),
  practice(
    "precision",
    "Choose the precision",
    "Half the bytes per element halve the traffic. Sums still use 32 bits.",
    ["002-20", "002-19"],
    [],
    "storage",
  ),
  practice(
    "synchronise",
    "Wait before you stop the clock",
    "A launch returns at once. A clock that does not wait for the device measures the launch; one that does not warm up measures the compiler. After a run, All numbers shows what such a clock would report.",
    ["001-17"],
    [],
  ),
];
