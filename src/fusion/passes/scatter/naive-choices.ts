/**
 * @file The naive plan computes a scatter as a library would: in one kernel that compares every target with every update, or, where that
 * takes longer, by sorting, searching and adding.
 */
import {
  isInput,
  type CompileOptions,
  type DeviceProfile,
  type Fusion,
  type Graph,
  type GroupRef,
  type NaiveChoice,
  type Node,
  type NodeId,
  type Region,
  type Work,
} from "../../ir";
import { isRefusal, regionFacts } from "../../cost";
import { fullSizeBytes } from "../../kernel";
import { kernelsOf, naiveFusion } from "../driver/naive";
import { titled } from "../catalogue";
import { comparedBy, membersOf, type Picked, type Scatter } from "./find";
import { comparedAlone, pickedNodes, sortedNodes, waysTo, type Lowered, type Ranges } from "./sorted-nodes";

/** Launches that take as long as what is compared at least, where anything else is tried: to sort, to search and to add. */
const MIN_LAUNCHES = 3;

type NaiveOptions = Pick<CompileOptions, "granularity" | "strict" | "profile" | "disabledPasses">;

/** State 0 of a compilation: the graph as the naive plan computes it, and its kernels. */
export function naiveState(graph: Graph, options: NaiveOptions): Fusion {
  const chosen = chooseWays(graph, options);
  const fusion = naiveFusion(chosen.graph, options.granularity, options.strict, chosen.calls);
  return chosen.choices.length > 0 ? { ...fusion, choices: chosen.choices } : fusion;
}

interface Chosen {
  readonly graph: Graph;
  readonly choices: readonly NaiveChoice[];
  /** The call that a node is part of, where that is not the one it was written in. */
  readonly calls: ReadonlyMap<NodeId, string>;
}

function chooseWays(written: Graph, { profile, disabledPasses }: NaiveOptions): Chosen {
  const mayTry = !disabledPasses.includes(titled("sorted-scatter").name);
  const choices: NaiveChoice[] = [];
  const calls = new Map<NodeId, string>();
  const ranges = new Map<string, Ranges>();
  let graph = written;
  for (const total of written.nodes.values()) {
    const found = comparedBy(graph, total);
    if (!found) continue;
    const members = membersOf(graph, found);
    const compared = workOf(graph, [{ members, outputs: [total.id] }], profile);
    const take = (lowered: Lowered): void => {
      graph = withNodes(graph, lowered.nodes);
      for (const call of lowered.calls) for (const id of call) calls.set(id, call.at(-1)!);
      if (lowered.ranges) ranges.set(...lowered.ranges);
    };
    const asWritten = (): void => {
      if (!compositeOf(total)) take(comparedAlone(graph, total, members));
    };
    if (!compared || !mayTry || compared.micros <= MIN_LAUNCHES * profile.launchMicros) {
      asWritten();
      continue;
    }
    const outputs = new Set([...graph.outputs, total.id]);
    const ways = waysOf(graph, profile, found, ranges).flatMap(({ way, lowered }) => {
      const changed = withNodes(graph, lowered.nodes);
      const kernels = lowered.calls.flatMap((call) => kernelsOf(changed, call, outputs));
      const work = workOf(changed, kernels, profile);
      return work ? [{ way, lowered, work }] : [];
    });
    if (ways.length === 0) continue;
    const best = ways.reduce((least, each) => (each.work.micros < least.work.micros ? each : least));
    const { lowered, work: instead } = best;
    const taken = instead.micros < compared.micros;
    const { space, takes } = found;
    const [targets, updates] = [space[found.targets]!, space[found.updates]!];
    choices.push({
      node: total.id,
      takes,
      targets,
      updates,
      compared,
      instead,
      way: best.way,
      others: ways.filter((each) => each !== best).map(({ way, work }) => ({ way, work })),
      taken,
    });
    if (taken) take(lowered);
    else asWritten();
  }
  if (graph === written) return { graph, choices, calls };
  return { graph: withoutUnread(graph, written), choices, calls };
}

const compositeOf = ({ groups }: Node): GroupRef | undefined => groups.find(({ kind }) => kind === "composite");

/** What may be computed instead of all comparisons. */
const waysOf = (
  graph: Graph,
  profile: DeviceProfile,
  found: Scatter | Picked,
  known: ReadonlyMap<string, Ranges>,
): { readonly way: NaiveChoice["way"]; readonly lowered: Lowered }[] =>
  found.takes === "value"
    ? [{ way: "loaded", lowered: pickedNodes(graph, found) }]
    : waysTo(found).map((way) => ({ way, lowered: sortedNodes(graph, profile, found, way, known) }));

/** What these kernels take together; null where one of them is none. */
function workOf(
  graph: Graph,
  kernels: readonly Pick<Region, "members" | "outputs">[],
  profile: DeviceProfile,
): Work | null {
  let [micros, bytes, launches] = [0, 0, 0];
  for (const region of kernels) {
    const facts = regionFacts(graph, region, profile, fullSizeBytes(graph));
    if (isRefusal(facts)) return null;
    micros += facts.time.micros;
    bytes += facts.traffic.bytes;
    launches += facts.schedule.dispatches;
  }
  return { micros, bytes, launches };
}

/** With the nodes before the last of them, which replaces its like. */
function withNodes({ nodes, outputs }: Graph, made: readonly Node[]): Graph {
  const last = made.at(-1)!;
  const all = new Map<NodeId, Node>();
  for (const n of nodes.values()) {
    if (n.id !== last.id) all.set(n.id, n);
    else for (const each of made) all.set(each.id, each);
  }
  return { nodes: all, outputs };
}

/** Without what only the comparisons needed. */
function withoutUnread({ nodes, outputs }: Graph, written: Graph): Graph {
  const read = new Set([...written.nodes.values()].flatMap(({ inputs }) => inputs));
  const needed = new Set<NodeId>(outputs);
  for (const n of nodes.values()) if (isInput(n) || !read.has(n.id)) if (written.nodes.has(n.id)) needed.add(n.id);
  for (const id of needed) for (const input of nodes.get(id)!.inputs) needed.add(input);
  return { nodes: new Map([...nodes].filter(([id]) => needed.has(id))), outputs };
}
