/** @file Good practice, as a list to go through. */
import type { Note } from "./note";

const practice = (
  id: string,
  title: string,
  text: string,
  rows: readonly string[],
  tries: Note["tries"] = [],
): Note => ({
  id,
  kind: "practice",
  title,
  text: [text],
  rows,
  examples: tries.map(({ opens }) => opens),
  tries,
});

export const practices: readonly Note[] = [
  practice(
    "use-what-is-there",
    "Let the framework fuse first",
    "Turn its optimisations up before writing anything: most chains need nothing else. Options has the levels.",
    ["001-18", "001-09"],
  ),
  practice(
    "profile-first",
    "Measure before you fuse",
    "Find the kernels that wait for memory and take long; the others gain nothing. Traffic and Measured show both.",
    ["001-18", "002-20"],
    [{ title: "Nothing to gain", opens: "square-matmul" }],
  ),
  practice(
    "fuse-what-is-related",
    "Fuse what hands data on",
    "Ops that read the same values or each other's. What shares nothing only shares registers.",
    ["002-20"],
    [{ title: "One value, two readers", opens: "two-readers" }],
  ),
  practice(
    "enough-work",
    "Keep the machine busy",
    "A kernel of one workgroup leaves all other processors idle, however little it moves.",
    ["002-20"],
    [
      { title: "Everything waits for one", opens: "one-workgroup" },
      { title: "Fused anyway", opens: "one-workgroup/forced" },
    ],
  ),
  practice(
    "not-too-much",
    "Do not fuse too much",
    "Live values cost registers, and registers cost occupancy.",
    ["001-18"],
    [{ title: "Too many live values", opens: "overfuse" }],
  ),
  practice(
    "by-hand-last",
    "Write kernels by hand last",
    "Only where a compiler cannot: each one has to be kept, tuned and tested for every machine.",
    ["001-18"],
    [{ title: "The bug in one", opens: "masked-lanes" }],
  ),
  practice(
    "check-numbers",
    "Check the numbers",
    "Fused arithmetic may round otherwise. Every run here is compared with a 64-bit reference, element by element.",
    ["001-18", "002-20"],
    [
      { title: "Strict", opens: "strict" },
      { title: "Fast", opens: "strict/fast" },
    ],
  ),
  practice(
    "precision",
    "Choose the precision",
    "Half the bytes are half the traffic. Sums are still carried in 32 bits.",
    ["002-20", "002-19"],
  ),
  practice(
    "synchronise",
    "Wait before you stop the clock",
    "A launch returns at once. A clock that does not wait for the device measures the launch; one that does not warm up measures the compiler. After a run, Numbers shows what such a clock would have said.",
    ["001-17"],
    [],
  ),
];
