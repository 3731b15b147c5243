/** @file docs/performance.md: launches of every operator of bench/operators beside those of a hand-written kernel. `vitest -u` writes it. */
import { format } from "prettier";
import { describe, expect, test } from "vitest";
import { handWritten, operatorTexts } from "../bench/operators";
import { compile, defaultOptions, type Plan } from "../src/fusion";

interface Row {
  readonly name: string;
  readonly naive: Plan;
  readonly fused: Plan;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
const rows = Object.entries(operatorTexts).map(([name, text]): Row => {
  const { naivePlan, fusedPlan, diagnostics } = compile(text, defaultOptions);
  if (!naivePlan || !fusedPlan) throw new Error(`${name}: ${diagnostics.map((each) => each.text).join("; ")}`);
  return { name, naive: naivePlan, fused: fusedPlan };
});
const launches = ({ kernels }: Plan): number => kernels.length;

const mib = ({ totals }: Plan): string => (totals.bytes / 2 ** 20).toFixed(1);
const line = ({ name, naive, fused }: Row): string => {
  const { library, kernels, why } = handWritten[name]!;
  const cells = [
    name.replaceAll("_", " "),
    library === "bound" ? "–" : library,
    kernels.join(" + "),
    `${launches(naive)} → **${launches(fused)}**`,
    `${mib(naive)} → ${mib(fused)}`,
    why ?? "",
  ];
  return `| ${cells.join(" | ")} |`;
};

const page = (): string =>
  [
    "# Kernel counts",
    "",
    "Operators that libraries ship as kernels written by hand, each as a plain program (`bench/operators/`), most of them with their gradients as one graph. _library_ is how many kernels its authors launch, forward + backward; a dash is a count that a chapter or a goal states. _ours_ is launches of the naive plan → of the fused one, for the generic profile with 8 bindings; a reduction over several workgroups counts two. _MiB_ is what both move. Where ours is above the library's count the last column says why. `npx vitest run test/operators.test.ts -u` writes this page, and the test keeps it current.",
    "",
    "| operator | library | its kernels | ours | MiB | why more |",
    "| --- | --- | --- | --- | --- | --- |",
    ...rows.map(line),
    "",
    `${rows.filter(({ name, fused }) => launches(fused) <= sum(handWritten[name]!.kernels)).length} of ${rows.length} need no more launches than the library.`,
    "",
  ].join("\n");

test("docs/performance.md is current", async () => {
  await expect(await format(page(), { parser: "markdown" })).toMatchFileSnapshot("../docs/performance.md");
});

describe.each(rows)("$name", ({ name, naive, fused }) => {
  test("says why it takes more launches than by hand, and only then", () => {
    const { kernels, why } = handWritten[name]!;
    expect(why !== undefined).toBe(launches(fused) > sum(kernels));
  });

  test("takes fewer launches, bytes and predicted time fused than naive", () => {
    expect(launches(fused)).toBeLessThan(launches(naive));
    expect(fused.totals.bytes).toBeLessThanOrEqual(naive.totals.bytes);
    expect(fused.totals.predictedMicros).toBeLessThanOrEqual(naive.totals.predictedMicros);
  });
});
