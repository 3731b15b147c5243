import { describe, expect, test } from "vitest";
import type { DeviceProfile, NodeId } from "../ir";
import { LINES_PER_MICRO, type RegionSchedule } from "../kernel";
import { kernelTime, occupancy, occupancyLimits, priority } from "./model";
import { a100, deviceProfileFrom, generic, h100, intensity, ridge, withField } from "./profiles";
import type { RegionTraffic } from "../kernel/count/traffic";

const MIB = 1 << 20;
const value = "x" as NodeId;
const schedule = (given: Partial<RegionSchedule> = {}): RegionSchedule => ({
  variant: "flat",
  cached: [],
  merged: [],
  width: 4,
  turns: 1,
  unrolled: false,
  chunks: 1,
  chunkLength: 1,
  tileAxes: null,
  matmul: null,
  reads: [{ value, elements: 1 << 24, waste: 1, rereads: 0 }],
  stridedWrites: [],
  workgroups: 16384,
  threadsPerWorkgroup: 256,
  workgroupBytes: 0,
  registers: 20,
  dispatches: 1,
  temporaryBytes: 0,
  modelledBytes: 0,
  ...given,
});
const traffic = (reads: number, rereads: number, writes: number): RegionTraffic => ({
  reads: [{ value, bytes: reads, rereads, fullSize: true }],
  writes: [{ value, bytes: writes, rereads: 0, fullSize: true }],
  temporaryBytes: 0,
  bytesRead: reads * (1 + rereads),
  bytesWritten: writes,
  bytes: reads * (1 + rereads) + writes,
  transfers: 2 + rereads,
  fullSizeTransfers: 2 + rereads,
});

const multiplyAdds = (flops: number) => ({
  flops,
  weighted: flops,
  work: flops,
  lines: 0,
  waits: 0,
  shifted: { near: 0, far: 0 },
});
const none = multiplyAdds(0);

describe("the worked example: log(exp(x) + 1) on 64 MiB", () => {
  const pass = traffic(64 * MIB, 0, 64 * MIB);
  test("one pass over the tensor takes 33.6 µs", () => {
    expect(kernelTime(pass, none, schedule(), generic).readMicros).toBeCloseTo(33.55, 1);
  });
  test("three kernels 225.3 µs, one 75.1 µs, benefit 150.2 µs", () => {
    const one = kernelTime(pass, none, schedule(), generic);
    expect(3 * one.micros).toBeCloseTo(225.3, 1);
    expect(one.micros).toBeCloseTo(75.1, 1);
    expect(priority(3 * one.workMicros, one.workMicros, 2, generic)).toBeCloseTo(150.2, 1);
  });
});

describe("time", () => {
  test("a read that wastes three bytes of four is priced at four times its bytes", () => {
    const strided = schedule({ reads: [{ value, elements: 1, waste: 4, rereads: 0 }] });
    const plain = kernelTime(traffic(8 * MIB, 0, 0), none, schedule(), generic).readMicros;
    expect(kernelTime(traffic(8 * MIB, 0, 0), none, strided, generic).readMicros).toBeCloseTo(4 * plain);
  });
  test("a reread is 2.5 times faster while the tensor fits the second-level cache", () => {
    const read = (bytes: number, rereads: number): number =>
      kernelTime(traffic(bytes, rereads, 0), none, schedule(), generic).readMicros;
    expect(read(8 * MIB, 1) / read(8 * MIB, 0)).toBeCloseTo(1.4);
    expect(read(64 * MIB, 1) / read(64 * MIB, 0)).toBeCloseTo(2);
  });
  test("computing hides behind moving, but for a twentieth", () => {
    const moved = kernelTime(traffic(64 * MIB, 0, 64 * MIB), none, schedule(), generic).workMicros;
    const both = kernelTime(traffic(64 * MIB, 0, 64 * MIB), multiplyAdds(1e9), schedule(), generic);
    expect(both.computeMicros).toBeCloseTo(10);
    expect(both.workMicros).toBeCloseTo(moved + 0.5);
  });
  test("few workgroups draw a share of the bandwidth", () => {
    const full = kernelTime(traffic(8 * MIB, 0, 0), none, schedule({ workgroups: 108 }), generic).readMicros;
    expect(kernelTime(traffic(8 * MIB, 0, 0), none, schedule({ workgroups: 27 }), generic).readMicros).toBeCloseTo(
      4 * full,
    );
  });
  test("a view takes no time", () => {
    expect(kernelTime(traffic(0, 0, 0), none, schedule({ dispatches: 0 }), generic).micros).toBe(0);
  });
});

