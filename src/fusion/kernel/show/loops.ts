/** @file A kernel as a loop nest that a person can read: what is loaded, what stays in a register, what is stored. Not code that runs. */
import {
  type Fusion,
  type Graph,
  isLiteral,
  type Kernel,
  node,
  type Node,
  type NodeId,
  type Region,
  type RegionId,
  sizeOf,
} from "../../ir";
import { findOp, opDef, ownShape, rowLoopOf, type RowLoop, type Walk } from "../../ops";
import { launchedKey } from "../shapes/loop/launched";
import {
  launchedLines,
  iterationLines,
  loadsBy,
  readAgain,
  rowIterationLines,
  withSources,
  type LoopLine,
  type Spelling,
} from "./loop-lines";
import { goesAlongRows, rowRegionOf } from "../shapes/loop/row-region";
import { loopOf } from "../shapes/loop/map-loops";
import { bySize, segmentBody } from "../shapes/map/segments";
import { acrossName, axisName, axisNames, foldsColumns, indexed, nestOf, operand, type Nest } from "./loop-nest";
import { alignedNames, at, contractionLines, kindOf, movedText, movementOf, operandAt } from "./loop-operands";

const symbols: Readonly<Record<string, string>> = {
  add: "+",
  sub: "-",
  mul: "*",
  div: "/",
  maximum: "max",
  minimum: "min",
};

/** `x[j, i]` for a transpose, `a[i, j] if i < 4 else b[i - 4, j]` for a concat; what only has another shape in registers is that. */
function movedFrom(nest: Nest, found: Node): string {
  const free = movementOf(found)!.free === true;
  const names = nest.asked.get(found.id) ?? axisNames(nest, found.type.shape);
  return movedText(nest.graph, found, names, (id, index) => {
    const { label } = node(nest.graph, id);
    return free && nest.inside.has(id) ? label : at(label, index);
  });
}

function expression(nest: Nest, found: Node): string {
  const { op, inputs } = found;
  if (movementOf(found)) return movedFrom(nest, found);
  return spelled(
    op,
    inputs.map((id) => operand(nest, id, found.id)),
  );
}

const spelled: Spelling = (op, args) => {
  const symbol = symbols[op];
  if (symbol && args.length === 2)
    return /\w/.test(symbol) ? `${symbol}(${args.join(", ")})` : args.join(` ${symbol} `);
  return `${op}(${args.join(", ")})`;
};

/** All iterations of a loop where its first result stands; the others are known then. */
function mapLoopLines(nest: Nest, found: Node, depth: number): LoopLine[] {
  const members = nest.members.map(({ id }) => id);
  const results = loopOf(nest.graph, members, found.id);
  if (results[0] !== found.id) return [];
  const loads = (id: NodeId): boolean => !nest.inside.has(id) && !isLiteral(node(nest.graph, id));
  const all = results.map((id) => node(nest.graph, id));
  return [
    ...iterationLines(all, (id) => ({ text: operand(nest, id), loads: loads(id) }), spelled, depth),
    ...all.flatMap((each) => storeLine(nest, each, depth)),
  ];
}

/** A matmul of which the row's loop computes one element after another. */
const isElementOf = ({ across }: Nest, { id, op }: Node): boolean =>
  findOp(op)?.kind === "contraction" && !across.has(id);

/** Loop stage of every member: one later for each reduction over the row that it waits for. */
function stagesOf(nest: Nest): Map<NodeId, number> {
  const { members } = nest;
  const stages = new Map<NodeId, number>();
  const byId = new Map(members.map((each) => [each.id, each]));
  for (const { id, inputs } of members) {
    let stage = 0;
    for (const input of inputs) {
      const producer = byId.get(input);
      if (!producer) continue;
      const folds = ["reduce", "order", "contraction"].includes(kindOf(producer)) && !isElementOf(nest, producer);
      stage = Math.max(stage, (stages.get(input) ?? 0) + (folds ? 1 : 0));
    }
    stages.set(id, stage);
  }
  return stages;
}

function foldLine(nest: Nest, found: Node, into = found.label): string {
  const value = operand(nest, found.inputs[0]!);
  if (/max/.test(found.op)) return `${into} = max(${into}, ${value})`;
  if (/min/.test(found.op)) return `${into} = min(${into}, ${value})`;
  if (/prod/.test(found.op)) return `${into} *= ${value}`;
  if (/^(sum|mean|cumsum)$/.test(found.op)) return `${into} += ${value}`;
  return `${into} = ${found.op}(${into}, ${value})`;
}

