/** @file What PyTorch and NumPy compute for programs as people type and paste them: each output's type, its largest magnitude, and two sums over it that every element and its index move. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { showType } from "../src/fusion";
import { outputValues, type OutputValue } from "./output-values";

const programs = ["torch-values.txt", "torch-pasted.txt"]
  .flatMap((file) => readFileSync(new URL(`fixtures/${file}`, import.meta.url), "utf8").split("\n\n"))
  .map((block) => {
    const lines = block.trim().split("\n");
    const facts = lines.filter((line) => line.startsWith("# ")).map((line) => line.slice(2));
    return { text: lines.filter((line) => !line.startsWith("# ")).join("\n"), facts };
  });

/** Numbers stand for what is none, so that sums tell them apart. */
const finite = (value: number): number =>
  Number.isNaN(value) ? 7 : value === Infinity ? 3 : value === -Infinity ? -5 : value;

/** Null where the output is as the fact says, within the rounding of its type; else what it is. */
function otherwise({ type, data }: OutputValue, fact: string | undefined): string | null {
  const [, said, ...numbers] = /^(\w+\[.*\]) (\S+) (\S+) (\S+)$/.exec(fact ?? "") ?? [];
  const values = data.map(finite);
  const sum = (weight: (i: number) => number): number => values.reduce((all, value, i) => all + value * weight(i), 0);
  const found = [
    values.reduce((most, value) => Math.max(most, Math.abs(value)), 0),
    sum(Math.cos),
    sum((i) => Math.cos(2.3 * i + 1)),
  ];
  const near = (type.dtype === "f16" ? 3e-3 : 1e-4) * found[0]! * Math.sqrt(Math.max(1, values.length)) + 1e-6;
  const alike = said === showType(type) && found.every((value, at) => Math.abs(value - Number(numbers[at])) <= near);
  return alike ? null : `${showType(type)} ${found.map((value) => value.toPrecision(6)).join(" ")}`;
}

test(`${programs.length} programs give PyTorch's values`, { timeout: 300_000 }, () => {
  const faults = programs.flatMap(({ text, facts }) => {
    const outputs = outputValues(`${text}\n`);
    const wrong = outputs.flatMap((output, i) => otherwise(output, facts[i]) ?? []);
    return outputs.length === facts.length && wrong.length === 0 ? [] : [`${text}: ${wrong.join(", ")}`];
  });
  expect(faults).toEqual([]);
});
