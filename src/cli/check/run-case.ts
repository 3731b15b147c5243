/** @file One external case through the product's own path: import, compile, reference, naive and fused kernels. */
import {
  compareOutputs,
  compile,
  defaultOptions,
  fusionAt,
  foldedData,
  inputData,
  nodeId,
  runPlanOnCpu,
  roundToHalf,
  runReference,
  targetOf,
  type Compilation,
  type NodeId,
  type Target,
} from "../../fusion";
import {
  importJaxpr,
  importModel,
  importOnnx,
  type HostTensor,
  type Imported,
  type ImportedModel,
  type ImportOptions,
} from "../../import";
import type { ExternalCase } from "./case";

export type CaseResult =
  | { readonly kind: "passed" }
  /** Computed, with nothing to compare with: naive and fused kernels agree with the reference. */
  | { readonly kind: "alone"; readonly why: string }
  | {
      readonly kind: "failed";
      readonly output: string;
      readonly maxAbs: number;
      readonly maxRel: number;
      readonly why: string;
    }
  | { readonly kind: "unsupported"; readonly op: string; readonly why: string };

const failed = (why: string, output = "", maxAbs = 0, maxRel = 0): CaseResult => ({
  kind: "failed",
  output,
  maxAbs,
  maxRel,
  why,
});
const unsupported = (op: string, why: string): CaseResult => ({ kind: "unsupported", op, why });

/** Runs the kernels of a plan on some device; one promise an entry of `plans`. */
export type RunPlans = (
  compilation: Compilation,
  inputs: ReadonlyMap<NodeId, Float64Array>,
) => Promise<readonly { readonly plan: string; readonly outputs: ReadonlyMap<NodeId, ArrayLike<number>> }[]>;

/** Naive and fused kernels, interpreted in f32. */
export const onCpu: RunPlans = (compilation, inputs) => {
  const { profile } = compilation.options;
  const target: Target = { ...targetOf(profile), schedule: "cpu" };
  const run = (plan: string, cursor: number): { plan: string; outputs: ReadonlyMap<NodeId, Float64Array> } => ({
    plan,
    outputs: runPlanOnCpu(fusionAt(compilation, cursor), target, profile, inputs, { precision: "f32", log: false })
      .outputs,
  });
  return Promise.resolve([run("naive", 0), run("fused", compilation.steps.length)]);
};

const readCase = ({ model }: ExternalCase, options: ImportOptions = {}): Imported =>
  model instanceof Uint8Array
    ? importOnnx(model, options)
    : { ok: true, value: "jaxpr" in model ? importJaxpr(model.jaxpr, model.question) : importModel(model, options) };

/** Imports again while an input turns out to decide a shape: only those are bound, all others stay inputs of a run. */
function importCase(
  one: ExternalCase,
  byName: ReadonlyMap<string, HostTensor>,
  overrides: ReadonlyMap<string, HostTensor>,
  dims: ReadonlyMap<string, number> = new Map(),
): Imported {
  const shapes = new Map([...byName].map(([name, { dims }]) => [name, dims]));
  const known = new Map<string, HostTensor>();
  for (;;) {
    const read = readCase(one, { shapes, dims, known, overrides, wideHalves: true });
    if (!read.ok) return read;
    const fresh = read.value.wanted.filter((name) => byName.has(name) && !known.has(name));
    if (fresh.length === 0) return read;
    for (const name of fresh) known.set(name, byName.get(name)!);
  }
}

/** Extent of a dimension that a model leaves open and no data says. */
const OPEN = 8;

export async function runCase(one: ExternalCase, run: RunPlans): Promise<CaseResult> {
  const odd = [...one.inputs, ...one.expected].find(({ tensor }) => tensor === null);
  if (odd) return unsupported(odd.dtype, "dtype");
  const { inputOrder: names, overridable } = namesOf(one);
  const byName = new Map(
    one.inputs.flatMap(({ name, tensor }, i) => (tensor ? [[name || names[i]!, tensor] as const] : [])),
  );
  const overrides = new Map([...byName].filter(([name]) => overridable.includes(name)));
  let read = importCase(one, byName, overrides);
  if (!read.ok) return failed(read.text);
  if (!one.hasData && read.value.missing.length > 0) {
    const open = read.value.missing.flatMap(({ dim }) => (dim === null ? [] : [[dim, OPEN] as const]));
    read = importCase(one, byName, overrides, new Map(open));
    if (!read.ok) return failed(read.text);
  }
  const model = read.value;
  if (!one.hasData && (model.missing.length > 0 || model.wanted.length > 0)) return unsupported("", "no-data");
  const refused = model.unsupported[0];
  if (refused) return unsupported(refused.op, refused.why);
  if (model.elsewhere.length > 0) return unsupported("Initializer", "numbers in another file");
  if (model.missing.length > 0)
    return failed(`${model.missing[0]!.input} has no extent for ${model.missing[0]!.dim ?? "its shape"}`);
  return compareCase(one, model, byName, run);
}

