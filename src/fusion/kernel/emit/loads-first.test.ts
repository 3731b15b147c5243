import { describe, expect, test } from "vitest";
import type { NodeId } from "../../ir";
import { opDef } from "../../ops";
import { IndexSpace, type Index } from "./index-space";
import type { Buffer, Reg, Stmt } from "./kernel-ir";
import { loadsFirst } from "./loads-first";

describe("statements of one block", () => {
  const space = new IndexSpace();
  const bufferOf = (name: string): Buffer => ({
    kind: "buffer",
    name,
    value: name as NodeId,
    type: { dtype: "f32", shape: [64] },
    elements: 64,
    access: "read",
    width: 1,
  });
  const reg = (id: number): Reg => ({ kind: "reg", id, name: `r${id}`, scalar: "f32", width: 1, level: 0 });
  const load = (id: number, buffer: Buffer, index: Index): Stmt => ({
    kind: "let",
    reg: reg(id),
    value: { kind: "load", buffer, index, width: 1 },
    nodes: [],
  });
  const added = (id: number, a: number, b: number): Stmt => ({
    kind: "let",
    reg: reg(id),
    value: { kind: "op", def: opDef("add"), args: [reg(a), reg(b)], attrs: {}, index: null },
    nodes: [],
  });
  const [x, y] = [bufferOf("x"), bufferOf("y")];
  const position = space.variable("at", 63, 0);
  const listed: Stmt = { kind: "bindValue", variable: position, value: reg(2), nodes: [] };

  test("what an address needs goes with its load, behind the loads that nothing is needed for", () => {
    const sum = added(1, 0, 0);
    const first = load(0, x, space.int(0));
    const index = load(2, x, space.int(1));
    const gathered = load(3, y, space.of(position));
    const last = load(4, x, space.int(2));
    expect(loadsFirst([first, sum, index, listed, gathered, last])).toEqual([
      first,
      index,
      last,
      listed,
      gathered,
      sum,
    ]);
  });

  test("what is assigned or stored stays where it is, and so does what reads it", () => {
    const assigned: Stmt = { kind: "set", reg: reg(2), value: reg(0), nodes: [] };
    const gathered = load(3, y, space.of(position));
    const store: Stmt = { kind: "store", buffer: x, index: space.int(0), value: reg(0), width: 1, nodes: [] };
    const after = load(4, x, space.int(0));
    const free = load(5, y, space.int(0));
    const stay = [assigned, listed, gathered, store, after];
    expect(loadsFirst([...stay, free])).toEqual([free, ...stay]);
  });
});
