/** @file Kernels that differ only in names are written once and then renamed: thousands of ops hold a few dozen different kernels. */
import {
  KERNEL_SUFFIX,
  knobsFor,
  type Graph,
  type NodeId,
  type Region,
  type Target,
  numberedId,
  unnumberedId,
} from "../ir";
import { launchedKey } from "../kernel";
import { kernelName, titleOf, laidOut, isTaken, stemOf, endOfName } from "../kernel/code";
import { filled, formOf, canonicalRegion, type Form, type CanonicalRegion } from "./canonical-region";
import { printProgram, printRegion, shapeRegion, type PrintedProgram, type PrintedRegion } from "./printed-region";

const MAX_KERNELS = 1000;
const NAME = "Qname";
const TITLE = "Qtitle";

interface Template {
  readonly printed: PrintedRegion;
  /** Texts of the programs, and the names of their bindings. */
  readonly forms: readonly { readonly wgsl: Form; readonly bindings: readonly Form[] }[];
  /** First parts of the names that the kernel brings along: nothing of the user's may be called so. */
  readonly own: ReadonlySet<string>;
  /** The largest number that it puts behind a name: from here on a user's `h_113` is like any other name. */
  readonly largestNumber: number;
}

const known = new WeakMap<Target, Map<string, Template>>();

const alone = new WeakMap<Target, Map<NodeId, Target>>();

/** The target with this region's own choices for every kernel: what it is printed for no longer depends on its name. */
function targetFor(region: Region, target: Target): Target {
  const { knobs } = target;
  const first = region.outputs[0]!;
  if (!knobs || !Object.hasOwn(knobs.kernels, first)) return target;
  const known = alone.get(target) ?? new Map<NodeId, Target>();
  alone.set(target, known);
  const found = known.get(first);
  if (found) return found;
  const made = { ...target, knobs: { all: knobsFor(knobs, region.outputs), kernels: {} } };
  known.set(first, made);
  return made;
}

/** As `printRegion`; takes the text from an equal region where there was one. */
export function printCached(graph: Graph, region: Region, given: Target): PrintedRegion {
  const target = targetFor(region, given);
  const isLaunched = launchedKey(graph, region.members) !== null;
  for (const numbered of isLaunched ? [] : [true, false]) {
    const alike = canonicalRegion(graph, region, numbered);
    if (!alike) break;
    const template = templateFor(alike, target);
    if (numbered && alike.leastNumber <= template.largestNumber) continue;
    if (alike.stems.some((stem) => template.own.has(stem))) break;
    return renamed(template, graph, region, alike);
  }
  return printRegion(graph, region, target);
}

function templateFor(alike: CanonicalRegion, target: Target): Template {
  let kernels = known.get(target);
  if (!kernels || kernels.size > MAX_KERNELS) {
    kernels = new Map();
    known.set(target, kernels);
  }
  let template = kernels.get(alike.key);
  if (!template) {
    template = templateOf(alike, target);
    kernels.set(alike.key, template);
  }
  return template;
}

function templateOf(alike: CanonicalRegion, target: Target): Template {
  const graph = alike.graph();
  const shaped = shapeRegion(graph, alike.region, target);
  const title = titleOf(graph, alike.region);
  const programs = shaped.programs.map((program) => {
    const part = endOfName(program.name);
    return printProgram({ ...program, name: `${NAME}${part}`, title: program.title.replace(title, TITLE) });
  });
  const own = new Set(programs.flatMap(({ wgsl }) => [...ownStems(wgsl)]));
  const forms = programs.map(({ wgsl, bindings }) => ({
    wgsl: formOf(wgsl),
    bindings: bindings.map((binding) => formOf(binding.name)),
  }));
  const largestNumber = shaped.programs.reduce((most, program) => Math.max(most, program.largestNumber), 0);
  return { printed: { ...shaped, programs }, forms, own, largestNumber };
}

/** Of what is declared or used beside the bindings and in the body; helpers are functions of their own and comments none of its business. */
function* ownStems(wgsl: string): Generator<string> {
  const body = wgsl.indexOf("@compute");
  const declared = wgsl
    .slice(0, body)
    .split("\n")
    .filter((line) => line.startsWith("var<"));
  const text = [...declared, wgsl.slice(body).replaceAll(/\/\/.*/g, "")].join("\n");
  for (const [word] of text.matchAll(/(?<![\w.])[A-Za-z]\w*/g)) {
    yield word.split("_", 1)[0]!;
    yield stemOf(word).stem;
  }
}

/** The text and the counts with the names of this region. */
function renamed(
  { printed, forms }: Template,
  graph: Graph,
  region: Region,
  { ids, stems }: CanonicalRegion,
): PrintedRegion {
  const reals = new Map<NodeId, NodeId>(ids.map((id, index) => [numberedId(index), id]));
  const real = (id: NodeId): NodeId => reals.get(id) ?? unnumberedId(ids, id);
  const listed = new Map<readonly NodeId[], readonly NodeId[]>();
  const list = (of: readonly NodeId[]): readonly NodeId[] => {
    if (of.length === 0) return of;
    let found = listed.get(of);
    if (!found) {
      found = of.map(real);
      listed.set(of, found);
    }
    return found;
  };
  const { form, schedule } = printed;
  const name = kernelName(graph, region);
  const title = titleOf(graph, region);
  return {
    arithmetic: printed.arithmetic,
    form: {
      ...form,
      reductions: form.reductions.map((reduction) => ({ ...reduction, node: real(reduction.node) })),
      scans: form.scans.map(real),
      columnFolds: form.columnFolds.map(real),
      orders: form.orders.map((order) => ({ ...order, node: real(order.node) })),
      contraction: form.contraction && real(form.contraction),
    },
    schedule: {
      ...schedule,
      cached: schedule.cached.map(real),
      ...(schedule.inPlace && {
        inPlace: schedule.inPlace.map(({ output, input }) => ({ output: real(output), input: real(input) })),
      }),
      stridedWrites: schedule.stridedWrites.map(real),
      ...(schedule.again && { again: schedule.again.map(real) }),
      reads: schedule.reads.map((read) => ({ ...read, value: real(read.value) })),
    },
    programs: printed.programs.map((program, which): PrintedProgram => {
      const bindings = program.bindings.map((binding, i) => ({
        ...binding,
        name: filled(forms[which]!.bindings[i]!, stems),
        value: real(binding.value),
        ...(binding.begins !== undefined && { begins: real(binding.begins) }),
      }));
      const plain = program.name.replace(NAME, name);
      const own = isTaken(plain) || bindings.some((binding) => binding.name === plain) ? plain + KERNEL_SUFFIX : plain;
      return laidOut({
        ...program,
        name: own,
        bindings,
        wgsl: filled(forms[which]!.wgsl, stems)
          .replace(TITLE, () => title)
          .replace(program.name, () => own),
        lines: program.lines.map(list),
      });
    }),
  };
}
