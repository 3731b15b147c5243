/** @file Every code of the catalogue is met by a program, with its numbers and a remedy. */
import { describe, expect, test } from "vitest";
import {
  acceptedCodes,
  costCodes,
  legalityCodes,
  userCodes,
  type ReasonCode,
  type Step,
  type Verdict,
} from "../../src/fusion/ir";
import { examples, runExample } from "./decisions";

/** The numbers that a verdict of each code carries: one of the lists, whole. Codes that count nothing are absent. */
const NUMBERS: Partial<Record<ReasonCode, readonly (readonly string[])[]>> = {
  L_ROOT: [["bytes"]],
  L_SHAPE: [["elements", "otherElements"]],
  L_ROW_NOT_OWNED: [["columns", "limit"], ["values"]],
  L_BINDINGS: [
    ["bindings", "limit"],
    ["bytes", "limit"],
  ],
  L_WGMEM: [
    ["bytes", "limit"],
    ["size", "limit"],
  ],
  C_NEGATIVE: [
    ["microsApart", "microsFused", "bytesSaved"],
    ["bytesRead", "bytesReplaced", "limit"],
    ["bytes", "flops"],
  ],
  C_RECOMPUTE: [
    ["bytes", "flops"],
    ["visits", "limit"],
    ["flopsAdded", "microsApart", "microsFused"],
  ],
  C_REGISTERS: [["registers", "registersBefore", "limit"]],
  C_CODE_SIZE: [["ops", "limit"]],
  C_COMPILE_BUDGET: [["ops", "limit", "compileMillis"]],
  C_PEAK_MEMORY: [["bytesBefore", "bytesAfter", "limit"]],
  C_LIBRARY: [["flopsPerSecond"]],
  C_PARALLELISM: [["workgroups", "multiprocessors"]],
  C_BEATEN: [
    ["microsFused", "microsShared"],
    ["microsStored", "microsAgain", "bytesStored", "bytesAgain"],
  ],
  A_BYTES: [
    ["bytesSaved", "microsApart", "microsFused"],
    ["bytesSavedBefore", "bytesSavedAfter"],
  ],
  A_LAUNCH: [["launchesSaved", "microsApart", "microsFused"]],
};

/** There is none: the op is what it is. */
const WITHOUT_REMEDY: ReadonlySet<ReasonCode> = new Set(["L_OPAQUE", "L_EFFECT"]);

interface Met {
  readonly example: string;
  readonly verdict: Verdict;
  readonly step: Step;
}

const met = new Map<ReasonCode, Met[]>();
for (const example of examples) {
  for (const step of runExample(example).steps) {
    const verdict = step.profitable ?? step.legal;
    const list = met.get(verdict.code);
    const entry = { example: example.name, verdict, step };
    if (list) list.push(entry);
    else met.set(verdict.code, [entry]);
  }
}

describe.each([...legalityCodes, ...costCodes, ...userCodes, ...acceptedCodes])("%s", (code) => {
  test("is met by a program", () => {
    expect(met.get(code)?.length ?? 0).toBeGreaterThan(0);
  });

  test("lights up nodes, carries its numbers and says what would help", () => {
    expect((met.get(code) ?? []).flatMap(faultsOf)).toEqual([]);
  });
});

/** What a verdict owes its reader. */
function faultsOf({ example, verdict, step }: Met): string[] {
  const { code, numbers = {}, nodes, ok, text, remedy } = verdict;
  const lists = NUMBERS[code] ?? [[]];
  const counted = step.kind === "split" || lists.some((list) => list.every((key) => key in numbers));
  const faults = [
    ...(nodes.length > 0 ? [] : ["lights up nothing"]),
    ...(counted ? [] : [`lacks its numbers, has ${Object.keys(numbers).join()}`]),
    ...(Object.values(numbers).every(Number.isFinite) ? [] : ["counts what is no number"]),
    ...(ok || remedy || WITHOUT_REMEDY.has(code) ? [] : ["has no remedy"]),
  ];
  return faults.map((fault) => `${example}, ${step.pass} (${text}): ${fault}`);
}

test("a sum of columns after a matmul is not said to need whole rows", () => {
  const text = "x: f32[1024, 784]\nw: f32[784, 512]\nh = relu(x @ w)\ny = sum(h, dim=0)\nreturn h, y";
  const { steps } = runExample({ name: "a sum of columns", text, codes: ["L_ROW_NOT_OWNED"], kernels: 2 });
  const refused = steps.map(({ legal }) => legal).filter(({ code }) => code === "L_ROW_NOT_OWNED");
  expect(refused.length).toBeGreaterThan(0);
  for (const verdict of refused) {
    expect(verdict.text).toBe("`sum` combines 1,024 values of `relu`, but several threads compute them.");
    expect(verdict.numbers).toEqual({ values: 1024 });
  }
});