/** Names of the inputs in their order, and of those that stand in for initialisers. */
function namesOf(one: ExternalCase): Pick<ImportedModel, "inputOrder" | "overridable"> {
  const read = readCase(one);
  return read.ok ? read.value : { inputOrder: [], overridable: [] };
}

async function compareCase(
  one: ExternalCase,
  model: ImportedModel,
  byName: ReadonlyMap<string, HostTensor>,
  run: RunPlans,
): Promise<CaseResult> {
  const compilation = model.text.includes("return ") ? compile(model.text, defaultOptions) : null;
  const error = compilation?.diagnostics.find(({ severity }) => severity === "error");
  if (error) return failed(`line ${error.line}: ${error.text}`);
  const computed: { plan: string; outputs: ReadonlyMap<NodeId, ArrayLike<number>> }[] = [];
  if (compilation?.naive) {
    const { graph } = compilation.naive;
    const inputs = new Map<NodeId, Float64Array>();
    for (const [theirs, ours] of model.inputs)
      if (graph.nodes.has(nodeId(ours)) && byName.has(theirs)) inputs.set(nodeId(ours), byName.get(theirs)!.data);
    for (const [ours, { data }] of model.data) if (graph.nodes.has(nodeId(ours))) inputs.set(nodeId(ours), data);
    for (const n of graph.nodes.values())
      if (n.op === "input" && !inputs.has(n.id)) inputs.set(n.id, Float64Array.from(inputData(n)));
    const { graph: fused } = fusionAt(compilation, compilation.steps.length);
    for (const [id, data] of foldedData(fused, inputs)) inputs.set(id, data);
    const reference = runReference(graph, inputs);
    computed.push(
      { plan: "reference", outputs: new Map([...reference].map(([id, { data }]) => [id, data])) },
      ...(await run(compilation, inputs)),
    );
  } else if (compilation) return failed("the imported text has no plan");
  if (!one.hasData) return agreed(one, computed, "no-data");
  return model.draws > 0 ? agreed(one, computed, "random") : judge(one, model, compilation, computed);
}

/** Where a plan's output is further from `want` than the case allows; null where it is not. */
function differing(
  { rtol, atol }: ExternalCase,
  plan: string,
  name: string,
  want: Float64Array,
  got: ArrayLike<number>,
): CaseResult | null {
  const { pass, maxAbs, maxRel, worst } = compareOutputs(want, got, { rtol, atol, nanMayVanish: false });
  if (pass) return null;
  const where = worst ? `${worst.got} should be ${worst.want} at element ${worst.at}` : "differs";
  return failed(`${plan}: ${where}`, name, maxAbs, maxRel);
}

/** Whether each plan finds what the reference does, where nobody says what is right. */
function agreed(
  one: ExternalCase,
  computed: readonly { plan: string; outputs: ReadonlyMap<NodeId, ArrayLike<number>> }[],
  why: string,
): CaseResult {
  const [reference, ...plans] = computed;
  for (const { plan, outputs } of plans)
    for (const [name, got] of outputs) {
      const want = Float64Array.from(reference!.outputs.get(name) ?? []);
      const wrong = differing(one, plan, name, want, got);
      if (wrong) return wrong;
    }
  return { kind: "alone", why };
}

function judge(
  one: ExternalCase,
  model: ImportedModel,
  compilation: Compilation | null,
  computed: readonly { plan: string; outputs: ReadonlyMap<NodeId, ArrayLike<number>> }[],
): CaseResult {
  const theirs = [...model.outputs.keys()];
  // A name may be another one of a node: of an input that nothing happens to, of what a derivative made.
  const named = new Map((compilation?.symbols ?? []).map(({ name, node }) => [name, node]));
  for (const [i, { name, tensor }] of one.expected.entries()) {
    const output = model.outputs.get(name === "" ? theirs[i]! : name);
    if (!output) return failed("never computed", name);
    if (tensor!.dims.join() !== output.shape.join())
      return failed(`is ${output.shape.join("×")}, expected ${tensor!.dims.join("×")}`, name);
    const answers = output.host
      ? [{ plan: "import", data: output.host.data as ArrayLike<number> }]
      : computed.map(({ plan, outputs }) => ({
          plan,
          data: outputs.get(named.get(output.name!) ?? nodeId(output.name!)),
        }));
    if (answers.length === 0) return failed("never computed", name);
    for (const { plan, data: computed } of answers) {
      if (!computed) return failed(`${plan}: never computed`, name);
      // What is declared f16 is stored as f16.
      const data = output.dtype === "f16" ? Float64Array.from(computed, roundToHalf) : computed;
      const wrong = differing(one, plan, name, tensor!.data, data);
      if (wrong) return wrong;
    }
  }
  const kernels = compilation?.fusedPlan?.kernels.length ?? 0;
  if (one.nodesAfter !== null && kernels > one.nodesAfter)
    return failed(`${kernels} kernels, another compiler is left with ${one.nodesAfter} nodes`);
  return { kind: "passed" };
}