/** A scan folds on and shows what it has so far; an exclusive one before the element is folded in. */
const scanLine = (nest: Nest, found: Node): string =>
  found.attrs["exclusive"] === true
    ? `${found.label} = so_far; ${foldLine(nest, found, "so_far")}`
    : foldLine(nest, found);

const loop = (depth: number, axis: number, extent: number): LoopLine => ({
  depth,
  text: `for ${axisName(axis)} in ${extent}:`,
  note: "",
  nodes: [],
});

function storeLine(nest: Nest, found: Node, depth: number): LoopLine[] {
  if (!nest.outputs.has(found.id)) return [];
  const text = `store ${indexed(nest, found.label, found.type.shape)}`;
  return [{ depth, text, note: "to memory", nodes: [found.id] }];
}

function computeLines(nest: Nest, found: Node, depth: number): LoopLine[] {
  if (opDef(found.op).loop) return mapLoopLines(nest, found, depth);
  if (kindOf(found) === "contraction") return productLines(nest, found, depth);
  const kind = kindOf(found);
  const text =
    kind === "reduce"
      ? foldLine(nest, found, foldsColumns(nest, found) ? columnOf(nest, found) : found.label)
      : kind === "scan"
        ? scanLine(nest, found)
        : kind === "order"
          ? `row[${[...nest.reduced].map(axisName).join(", ")}] = ${operand(nest, found.inputs[0]!)}`
          : `${found.label} = ${expression(nest, found)}`;
  const note = kind === "order" ? "on chip" : "";
  const reads = found.inputs
    .filter((id) => !nest.inside.has(id) && !isLiteral(node(nest.graph, id)))
    .map((value) => ({ value, text: movementOf(found) ? text : operand(nest, value, found.id) }));
  // A view of a value with its own name says nothing.
  if (text === `${found.label} = ${found.label}`) return storeLine(nest, found, depth);
  const line: LoopLine = { depth, text, note, nodes: [found.id], reads };
  return kind === "reduce" || kind === "order" ? [line] : [line, ...storeLine(nest, found, depth)];
}

/** A matmul: its own loop over what it adds up, or one term of it for each element of the row. */
function productLines(nest: Nest, found: Node, depth: number): LoopLine[] {
  if (!nest.across.has(found.id))
    return [
      ...contractionLines(
        { ...nest, spelled },
        found,
        nest.asked.get(found.id) ?? axisNames({ ...nest, reduced: new Set() }, found.type.shape),
        depth,
      ),
      ...storeLine(nest, found, depth),
    ];
  const [row, columns] = [operand(nest, found.inputs[0]!), acrossNest(nest, found)];
  const right = node(nest.graph, found.inputs[1]!);
  const batch = alignedNames(right.type.shape.slice(0, -2), nest.names.slice(0, nest.space.length - 2));
  const index = [...batch, axisName(nest.space.length - 1), acrossName(columns)];
  const { text, lines } = operandAt({ ...nest, spelled }, right.id, index, depth + 1);
  const sum = `${at(found.label, [acrossName(columns)])} += ${row} * ${text}`;
  return [
    loop(depth, nest.space.length, found.type.shape.at(-1)!),
    ...lines,
    { depth: depth + 1, text: sum, note: "in tiles, on chip", nodes: [found.id] },
  ];
}

/** The loops around what a matmul of the whole row has computed: those of its rows, and one over its columns. */
function acrossNest(nest: Nest, { type }: Node): Nest {
  const outer = nest.space.flatMap((_, axis) => (nest.reduced.has(axis) ? [] : [axisName(axis)]));
  return { ...nest, space: type.shape, reduced: new Set(), names: [...outer, axisName(nest.space.length)] };
}

/** The row is there: it is put in order, and stored where it is asked for. */
function sortedLines(nest: Nest, found: Node, depth: number): LoopLine[] {
  const line: LoopLine = { depth, text: `${found.label} = row in order`, note: "on chip", nodes: [found.id] };
  if (!nest.outputs.has(found.id)) return [line];
  const axis = [...nest.reduced][0]!;
  return [line, loop(depth, axis, found.type.shape[axis]!), ...storeLine(nest, found, depth + 1)];
}

