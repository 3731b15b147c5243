/** @file A loop along rows: one thread for each element of what is carried, which reads and stores a row in each iteration. */
import { node, sameShape, sizeOf, type NodeId, type Shape } from "../../../../ir";
import { givenRow, opDef, ownShape, readAt, rowLoopOf, type Walk } from "../../../../ops";
import { resultsOf } from "../map-loops";
import { rowRegionOf } from "../row-region";
import type { Index, Tuple } from "../../../emit/index-space";
import type { KernelProgram } from "../../../emit/kernel-ir";
import { loweringOf, programOf, threadPerItem, type Job } from "../../../emit/kernel-frame";
import { writeLoop } from "./map-loop";
import type { Elements } from "./run-elements";
import { registerScalar } from "../../../emit/emitter";

/** Variant `row-loop`. */
export function lowerRowLoop(job: Job): KernelProgram {
  const { graph, region, form, schedule, target } = job;
  const low = loweringOf(job);
  const { space } = low;
  const { loop, results, phases } = rowRegionOf(graph, region.members);
  const { body, outer, rowAxis, iterations } = loop;
  const nodes = results.map((id) => node(graph, id));
  const [{ op, inputs }] = nodes as [(typeof nodes)[number]];
  const meaning = opDef(op).loop!;
  const numbers = resultsOf(nodes);
  const threads = schedule.threadsPerWorkgroup;
  const grid = threadPerItem(low, sizeOf(outer), threads, target);
  const own = space.unravel(grid.index, outer);
  const zero = space.int(0);
  const shapeOf = (param: number): readonly number[] => node(graph, inputs[param]!).type.shape;
  /** All numbers of a parameter that one run of the body has. */
  const given = (param: number, row: Index | null): Elements => {
    const said = body.params[param]!;
    return insides(ownShape(said)).map((inside) => {
      const at = readAt(loop, said, shapeOf(param), own, row, zero, inside);
      return low.converted(low.valueAt(inputs[param]!, space.tuple(at)), registerScalar(said.dtype), inputs[param]!);
    });
  };
  const insides = (shape: Shape): readonly (readonly Index[])[] =>
    Array.from({ length: sizeOf(shape) }, (_, flat) => space.unravel(space.int(flat), shape));
  const rowOf = ({ start, backwards }: Walk, iteration: Index): Index =>
    space.add(space.int(start), space.mul(iteration, backwards ? -1 : 1));
  const args = body.params.map(({ walk }, at): Elements | undefined => (walk ? undefined : given(at, null)));
  const outputs = region.outputs.filter((id) => sizeOf(node(graph, id).type.shape) > 0);
  const isRow = (id: NodeId): boolean => {
    const phase = phases.get(id);
    return phase === "before" ? sameShape(node(graph, id).type.shape, loop.whole) : phase === "row";
  };
  const inRows = outputs.filter(isRow);
  /** The elements of a value for the rows' axis at `around`: of all that one run of the body has. */
  const elementsAt = (id: NodeId, around: readonly Index[]): readonly Tuple[] =>
    insides(node(graph, id).type.shape.slice(around.length)).map((inside) => space.tuple([...around, ...inside]));
  const found = writeLoop(low, {
    body,
    types: meaning.typesOf(body),
    iterations,
    results: numbers,
    args,
    nodes: results,
    rows: {
      read: (param, iteration) => {
        return given(param, rowOf(body.params[param]!.walk!, iteration));
      },
      give: (values, iteration) => {
        const around = own.toSpliced(rowAxis, 0, rowOf(givenRow(loop), iteration));
        for (const n of nodes) {
          const value = values.get(meaning.result(n.attrs));
          if (value) elementsAt(n.id, around).forEach((at, k) => low.setValueAt(n.id, at, value[k]!));
        }
        storeAll(inRows, around);
      },
    },
  });
  for (const n of nodes)
    if (rowLoopOf(n)!.result.kind === "last") {
      const last = found.get(meaning.result(n.attrs))!;
      elementsAt(n.id, own).forEach((at, k) => low.setValueAt(n.id, at, last[k]!));
    }
  storeAll(
    outputs.filter((id) => !inRows.includes(id)),
    own,
  );
  return programOf(low, job, {
    template: form.template,
    schedule: `One thread per ${meaning.isPlain(body) ? "element" : "row"} that is carried, ${threads} threads a workgroup, ${iterations} rows one after the other.`,
    workgroupSize: grid.workgroupSize,
    workgroups: grid.workgroups,
  });

  function storeAll(ids: readonly NodeId[], around: readonly Index[]): void {
    const stored = ids.flatMap((id) => elementsAt(id, around).map((at) => ({ id, at, value: low.valueAt(id, at) })));
    for (const { id, at, value } of stored)
      low.store(low.buffer(id), space.ravel(at.at, node(graph, id).type.shape), value, [id]);
  }
}
