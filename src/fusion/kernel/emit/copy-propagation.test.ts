import { expect, test } from "vitest";
import { nodeId } from "../../ir";
import { IndexSpace } from "./index-space";
import { literal, type Buffer, type KernelProgram, type Reg, type Stmt } from "./kernel-ir";
import { Names } from "./names";
import { printWgsl } from "../print/print";
import { propagateCopies } from "./copy-propagation";

const space = new IndexSpace();
const [row, column] = [space.variable("row", 4095, 0), space.variable("column", 63, 1)];
const y = nodeId("y");
const x: Buffer = {
  kind: "buffer",
  name: "x",
  value: y,
  type: { dtype: "f32", shape: [65536] },
  elements: 65536,
  access: "read",
  width: 1,
};
const reg = (id: number, name: string): Reg => ({ kind: "reg", id, name, scalar: "f32", width: 1, level: 0 });
const far = space.add(space.mul(space.div(space.of(row), 4), 64), space.mod(space.of(row), 4));
const at = (index: typeof far, number: number) => space.add(index, space.int(number));
const load = (id: number, name: string, index: typeof far): Stmt => ({
  kind: "let",
  reg: reg(id, name),
  value: { kind: "load", buffer: x, index, width: 1 },
  nodes: [y],
});

/** The body as it would be printed. */
function bodyOf(body: readonly Stmt[]): string[] {
  const program: KernelProgram = {
    name: "k",
    template: "pointwise",
    title: "",
    schedule: "",
    region: "r" as KernelProgram["region"],
    nodes: [y],
    buffers: [x],
    shared: [],
    workgroupSize: [1, 1, 1],
    workgroups: [1, 1, 1],
    body: propagateCopies(body, space, new Names()),
    space,
    registerCount: 9,
    largestNumber: 0,
    packedHalves: false,
  };
  const lines = printWgsl(program).wgsl.split("\n");
  return lines.slice(lines.findIndex((line) => line.startsWith("fn ")) + 1, -2).map((line) => line.slice(2));
}

test("an address that is spelled twice gets a name where it is first needed", () => {
  expect(bodyOf([load(0, "a", far), load(1, "b", at(far, 2))])).toEqual([
    "let x_at = (row / 4u) * 64u + row % 4u;",
    "let a = x[x_at];",
    "let b = x[x_at + 2u];",
  ]);
  expect(bodyOf([load(0, "a", far)])).toEqual(["let a = x[(row / 4u) * 64u + row % 4u];"]);
});

test("what a loop does not change is named before it, the rest inside", () => {
  const inner = space.add(space.mul(space.div(space.of(column), 4), 8), space.mod(space.of(column), 4));
  const body = [load(0, "a", far), load(1, "b", at(inner, 1)), load(2, "c", at(inner, 3))];
  expect(bodyOf([load(3, "d", at(far, 1)), { kind: "for", variable: column, count: 64, body }])).toEqual([
    "let x_at = (row / 4u) * 64u + row % 4u;",
    "let d = x[x_at + 1u];",
    "for (var column = 0u; column < 64u; column++) {",
    "  let a = x[x_at];",
    "  let x_at_2 = (column / 4u) * 8u + column % 4u;",
    "  let b = x[x_at_2 + 1u];",
    "  let c = x[x_at_2 + 3u];",
    "}",
  ]);
});

test("a value that is only handed on has no line; one that is read again keeps it", () => {
  const [next, held] = [reg(0, "next"), reg(1, "held")];
  const start: Stmt = { kind: "var", reg: held, value: literal(0, "f32"), nodes: [] };
  const taken: Stmt = { kind: "set", reg: held, value: next, nodes: [] };
  const near = space.of(row);
  expect(bodyOf([start, load(0, "next", near), taken])).toEqual(["var held: f32 = 0.0;", "held = x[row];"]);
  const again: Stmt = { kind: "let", reg: reg(2, "again"), value: next, nodes: [] };
  expect(bodyOf([start, load(0, "next", near), taken, again])).toEqual([
    "var held: f32 = 0.0;",
    "let next = x[row];",
    "held = next;",
    "let again = next;",
  ]);
});
