/** @file Windows and transforms against their sums written out. */
import { expect, test } from "vitest";
import { close, run, upTo, wave, type Given } from "./testing";

test("windows begin at their edge; a periodic one would go on where it ends", () => {
  const size: Given = [[], [8]];
  const told = [{ name: "periodic", i: 0 }];
  const open = (op: string): number[] => run(op, [size], told, { opset: 17, known: [0] })[0]!.data;
  close(
    open("HannWindow"),
    upTo(8).map((k) => Math.sin((Math.PI * k) / 7) ** 2),
  );
  expect(open("HammingWindow")[0]).toBeCloseTo(4 / 46, 9);
  expect(open("BlackmanWindow")[0]).toBeCloseTo(0, 9);
  close(
    run("HannWindow", [size], [], { opset: 17, known: [0] })[0]!.data,
    upTo(8).map((k) => Math.sin((Math.PI * k) / 8) ** 2),
  );
});

test("a transform is a sum of waves, and its inverse gives back what went in", () => {
  const x = wave(6, 0.7);
  const told = [{ name: "axis", i: 1 }];
  const [got] = run("DFT", [[[1, 6, 1], x]], told, { opset: 17 });
  expect(got!.shape).toEqual([1, 6, 2]);
  const part = (k: number, f: (angle: number) => number): number =>
    x.reduce((sum, v, n) => sum + v * f((-2 * Math.PI * n * k) / 6), 0);
  close(
    got!.data,
    upTo(6).flatMap((k) => [part(k, Math.cos), part(k, Math.sin)]),
  );
  const [back] = run("DFT", [[got!.shape, got!.data]], [...told, { name: "inverse", i: 1 }], { opset: 17 });
  close(
    back!.data,
    x.flatMap((v) => [v, 0]),
  );
  const [half] = run("DFT", [[[1, 6, 1], x]], [...told, { name: "onesided", i: 1 }], { opset: 17 });
  close(half!.data, got!.data.slice(0, 8));
});

test("frames a step apart, weighted and transformed", () => {
  const [batch, extent, length, step] = [2, 11, 4, 3];
  const x = wave(batch * extent, 0.7);
  const weights = wave(length, 0.4);
  const frames = 3;
  const want = (frequencies: number): number[] =>
    upTo(batch).flatMap((b) =>
      upTo(frames).flatMap((frame) =>
        upTo(frequencies).flatMap((k) =>
          [Math.cos, (angle: number) => -Math.sin(angle)].map((f) =>
            upTo(length).reduce(
              (sum, n) => sum + weights[n]! * x[b * extent + frame * step + n]! * f((2 * Math.PI * k * n) / length),
              0,
            ),
          ),
        ),
      ),
    );
  const given: Given[] = [
    [[batch, extent, 1], x],
    [[], [step]],
    [[length], weights],
    [[], [length]],
  ];
  const [one] = run("STFT", given, [], { known: [1, 3] });
  expect(one!.shape).toEqual([batch, frames, 3, 2]);
  close(one!.data, want(3));
  const [both] = run("STFT", given.slice(0, 3), [{ name: "onesided", i: 0 }], { known: [1] });
  close(both!.data, want(4));
});

test("a complex signal is the sum of its parts, one turned by a quarter", () => {
  const [re, im] = [wave(6, 0.7), wave(6, 1.1)];
  const rest: Given[] = [[[], [2]], null, [[], [4]]];
  const transform = (shape: number[], data: number[]): number[] =>
    run("STFT", [[shape, data], ...rest], [{ name: "onesided", i: 0 }], { known: [1, 3] })[0]!.data;
  const both = transform(
    [1, 6, 2],
    upTo(12).map((i) => (i % 2 === 0 ? re : im)[i >> 1]!),
  );
  const [a, b] = [transform([1, 6, 1], re), transform([1, 6, 1], im)];
  close(
    both,
    upTo(both.length).map((i) => (i % 2 === 0 ? a[i]! - b[i + 1]! : a[i]! + b[i - 1]!)),
  );
});

test("mel bands: triangles that rise to a corner and fall to the next", () => {
  const scalar = (v: number): Given => [[], [v]];
  const [got] = run("MelWeightMatrix", [scalar(3), scalar(16), scalar(8000), scalar(0), scalar(4000)], [], {
    known: upTo(5),
  });
  // 4000 Hz are 2146.1 mel; a fifth of them apart lie 0, 324, 799, 1494 and 2511 Hz, and an element is 8000 / 17 Hz.
  const corners = [0, 0, 1, 3, 5];
  expect(got!.shape).toEqual([9, 3]);
  const triangle = (band: number, at: number): number => {
    const [first, top, last] = corners.slice(band) as [number, number, number];
    if (at === top) return 1;
    return at > first && at < top
      ? (at - first) / (top - first)
      : at > top && at < last
        ? (last - at) / (last - top)
        : 0;
  };
  close(
    got!.data,
    upTo(27).map((i) => triangle(i % 3, Math.floor(i / 3))),
  );
});