/** Lines of one stage: a loop over the folded axes for what is wide, then what is done once a row. */
function stageLines(nest: Nest, members: readonly Node[], rows: number, depth: number): LoopLine[] {
  const lines: LoopLine[] = [];
  const folded = [...nest.reduced].toSorted((a, b) => a - b);
  const isWide = (each: Node): boolean =>
    kindOf(each) === "reduce" || kindOf(each) === "order" || sizeOf(each.type.shape) > rows;
  const follows = (each: Node): boolean => nest.across.has(each.id) && kindOf(each) !== "contraction";
  const wide = members.filter((each) => isWide(each) && !follows(each));
  const narrow = members.filter((each) => !isWide(each) && !follows(each));
  const before = narrow.filter((each) => !each.inputs.some((id) => wide.some((other) => other.id === id)));
  const once = (each: Node): LoopLine[] => computeLines(nest, each, depth);
  lines.push(...before.flatMap(once));
  if (wide.length > 0) {
    folded.forEach((axis, i) => lines.push(loop(depth + i, axis, nest.space[axis]!)));
    lines.push(...wide.flatMap((each) => computeLines(nest, each, depth + folded.length)));
  }
  for (const each of wide) {
    if (kindOf(each) === "order") lines.push(...sortedLines(nest, each, depth));
    if (kindOf(each) !== "reduce" || foldsColumns(nest, each)) continue;
    const extent = folded.reduce((product, axis) => product * nest.space[axis]!, 1);
    lines.push(...finishLine(each, each.label, extent, depth));
    lines.push(...storeLine(nest, each, depth));
  }
  lines.push(...narrow.filter((each) => !before.includes(each)).flatMap(once));
  const results = wide.filter((each) => nest.across.has(each.id) && nest.outputs.has(each.id));
  const across = members.filter(follows);
  const [first] = [...results, ...across];
  if (!first) return lines;
  const columns = acrossNest(nest, first);
  lines.push(
    loop(depth, nest.space.length, first.type.shape.at(-1)!),
    ...results.flatMap((each) => storeLine(columns, each, depth + 1)),
    ...across.flatMap((each) => computeLines(columns, each, depth + 1)),
  );
  return lines;
}

/**
 * The loop nest of one kernel that computes all of `region`; one after another where its elementwise results have several sizes.
 * @param kernels those of the region, for what they load; without them each loop loads what it reads
 */
export function fusedLoops(
  graph: Graph,
  region: Pick<Region, "members" | "outputs">,
  kernels: readonly Pick<Kernel, "reads">[] = [],
): LoopLine[] {
  if (launchedKey(graph, region.members) !== null)
    return launchedLines(graph, region.outputs, (iteration, each) => fusedLoops(iteration, each));
  const counted = loadsBy(kernels);
  const lines = plainLoops(graph, region, new Set());
  const reread = readAgain(lines, counted);
  return withSources(graph, reread.size > 0 ? plainLoops(graph, region, reread) : lines, counted);
}

/**
 * The lines alone; what they read comes from nowhere yet.
 * @param reread stored values that later loops load again, to compute once more what no register holds
 */
function plainLoops(
  graph: Graph,
  region: Pick<Region, "members" | "outputs">,
  reread: ReadonlySet<NodeId>,
): LoopLine[] {
  const loopsBy = ["reduce", "scan", "order", "contraction"];
  if (goesAlongRows(graph, region.members)) return rowLines(graph, region);
  const sizes = bySize(graph, region.outputs);
  if (sizes.length < 2 || region.members.some((id) => loopsBy.includes(kindOf(node(graph, id)))))
    return nestLines(graph, region, reread);
  return sizes.flatMap((segment) => nestLines(graph, segmentBody(graph, region, segment), reread));
}

