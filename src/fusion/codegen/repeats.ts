/**
 * @file Kernels that differ only in names are written once and then renamed: a naive plan of thousands of ops holds a few dozen
 * different kernels. What a kernel is called on the way here contains `Q`, a letter no generated name starts with.
 */
import { node, nodeId, type Attrs, type Graph, type Node, type NodeId, type Region, type Target } from "../ir";
import { isFreeView, mayBeOnline } from "../region";
import { kernelName, titleOf } from "./frame";
import { wordFor } from "./emitter";
import { isMutating } from "./mutations";
import { isTaken } from "./names";
import { printProgram, printRegion, shapeRegion, type PrintedProgram, type PrintedRegion } from "./printed";

/** Larger regions seldom repeat, and their key would cost as much as their text. */
const MOST_MEMBERS = 16;
const MOST_KERNELS = 1000;
const NAME = "Qname";
const TITLE = "Qtitle";

const known = new WeakMap<Target, Map<string, PrintedRegion>>();

/** As `printRegion`; takes the text from an equal region where there was one. */
export function printOrRepeat(graph: Graph, region: Region, target: Target): PrintedRegion {
  if (region.members.length > MOST_MEMBERS || isMutating()) return printRegion(graph, region, target);
  const alike = canonical(graph, region);
  if (!alike) return printRegion(graph, region, target);
  let kernels = known.get(target);
  if (!kernels || kernels.size > MOST_KERNELS) {
    kernels = new Map();
    known.set(target, kernels);
  }
  let printed = kernels.get(alike.key);
  if (!printed) {
    printed = printNameless(graph, alike, target);
    kernels.set(alike.key, printed);
  }
  return renamed(printed, graph, region, alike);
}

interface Canonical {
  readonly key: string;
  /** The nodes of the region and what it reads, in the order of their places. */
  readonly ids: readonly NodeId[];
  readonly words: readonly string[];
  readonly region: Region;
}

const place = (index: number): NodeId =>
  nodeId(`Q${String.fromCharCode(97 + Math.floor(index / 26))}${String.fromCharCode(97 + (index % 26))}`);

/** The region with its nodes numbered; null where names could meet each other after renaming. */
function canonical(graph: Graph, region: Region): Canonical | null {
  // Kernels that fold rows while they are made number their own registers as rows number the user's.
  if (mayBeOnline(graph, region.members)) return null;
  const ids: NodeId[] = [];
  const at = new Map<NodeId, number>();
  let key = "";
  const number = (id: NodeId): number => {
    const found = at.get(id);
    if (found !== undefined) return found;
    at.set(id, ids.length);
    ids.push(id);
    return ids.length - 1;
  };
  const inside = new Set(region.members);
  for (const member of region.members) {
    const n = node(graph, member);
    let inputs = "";
    for (const id of n.inputs) {
      inputs += `${number(id)},`;
      if (inside.has(id)) continue;
      const outer = node(graph, id);
      if (isFreeView(outer)) return null;
      inputs += `${outer.op === "const" ? String(outer.attrs["value"]) : "in"}:${outer.type.dtype}[${outer.type.shape.join(",")}] `;
    }
    key += `${number(member)}=${n.op}(${inputs})${attrsText(n.attrs)}${n.type.dtype}[${n.type.shape.join(",")}];`;
  }
  for (const id of region.outputs) key += `>${number(id)}`;
  if (ids.length > 60) return null;
  const words = ids.map((id) => (node(graph, id).op === "const" ? "" : wordFor(node(graph, id))));
  if (!apart(words.filter((word) => word !== "")) || words.includes(kernelName(graph, region.members))) return null;
  return {
    key,
    ids,
    words,
    region: {
      id: region.id,
      members: region.members.map((id) => place(at.get(id)!)),
      outputs: region.outputs.map((id) => place(at.get(id)!)),
    },
  };
}

function attrsText(attrs: Attrs): string {
  let text = "";
  for (const name in attrs) text += `${name}:${String(attrs[name])} `;
  return text;
}

