import { expect, test } from "vitest";
import { a100, defaultOptions, generic } from "../fusion";
import { changeOf, titleOfQuestion, type Question } from "./question";

const asked = (question: Question, options = defaultOptions) => [
  changeOf(question, options),
  titleOfQuestion(question, options),
];
const off = { ...defaultOptions, disabledPasses: ["attention", "row-groups"] };

test.each<[Question, object, string]>([
  [{ kind: "level", level: 1 }, { level: 1 }, "the level is 1"],
  [{ kind: "pass", name: "row-groups" }, { disabledPasses: ["row-groups"] }, "“Fuse row reductions” is switched off"],
  [{ kind: "machine", profile: a100 }, { profile: a100 }, "the device is NVIDIA A100, datasheet"],
  [
    { kind: "constant", field: "bandwidth", value: 690e9 },
    { profile: { ...generic, name: "own", base: "generic", bandwidth: 690e9 } },
    "memory bandwidth is 690 GB/s",
  ],
  [{ kind: "policy", policy: "duplicate" }, { policy: "duplicate" }, "shared values are recomputed"],
  [
    { kind: "matmul", policy: "library" },
    { matmulPolicy: "library" },
    "the option Matmul epilogues is “keep separate, like a library call”",
  ],
  [{ kind: "strict", strict: true }, { strict: true }, "rounding must not change"],
])("%o", (question, change, title) => {
  expect(asked(question)).toEqual([change, title]);
});

test("a pass that is off is asked about being on", () => {
  expect(asked({ kind: "pass", name: "row-groups" }, off)).toEqual([
    { disabledPasses: ["attention"] },
    "“Fuse row reductions” is switched on",
  ]);
});