test("128 registers fill a multiprocessor, 256 half of it; with four neighbours each thread does for four", () => {
  expect(occupancy(schedule({ width: 1, registers: 128 }), generic)).toBe(1);
  expect(occupancy(schedule({ width: 1, registers: 256 }), generic)).toBe(0.5);
  expect(occupancy(schedule({ registers: 256 }), generic)).toBe(1);
  expect(occupancyLimits(schedule({ width: 1, registers: 32, workgroups: 54 }), generic)).toEqual({
    registers: 4,
    workgroupMemory: 1,
    workgroups: 0.5,
  });
});

test("registers that no thread has are written and read back, 1.2 TB/s of 4", () => {
  const micros = (registers: number): number =>
    kernelTime(traffic(0, 0, 0), none, schedule({ registers }), { ...generic, bandwidth: 4e12 }).workMicros;
  expect(micros(255)).toBe(0);
  expect(micros(355)).toBeCloseTo((8 * 100 * 16384 * 256) / 1.2e6);
});

test("functions take more of a shader than their FLOP say", () => {
  const micros = (flops: number, work: number, given: Partial<RegionSchedule> = {}): number =>
    kernelTime(traffic(0, 0, 0), { ...none, weighted: flops, work }, schedule(given), generic).computeMicros;
  expect(micros(8e9, 43e9)).toBeCloseTo(430);
  expect(micros(8e9, 43e9, { reached: 0.5 })).toBeCloseTo(510);
});

test("lines that scattered loads ask for take their time, on all multiprocessors", () => {
  const micros = (lines: number, given: Partial<RegionSchedule> = {}): number =>
    kernelTime(traffic(0, 0, 0), { ...none, lines }, schedule(given), generic).workMicros;
  expect(micros(generic.multiprocessors * LINES_PER_MICRO)).toBeCloseTo(1);
  expect(micros(LINES_PER_MICRO, { workgroups: 1 })).toBeCloseTo(1);
});

test("a datasheet's peak of tensor cores is no rate of shaders, and a peak that somebody states is", () => {
  const microsOn = (profile: DeviceProfile): number =>
    kernelTime(traffic(0, 0, 0), multiplyAdds(67e6), schedule({ workgroups: 132 }), profile).computeMicros;
  expect(microsOn(h100)).toBeCloseTo(1);
  expect(microsOn(withField(h100, h100, "peakFlops", 67e13))).toBeCloseTo(0.1);
  expect(withField(withField(h100, h100, "peakFlops", 1), h100, "peakFlops", h100.peakFlops)).toBe(h100);
});

test("ridges of the datasheets: 156 and 298 FLOP/B", () => {
  expect(Math.round(ridge(a100))).toBe(156);
  expect(Math.floor(ridge(h100))).toBe(298);
  expect(intensity(10, 8)).toBe(1.25);
});

test("a measured roof that is not a number keeps the base's", () => {
  const profile = deviceProfileFrom("here", { bandwidth: 3e11, peakFlops: Number.NaN, launchMicros: null });
  expect([profile.name, profile.bandwidth, profile.peakFlops, profile.launchMicros]).toEqual(["here", 3e11, 1e14, 8]);
});

test("what is stored with a stride takes four times as long, and counts once", () => {
  const [plain, turned] = [schedule(), schedule({ stridedWrites: [value] })].map((each) =>
    kernelTime(traffic(0, 0, 64 * MIB), none, each, generic),
  );
  expect(turned!.writeMicros).toBeCloseTo(4 * plain!.writeMicros);
});