/** No word is another's beginning, or one of WGSL's or ours: then suffixes can't make two names meet. */
function apart(words: readonly string[]): boolean {
  const seen = new Set(words);
  if (seen.size < words.length) return false;
  return words.every((word) => {
    if (isTaken(word) || word.startsWith("Q")) return false;
    for (let end = word.indexOf("_"); end > 0; end = word.indexOf("_", end + 1))
      if (seen.has(word.slice(0, end))) return false;
    return true;
  });
}

/** The same nodes under their places' names: inputs are bare memory, groups are forgotten. */
function miniature(
  graph: Graph,
  ids: readonly NodeId[],
  members: ReadonlySet<NodeId>,
  outputs: readonly NodeId[],
): Graph {
  const places = new Map(ids.map((id, i) => [id, place(i)]));
  const nodes = new Map<NodeId, Node>();
  for (const id of ids) {
    const n = node(graph, id);
    const own = places.get(id)!;
    const inner = members.has(own);
    const inputs = inner ? n.inputs.map((input) => places.get(input)!) : [];
    const op = inner || n.op === "const" ? n.op : "input";
    nodes.set(own, { ...n, id: own, op, inputs, label: own, origins: [], groups: [] });
  }
  return { nodes, outputs };
}

function printNameless(graph: Graph, { region, ids }: Canonical, target: Target): PrintedRegion {
  const mini = miniature(graph, ids, new Set(region.members), region.outputs);
  const shaped = shapeRegion(mini, region, target);
  const title = titleOf(mini, region);
  const programs = shaped.programs.map((program) => {
    const part = /_(partials|finish)$/.exec(program.name)?.[0] ?? "";
    return printProgram({ ...program, name: `${NAME}${part}`, title: program.title.replace(title, TITLE) });
  });
  return { ...shaped, programs };
}

/** The text and the counts with the names of this region. */
function renamed(printed: PrintedRegion, graph: Graph, region: Region, { ids, words }: Canonical): PrintedRegion {
  const idOf = new Map<string, NodeId>(ids.map((id, i) => [place(i), id]));
  const wordOf = new Map<string, string>(ids.map((_, i) => [place(i), words[i]!]));
  const real = (id: NodeId): NodeId => idOf.get(id) ?? nodeId(id.replace(/^Q[a-z]{2}/, (name) => idOf.get(name)!));
  const text = (of: string): string => of.replaceAll(/\bQ[a-z]{2}(?![A-Za-z0-9])/g, (name) => wordOf.get(name)!);
  const listed = new Map<readonly NodeId[], readonly NodeId[]>();
  const list = (of: readonly NodeId[]): readonly NodeId[] => {
    let found = listed.get(of);
    if (!found) {
      found = of.map(real);
      listed.set(of, found);
    }
    return found;
  };
  const { form, schedule } = printed;
  const name = kernelName(graph, region.members);
  const title = titleOf(graph, region);
  return {
    flops: printed.flops,
    form: {
      ...form,
      reductions: form.reductions.map((reduction) => ({ ...reduction, node: real(reduction.node) })),
      contraction: form.contraction && real(form.contraction),
    },
    schedule: {
      ...schedule,
      cached: schedule.cached.map(real),
      reads: schedule.reads.map((read) => ({ ...read, value: real(read.value) })),
    },
    programs: printed.programs.map((program): PrintedProgram => {
      const bindings = program.bindings.map((binding) => ({
        ...binding,
        name: text(binding.name),
        value: real(binding.value),
      }));
      const plain = program.name.replace(NAME, name);
      const own = isTaken(plain) || bindings.some((binding) => binding.name === plain) ? `${plain}_kernel` : plain;
      return {
        ...program,
        name: own,
        bindings,
        wgsl: text(program.wgsl)
          .replace(TITLE, () => title)
          .replace(program.name, () => own),
        lines: program.lines.map(list),
      };
    }),
  };
}
