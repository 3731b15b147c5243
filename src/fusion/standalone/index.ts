/** @file A plan as an ES module of its own: no dependency, one call to make it, one to run it. */
import {
  outputNames,
  partOf,
  showType,
  type CompileOptions,
  type Fusion,
  type Graph,
  type NodeId,
  type Plan,
} from "../ir";
import { planFusion } from "../plan";
import { targetOf } from "../cost";
import { naiveFusion } from "../passes";
import type { InputData } from "../reference";
import { contentsOf, type Contents, type Dispatch, type Shader, type Tensor } from "./contents";
// oxlint-disable-next-line import/default -- its text, not what it exports
import runtime from "./runtime.js?raw";

export interface StandaloneRequest {
  /** The program as written, and what its text says of names. */
  readonly source: Graph;
  readonly symbols: Parameters<typeof outputNames>[1];
  readonly fusion: Fusion;
  /** The plan of `fusion`; its kernels are the module's. */
  readonly plan: Plan;
  readonly options: Pick<CompileOptions, "profile" | "strict">;
  /** Numbers of inputs instead of what their seeds give; they become weights. */
  readonly given?: ReadonlyMap<NodeId, InputData>;
}

/** The kernels that compute what passes folded of weights; null where nothing was folded. */
function foldingOf({ fusion, options }: StandaloneRequest): Plan | null {
  const recipes = [...fusion.graph.nodes.values()].flatMap(({ recipe }) => (recipe ? [recipe] : []));
  if (recipes.length === 0) return null;
  const results = new Set(recipes.map((recipe) => recipe.at(-1)!.id));
  const graph = partOf(recipes.flat(), [...results]);
  return planFusion(naiveFusion(graph, "primitive", options.strict), targetOf(options.profile), options.profile);
}

const quoted = (text: string): string => JSON.stringify(text);
/** In a template literal these would end it or be read as escapes. */
const literal = (code: string): string => `\`${code.replaceAll(/[\\`]|\$(?=\{)/g, String.raw`\$&`)}\``;
/** In a comment, its end would be read as such. */
const commented = (text: string): string => text.replaceAll("*/", "* /");

const buffersText = (buffers: Dispatch["buffers"]): string =>
  buffers.map(({ buffer, bytes }) => `{ buffer: ${buffer}, bytes: ${bytes} }`).join(", ");

const dispatchText = ({ shader, buffers, workgroups }: Dispatch): string =>
  `{ shader: ${shader}, buffers: [${buffersText(buffers)}], workgroups: [${workgroups.join(", ")}] }`;

const shaderText = ({ entry, layout, code }: Shader): string =>
  `    {\n      entry: ${quoted(entry)},\n      layout: ${JSON.stringify(layout)},\n      code: ${literal(code)},\n    },`;

const tensorText = ({ buffer, dtype, shape, bytes }: Tensor): string =>
  `buffer: ${buffer}, dtype: ${quoted(dtype)}, shape: [${shape.join(", ")}], bytes: ${bytes}`;

const weightText = (weight: Contents["weights"] extends ReadonlyMap<string, infer W> ? W : never): string => {
  const { numbers } = weight;
  const text =
    numbers === null
      ? "null"
      : "base64" in numbers
        ? `{ base64: ${quoted(numbers.base64)} }`
        : `{ draw: ${dispatchText(numbers.draw)}, parameters: [${numbers.parameters.join(", ")}] }`;
  return `${tensorText(weight)}, numbers: ${text}`;
};

function record<T>(values: ReadonlyMap<string, T>, text: (value: T) => string): string {
  if (values.size === 0) return "{}";
  return `{\n${[...values].map(([name, value]) => `    [${quoted(name)}]: { ${text(value)} },`).join("\n")}\n  }`;
}

const list = (items: readonly string[]): string =>
  items.length === 0 ? "[]" : `[\n${items.map((item) => `    ${item},`).join("\n")}\n  ]`;

function contentsText(contents: Contents): string {
  return `{
  features: ${JSON.stringify(contents.features)},
  // More than every device has.
  limits: ${JSON.stringify(contents.limits)},
  // Values that are never needed at the same time share a buffer.
  buffers: ${list(contents.buffers.map(({ bytes, uniform }) => `{ bytes: ${bytes}, uniform: ${uniform} }`))},
  inputs: ${record(contents.inputs, tensorText)},
  weights: ${record(contents.weights, weightText)},
  outputs: ${record(contents.outputs, tensorText)},
  // Once, of the weights.
  prepare: ${list(contents.prepare.map(dispatchText))},
  // Before every run, where a result is written over an input.
  starts: ${list(contents.starts.map(({ from, to, bytes }) => `{ from: ${from}, to: ${to}, bytes: ${bytes} }`))},
  // Every run, in this order.
  run: ${list(contents.run.map(dispatchText))},
  shaders: [
${contents.shaders.map(shaderText).join("\n")}
  ],
}`;
}

const ARRAYS = { f32: "Float32Array", f16: "Float32Array", i32: "Int32Array", bool: "Uint32Array" } as const;

const shapeOf = (values: ReadonlyMap<string, Tensor>, mark: string, type: (tensor: Tensor) => string): string =>
  `{{ ${[...values].map(([name, tensor]) => `${quoted(name)}${mark}: ${type(tensor)}`).join(", ")} }}`;

const listed = (values: ReadonlyMap<string, Tensor>): string =>
  [...values].map(([name, tensor]) => ` *   ${name}: ${showType(tensor)}`).join("\n");

/**
 * The text of an ES module that runs `plan` on WebGPU and needs nothing else. Equal requests give equal texts. It exports
 * `create({ device?, gpu?, weights? })`, which answers `{ device, run(inputs), destroy() }`; inputs and outputs are typed
 * arrays by name, f16 as f32 numbers and bool as u32.
 */
export function standaloneModule(request: StandaloneRequest): string {
  const contents = contentsOf({
    ...request,
    names: outputNames(request.source, request.symbols),
    given: request.given ?? new Map(),
    folding: foldingOf(request),
  });
  const { inputs, weights, outputs, run } = contents;
  const numbers = () => "ArrayLike<number>";
  return `${commented(`A program of ${run.length} kernel${run.length === 1 ? "" : "s"} on WebGPU.
 *
 * Inputs:
${listed(inputs)}
${weights.size > 0 ? ` * Weights, with numbers of their own unless create() is given others:\n${listed(weights)}\n` : ""} * Outputs:
${listed(outputs)}
 *
 *   const program = await create();
 *   const outputs = await program.run({ … });`).replace(/^/, "/*\n * ")}
 */

/** @typedef ${commented(shapeOf(inputs, "", numbers))} Inputs */
/** @typedef ${commented(shapeOf(weights, "?", numbers))} Weights */
/** @typedef ${commented(shapeOf(outputs, "", ({ dtype }) => ARRAYS[dtype]))} Outputs */

/** @type {Plan} */
const PLAN = ${contentsText(contents)};

/**
 * Makes buffers and pipelines, once. Asks for a device where none is given, and then owns it: destroy() gives it back.
 * @param {GPUDevice | { device?: GPUDevice, gpu?: GPU, weights?: Weights }} [given] \`gpu\` instead of navigator.gpu
 * @returns {Promise<{ device: GPUDevice, run(inputs: Inputs): Promise<Outputs>, destroy(): void }>}
 * @throws {Error} where there is no GPU, it lacks something, or a weight does not fit
 */
export const create = (given = {}) => instantiate(PLAN, given);

${runtime.replaceAll(/^export /gm, "")}`;
}
