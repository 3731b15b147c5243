/** @file Windows and transforms against their sums written out. */
import { expect, test } from "vitest";
import { close, run, upTo, wave, type Given } from "./testing";

test("windows begin at their edge; a periodic one would go on where it ends", () => {
  const size: Given = [[], [8]]; // prettier-ignore
  const told = [{ name: "periodic", i: 0 }];
  const open = (op: string): number[] => run(op, [size], told, { opset: 17, known: [0] })[0]!.data;
  close(open("HannWindow"), upTo(8).map((k) => Math.sin((Math.PI * k) / 7) ** 2)); // prettier-ignore
  expect(open("HammingWindow")[0]).toBeCloseTo(4 / 46, 9);
  expect(open("BlackmanWindow")[0]).toBeCloseTo(0, 9);
  close(run("HannWindow", [size], [], { opset: 17, known: [0] })[0]!.data, upTo(8).map((k) => Math.sin((Math.PI * k) / 8) ** 2)); // prettier-ignore
});

test("a transform is a sum of waves, and its inverse gives back what went in", () => {
  const x = wave(6, 0.7);
  const told = [{ name: "axis", i: 1 }];
  const [got] = run("DFT", [[[1, 6, 1], x]], told, { opset: 17 }); // prettier-ignore
  expect(got!.shape).toEqual([1, 6, 2]);
  const part = (k: number, f: (angle: number) => number): number => x.reduce((sum, v, n) => sum + v * f((-2 * Math.PI * n * k) / 6), 0); // prettier-ignore
  close(got!.data, upTo(6).flatMap((k) => [part(k, Math.cos), part(k, Math.sin)])); // prettier-ignore
  const [back] = run("DFT", [[got!.shape, got!.data]], [...told, { name: "inverse", i: 1 }], { opset: 17 });
  close(
    back!.data,
    x.flatMap((v) => [v, 0]),
  );
  const [half] = run("DFT", [[[1, 6, 1], x]], [...told, { name: "onesided", i: 1 }], { opset: 17 }); // prettier-ignore
  close(half!.data, got!.data.slice(0, 8));
});
