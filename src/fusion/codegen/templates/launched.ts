/** @file A loop whose iterations are launched: the kernels of its body, once an iteration, on what the iteration before left behind. */
import { regionFlops } from "../../cost";
import { bug, node, nodeId, type Graph, type Node, type NodeId, type Region, type Target, partialsId } from "../../ir";
import {
  classify,
  endingOf,
  LaunchedLoop,
  scheduleRegion,
  type Launch,
  type Place,
  type IterationKernels,
} from "../../region";
import type { Job } from "../kernel-frame";
import { storedForm } from "../kernel-frame";
import type { KernelProgram } from "../kernel-ir";
import { lowerFlat } from "./pointwise";

/** Lowers one kernel of an iteration: it works element by element. */
function lowerLaunch(
  graph: Graph,
  given: Region,
  target: Target,
): { readonly program: KernelProgram; readonly flops: number } {
  const region = storedForm(graph, given);
  const classified = classify(graph, region.members, region.outputs);
  if (!classified.ok) throw bug(`${region.id} is no kernel: ${classified.verdict.text}`);
  const { form } = classified;
  const schedule = scheduleRegion(graph, region, form, target);
  return {
    program: lowerFlat({ graph, region, form, schedule, target }),
    flops: regionFlops(graph, region, form, schedule),
  };
}

export function lowerLaunched({ graph, region, target }: Job): KernelProgram[] {
  const loop = new LaunchedLoop(graph, region.outputs);
  const lowered = new Map<Launch, ReturnType<typeof lowerLaunch>>();
  const iterations: { readonly kernels: IterationKernels; readonly places: readonly Place[] }[] = [];
  let places = loop.first;
  for (let iteration = 0; iteration < loop.iterations; iteration++) {
    const kernels = loop.kernels(places, iteration);
    iterations.push({ kernels, places });
    places = loop.after(places, iteration, kernels);
  }
  const ending = endingOf(loop, places);
  const named = new Map<string, NodeId>();
  ending.places.forEach((place, i) => {
    if (!ending.copied[i] && place.kind === "made") named.set(`${place.at} ${place.iteration}`, loop.outputs[i]!);
  });
  const valueAt = (at: number, iteration: number): NodeId =>
    named.get(`${at} ${iteration}`) ?? partialsId(`${loop.outputs[0]!}~${loop.body.values[at]!.name}.${iteration}`);
  const valueOf = (place: Place): NodeId =>
    place.kind === "made" ? valueAt(place.at, place.iteration) : place.node.id;
  const own = { region: region.id, nodes: region.members };
  const programs = iterations.flatMap(({ kernels, places: from }, iteration) =>
    kernels.launches.map((launch): KernelProgram => {
      const found = lowered.get(launch) ?? lowerLaunch(kernels.graph, launch.region, target);
      lowered.set(launch, found);
      const values = found.program.buffers.map(({ value }) => {
        const arg = kernels.argOf.get(value);
        if (arg?.kind === "value") return valueAt(arg.at, iteration);
        if (arg?.kind !== "param") throw bug(`${value} is nothing that an iteration reads`);
        return valueOf(from[arg.at]!);
      });
      return { ...found.program, ...own, launch: { values, flops: found.flops } };
    }),
  );
  return [
    ...programs,
    ...ending.places.flatMap((place, i) => (ending.copied[i] ? [copied(loop.outputs[i]!, place)] : [])),
  ];

  /** A result that lies where something else does is copied. */
  function copied(output: NodeId, place: Place): KernelProgram {
    const result = node(graph, output);
    const from = nodeId(`${output}~last`);
    const source: Node =
      place.kind === "literal"
        ? { ...place.node, id: from }
        : {
            ...result,
            id: from,
            op: "input",
            inputs: [],
            attrs: {},
            type: place.kind === "made" ? place.type : place.node.type,
          };
    const to: Node = { ...result, op: "expand", inputs: [from], attrs: { shape: result.type.shape } };
    const { program, flops } = lowerLaunch(
      { nodes: new Map([source, to].map((n) => [n.id, n])), outputs: [output] },
      { id: region.id, members: [output], outputs: [output] },
      target,
    );
    const values = program.buffers.map(({ value }) => (value === from ? valueOf(place) : output));
    return { ...program, ...own, launch: { values, flops } };
  }
}