/** Rows one after the other for each element of what is carried, as a thread goes along them. */
function rowLines(graph: Graph, region: Pick<Region, "members" | "outputs">): LoopLine[] {
  const { loop: along, results, phases } = rowRegionOf(graph, region.members);
  const { rowAxis, whole, iterations, backwards } = along;
  const all = results.map((id) => node(graph, id));
  const owns = all.map((n) => rowLoopOf(n)!.own);
  const longest = owns.reduce((most, own) => (own.length > most.length ? own : most), []);
  const nest = { ...nestOf(graph, region), space: [...whole, ...longest], reduced: new Set([rowAxis]) };
  const outer = whole.flatMap((extent, axis) => (axis === rowAxis ? [] : [{ axis, extent }]));
  const depth = outer.length;
  const shape = (id: NodeId): readonly number[] => node(graph, id).type.shape;
  const inLoop = ({ id, type }: Node): boolean =>
    phases.get(id) === "row" || (phases.get(id) === "before" && type.shape.length > whole.length - 1);
  /** Ops on the whole of what one run of the body has go through its elements. */
  const runLines = (n: Node, at: number): LoopLine[] => {
    const around = phases.get(n.id) === "row" ? whole.length : whole.length - 1;
    const own = phases.get(n.id) === "before" ? [] : n.type.shape.slice(around);
    return [
      ...own.map((extent, i) => loop(at + i, whole.length + i, extent)),
      ...computeLines(nest, n, at + own.length),
    ];
  };
  const lines = (which: (n: Node) => boolean, at: number): LoopLine[] =>
    nest.members.filter((n) => !results.includes(n.id) && which(n)).flatMap((n) => runLines(n, at));
  const indexedRun = (label: string, shape: readonly number[], own: readonly number[]): string => {
    const text = indexed({ ...nest, space: whole }, label, shape.slice(0, shape.length - own.length));
    const inside = own.map(() => ":").join(", ");
    if (inside === "") return text;
    return text.endsWith("]") ? `${text.slice(0, -1)}, ${inside}]` : `${text}[${inside}]`;
  };
  const given = (kind: "last" | "rows", at: number): LoopLine[] =>
    all
      .filter((n) => (rowLoopOf(n)!.result.kind === "last") === (kind === "last"))
      .filter((n) => nest.outputs.has(n.id))
      .map((n) => ({
        depth: at,
        text: `store ${indexedRun(n.label, n.type.shape, rowLoopOf(n)!.own)}`,
        note: "to memory",
        nodes: [n.id],
      }));
  const { before, inside, carry } = rowIterationLines(all, {
    depth,
    spelling: spelled,
    operand: (id, param) => {
      const { walk } = param;
      const n = node(graph, id);
      if (isLiteral(n)) return { text: String(n.attrs["value"]), loads: false };
      if (nest.inside.has(id)) return { text: n.label, loads: false };
      const plain = indexedRun(n.label, shape(id), ownShape(param));
      const text = walk ? plain.replace(axisName(rowAxis), rowText(along, walk, axisName(rowAxis))) : plain;
      return { text, loads: true };
    },
  });
  const range = backwards ? `${iterations - 1} … 0` : `${iterations}`;
  return [
    ...outer.map(({ axis, extent }, at) => loop(at, axis, extent)),
    ...lines((n) => phases.get(n.id) === "before" && !inLoop(n), depth),
    ...before,
    { depth, text: `for ${axisName(rowAxis)} in ${range}:`, note: "", nodes: results },
    ...lines((n) => phases.get(n.id) === "before" && inLoop(n), depth + 1),
    ...inside,
    ...lines((n) => phases.get(n.id) === "row", depth + 1),
    ...given("rows", depth + 1),
    ...carry,
    ...lines((n) => phases.get(n.id) === "after", depth),
    ...given("last", depth),
  ];
}

/** The row of an operand where the loop stands at row `at` of its own. */
function rowText({ iterations, backwards }: RowLoop, walk: Walk, at: string): string {
  const against = backwards !== walk.backwards;
  const first = backwards ? (walk.backwards ? walk.start - iterations + 1 : walk.start + iterations - 1) : walk.start;
  if (against) return first === 0 ? `-${at}` : `${first} - ${at}`;
  return first === 0 ? at : `${at} + ${first}`;
}

