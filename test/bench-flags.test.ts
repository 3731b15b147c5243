/** @file The bench's flags: a suite or a folder of programs, passes that are off, and whose numbers plans are made on. */
import { expect, test } from "vitest";
import { readBenchArgs } from "../bench/args";

test("a folder is a suite, planned for the generic profile with every pass unless the flags say otherwise", () => {
  const folder = readBenchArgs(["--programs", "mine"])?.suite;
  expect(folder).toMatchObject({ name: null, programs: "mine", without: [], plannedFor: "generic" });
  const both = readBenchArgs(
    "--suite untuned --programs mine --without recognition,attention --planned-for device".split(" "),
  );
  expect(both?.suite).toMatchObject({ name: "untuned", programs: "mine", plannedFor: "device" });
  expect(both?.suite?.without).toEqual(["recognition", "attention"]);
  expect(readBenchArgs(["--train"])?.suite).toMatchObject({ name: "training", train: true });
  expect(readBenchArgs(["--train", "--programs", "mine"])?.suite).toMatchObject({ name: null, train: true });
  expect(readBenchArgs(["--divide", "16"])?.suite).toBeNull();
});

test("a pass or a device that there is none of is refused with those that there are", () => {
  expect(() => readBenchArgs(["--suite", "untuned", "--without", "magic"])).toThrow(/recognition.*, not magic/);
  expect(() => readBenchArgs(["--suite", "untuned", "--planned-for", "moon"])).toThrow(
    "--planned-for is generic or device, not moon",
  );
});
