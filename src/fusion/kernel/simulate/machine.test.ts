import { describe, expect, test } from "vitest";
import { nodeId, regionId } from "../../ir";
import { IndexSpace, type Index } from "../emit/index-space";
import { literal, type Buffer, type KernelProgram, type SharedArray, type Stmt } from "../emit/kernel-ir";
import { interpretProgram } from "./machine";

const THREADS = 8;

/** A kernel of one workgroup over one buffer and one workgroup array. */
function run(
  write: (space: IndexSpace, tid: Index, y: Buffer, cells: SharedArray) => Stmt[],
  workgroups = 1,
): ReturnType<typeof interpretProgram> & { data: Float64Array } {
  const space = new IndexSpace();
  const y: Buffer = {
    kind: "buffer",
    name: "y",
    value: nodeId("y"),
    type: { dtype: "f32", shape: [THREADS] },
    elements: THREADS,
    access: "read_write",
    width: 1,
  };
  const cells: SharedArray = { kind: "shared", name: "cells", scalar: "f32", width: 1, length: THREADS };
  const tid = space.of(space.variable("tid", THREADS - 1, 0, "tid"));
  const program: KernelProgram = {
    name: "kernel",
    template: "pointwise",
    title: "",
    schedule: "",
    region: regionId("r"),
    nodes: [],
    buffers: [y],
    shared: [cells],
    workgroupSize: [THREADS, 1, 1],
    workgroups: [workgroups, 1, 1],
    body: write(space, tid, y, cells),
    space,
    registerCount: 8,
    largestNumber: 0,
    packedHalves: true,
  };
  const data = new Float64Array(THREADS).fill(Number.NaN);
  return { ...interpretProgram(program, new Map([[nodeId("y"), data]])), data };
}
const reg = (id: number) => ({ kind: "reg", id, name: `r${id}`, scalar: "f32", width: 1, level: 0 }) as const;
const put = (array: SharedArray, index: Index, value = 1): Stmt => ({
  kind: "storeShared",
  array,
  index,
  value: literal(value, "f32"),
  lane: null,
  nodes: [],
});
const get = (id: number, array: SharedArray, index: Index): Stmt => ({
  kind: "let",
  reg: reg(id),
  value: { kind: "loadShared", array, index },
  nodes: [],
});
const store = (buffer: Buffer, index: Index, id: number): Stmt => ({
  kind: "store",
  buffer,
  index,
  value: reg(id),
  width: 1,
  nodes: [],
});
const barrier: Stmt = { kind: "barrier" };
/** The other end of the array. */
const mirror = (space: IndexSpace, tid: Index): Index => space.add(space.mul(tid, -1), space.int(THREADS - 1));

describe("what a GPU would do wrong in silence is noticed", () => {
  test("reading another thread's cell after a barrier is fine", () => {
    const { problems, data, buffers } = run((space, tid, y, cells) => [
      put(cells, tid),
      barrier,
      get(0, cells, mirror(space, tid)),
      store(y, tid, 0),
    ]);
    expect(problems).toEqual([]);
    expect([...data]).toEqual(Array.from({ length: THREADS }, () => 1));
    expect(buffers).toEqual([{ value: "y", read: 0, written: THREADS, passes: 0 }]);
  });

  test("without the barrier it is a race", () => {
    const { problems } = run((space, tid, y, cells) => [
      put(cells, tid),
      get(0, cells, mirror(space, tid)),
      store(y, tid, 0),
    ]);
    expect(problems[0]).toMatch(/^race: thread \d reads cells/);
  });

  test("overwriting what another thread still reads is a race", () => {
    const { problems } = run((space, tid, y, cells) => [
      put(cells, tid),
      barrier,
      get(0, cells, mirror(space, tid)),
      put(cells, tid, 2),
      store(y, tid, 0),
    ]);
    expect(problems[0]).toMatch(/^race: thread \d writes cells/);
  });

  test("two threads that write one cell race", () => {
    const { problems } = run((space, tid, y, cells) => [
      put(cells, space.int(0)),
      barrier,
      get(0, cells, space.int(0)),
      store(y, tid, 0),
    ]);
    expect(problems[0]).toMatch(/^race: thread 1 writes cells cell 0 that another thread writes/);
  });

  test("a barrier that only some threads reach", () => {
    const { problems } = run((space, tid, y, cells) => [
      put(cells, tid),
      { kind: "if", when: space.less(tid, 3), body: [barrier], otherwise: [] },
      get(0, cells, tid),
      store(y, tid, 0),
    ]);
    expect(problems).toContain(`3 of ${THREADS} threads reach a barrier`);
  });

  test("a cell that nobody wrote", () => {
    const { problems } = run((_, tid, y, cells) => [get(0, cells, tid), store(y, tid, 0)]);
    expect(problems[0]).toBe("cells cell 0 is read before anyone writes it");
  });

  test("a store outside, a store twice, and elements that nobody stores", () => {
    const one: Stmt = { kind: "let", reg: reg(0), value: literal(1, "f32"), nodes: [] };
    expect(run((space, tid, y) => [one, store(y, space.add(tid, space.int(1)), 0)]).problems).toEqual([
      "y[8] is written outside its 8 elements",
      "y has 1 elements that nobody writes",
    ]);
    expect(run((_, tid, y) => [one, store(y, tid, 0)], 2).problems[0]).toBe("y[0] is written twice");
  });

  test("threads that left take no further part", () => {
    const { data } = run((space, tid, y) => [
      { kind: "let", reg: reg(0), value: literal(1, "f32"), nodes: [] },
      { kind: "guard", when: space.less(tid, 3) },
      store(y, tid, 0),
    ]);
    expect([...data].filter((value) => value === 1)).toHaveLength(3);
  });
});