function nestLines(graph: Graph, region: Pick<Region, "members" | "outputs">, reread: ReadonlySet<NodeId>): LoopLine[] {
  const nest = nestOf(graph, region);
  const outer = nest.space.flatMap((extent, axis) => (nest.reduced.has(axis) ? [] : [{ axis, extent }]));
  const lines = outer.map(({ axis, extent }, depth) => loop(depth, axis, extent));
  const rows = outer.reduce((product, { extent }) => product * extent, 1);
  if (nest.reduced.size === 0) {
    return [...lines, ...nest.members.flatMap((each) => computeLines(nest, each, outer.length))];
  }
  const stages = stagesOf(nest);
  const last = Math.max(0, ...stages.values());
  for (let stage = 0; stage <= last; stage++) {
    const members = nest.members.filter(({ id }) => stages.get(id) === stage);
    const before = nest.members.filter((each) => stages.get(each.id)! < stage && kindOf(each) !== "reduce");
    const again = againIn(nest, members, before, reread);
    const earlier = new Set(before.flatMap(({ id }) => (again.has(id) ? [] : [id])));
    const outputs = new Set([...nest.outputs].filter((id) => !again.has(id)));
    const all = nest.members.filter((each) => members.includes(each) || again.has(each.id));
    lines.push(...stageLines({ ...nest, earlier, outputs }, all, rows, outer.length));
  }
  return [...lines, ...columnLines(nest, rows)];
}

/** Members of earlier loops that a loop computes once more, since it reads again what they are made of. */
function againIn(
  { space, inside }: Nest,
  members: readonly Node[],
  before: readonly Node[],
  reread: ReadonlySet<NodeId>,
): ReadonlySet<NodeId> {
  const again = new Set<NodeId>();
  const plain = new Map(before.map((each) => [each.id, each]));
  const comesAgain = (id: NodeId): boolean => {
    const found = plain.get(id);
    if (!found) return !inside.has(id) && reread.has(id);
    if (kindOf(found) !== "elementwise" || String(found.type.shape) !== String(space)) return false;
    return found.inputs.map(comesAgain).some(Boolean) && Boolean(again.add(id));
  };
  for (const { inputs } of members) inputs.forEach(comesAgain);
  return again;
}

/** `a[j]`: the value of the column that the inner loop is at. */
const columnOf = (nest: Nest, { label }: Node): string =>
  `${label}[${[...nest.reduced]
    .toSorted((a, b) => a - b)
    .map(axisName)
    .join(", ")}]`;

/** What is done once to the folded value: a mean is divided by the number of its elements. */
function finishLine({ id, op }: Node, folded: string, count: number, depth: number): LoopLine[] {
  const finish = opDef(op).reduce?.finish;
  return finish ? [{ depth, text: `${folded} = ${finish.text(folded, count)}`, note: "", nodes: [id] }] : [];
}

/** Columns are known when all rows have gone by. */
function columnLines(nest: Nest, rows: number): LoopLine[] {
  const folds = nest.members.filter((each) => foldsColumns(nest, each));
  const axes = [...nest.reduced].toSorted((a, b) => a - b);
  const at = (each: Node): LoopLine[] => {
    const [depth, text] = [axes.length, columnOf(nest, each)];
    return [
      ...finishLine(each, text, rows, depth),
      { depth, text: `store ${text}`, note: "to memory", nodes: [each.id] },
    ];
  };
  if (folds.length === 0) return [];
  return [...axes.map((axis, depth) => loop(depth, axis, nest.space[axis]!)), ...folds.flatMap(at)];
}

/** The same ops with one kernel each: a nest for every member, each value through memory. */
export function apartLoops(graph: Graph, region: Pick<Region, "members">): LoopLine[][] {
  return region.members.flatMap((id) => {
    const found = node(graph, id);
    const meaning = findOp(found.op);
    const free = meaning?.kind === "movement" && "movement" in meaning && meaning.movement?.free;
    if (isLiteral(found) || free) return [];
    // Results of one loop have one nest.
    const together = opDef(found.op).loop ? loopOf(graph, region.members, id) : [id];
    return together[0] === id ? [fusedLoops(graph, { members: together, outputs: together })] : [];
  });
}

export type { LoopLine } from "./loop-lines";

/** The loop nests of a region as text, two spaces a level: its kernel first, then each op with a kernel of its own. */
export function loopsOf({ graph, regions }: Fusion, id: RegionId): string[] {
  const region = regions.get(id);
  if (!region) return [];
  const written = (lines: readonly LoopLine[]): string[] =>
    lines.map(({ depth, text, note }) => `${"  ".repeat(depth)}${text}${note ? `  # ${note}` : ""}`);
  const apart = apartLoops(graph, region);
  const fused = ["# one kernel", ...written(fusedLoops(graph, region))];
  if (apart.length < 2) return fused;
  return [
    ...fused,
    ...apart.flatMap((lines, i) => ["", `# kernel ${i + 1} of ${apart.length}, op by op`, ...written(lines)]),
  ];
}
