/** @file A loop along rows: one thread for each element of what is carried, which reads and stores a row in each iteration. */
import { bug, node, sameShape, sizeOf } from "../../../ir";
import { givenRow, opDef, readAt, rowLoopOf, type Walk } from "../../../ops";
import { resultsOf, rowRegionOf } from "../../../region";
import type { Index, Tuple } from "../../index-space";
import type { KernelProgram, Value } from "../../kernel-ir";
import { loweringOf, programOf, threadPerItem, type Job } from "../../kernel-frame";
import { writeLoop } from "../../map-loop";
import { registerScalar } from "../../emitter";

/** Variant `row-loop`. */
export function lowerRowLoop(job: Job): KernelProgram {
  const { graph, region, form, schedule, target } = job;
  const low = loweringOf(job);
  const { space } = low;
  const { loop, results, phases } = rowRegionOf(graph, region.members);
  const { body, kept, whole, place, iterations } = loop;
  const nodes = results.map((id) => node(graph, id));
  const [{ op, inputs }] = nodes as [(typeof nodes)[number]];
  const meaning = opDef(op).loop!;
  const numbers = resultsOf(nodes);
  const threads = schedule.threadsPerWorkgroup;
  const grid = threadPerItem(low, sizeOf(kept), threads, target);
  const own = space.unravel(grid.index, kept);
  const element = space.tuple(own);
  const zero = space.int(0);
  const shapeOf = (param: number): readonly number[] => node(graph, inputs[param]!).type.shape;
  const given = (param: number, at: Tuple): Value =>
    low.converted(low.valueAt(inputs[param]!, at), registerScalar(body.params[param]!.dtype), inputs[param]!);
  const rowOf = ({ start, backwards }: Walk, iteration: Index): Index =>
    space.add(space.int(start), space.mul(iteration, backwards ? -1 : 1));
  const args = body.params.map(({ walk }, at): Value | undefined =>
    walk ? undefined : given(at, space.tuple(readAt(loop, shapeOf(at), own, null, zero))),
  );
  const outputs = region.outputs.filter((id) => sizeOf(node(graph, id).type.shape) > 0);
  const inRows = outputs.filter((id) => sameShape(node(graph, id).type.shape, whole) && phases.get(id) !== "after");
  const found = writeLoop(low, {
    body,
    dtypes: meaning.dtypesOf(body),
    iterations,
    results: numbers,
    args,
    nodes: results,
    rows: {
      read: (param, iteration) => {
        const row = rowOf(body.params[param]!.walk!, iteration);
        return given(param, space.tuple(readAt(loop, shapeOf(param), own, row, zero)));
      },
      give: (values, iteration) => {
        const at = space.tuple(own.toSpliced(place, 0, rowOf(givenRow(loop), iteration)));
        for (const n of nodes) {
          const value = values.get(meaning.result(n.attrs));
          if (value) low.setValueAt(n.id, at, value);
        }
        const stored = inRows.map((id) => ({ id, value: low.valueAt(id, at) }));
        for (const { id, value } of stored) low.store(low.buffer(id), space.ravel(at.at, whole), value, [id]);
      },
    },
  });
  for (const n of nodes)
    if (rowLoopOf(n)!.result.kind === "last") low.setValueAt(n.id, element, found.get(meaning.result(n.attrs))!);
  for (const id of outputs.filter((id) => !inRows.includes(id))) {
    if (!sameShape(node(graph, id).type.shape, kept)) throw bug(`${id} is neither a row nor what is carried`);
    low.store(low.buffer(id), grid.index, low.valueAt(id, element), [id]);
  }
  return programOf(low, job, {
    template: form.template,
    schedule: `One thread per element that is carried, ${threads} threads a workgroup, ${iterations} rows one after the other.`,
    workgroupSize: grid.workgroupSize,
    workgroups: grid.workgroups,
  });
}
