/** @file Rows in bands, whose columns are folded as well: by how many threads, how many rows each band has, and what joins the bands. */
import { type Graph, isLiteral, type Knobs, node, type NodeId, type Target } from "../../../ir";
import { bandFactors, bandFits, bandMicros, heldByBand, type BandShape } from "./band-factors";
import { factorsOf, type FoldNest } from "./fold-factors";
import type { Machine } from "../../nest/nest";
import { opDef } from "../../../ops";
import { wholeOutput, type RowAnalysis } from "./classify-rows";
import { readsOf, stridedReads } from "../../count/reads";
import { openLoads } from "./rows/row-loads";
import { passesPerRead } from "./rows/row-passes";
import { stridedWrites, withRereads } from "./rows/row-roots";
import { machineOf } from "../../nest/machine";
import { finishNest, Rows, waitingAtOnce, type Asked } from "./schedule-fold";
import { BASE_REGISTERS, blank, liveScalars, type Body } from "../../schedule/schedule-parts";
import { joinBytes, joiningOf } from "../../nest/threads";
import type { RegionForm, RegionSchedule } from "../../types";

/** Bands of a machine whose threads walk them alone. */
const BANDS_ALONE = 64;

/** The schedule of rows that are folded along with their columns. */
export function scheduleBands(
  graph: Graph,
  region: Body,
  form: RegionForm,
  target: Target,
  analysis: RowAnalysis,
  knobs: Knobs,
): RegionSchedule {
  const rows = new Rows({ graph, region, form, target, knobs }, analysis);
  const machine = machineOf(target);
  const shape = shapeOf(rows, { graph, region, form });
  const strided = stridedReads(
    graph,
    region.members,
    region.outputs,
    form,
    "columns",
    new Map(rows.roots.map(({ id, layout }) => [id, layout])),
  );
  const plain = readsOf(graph, region.members, region.outputs, strided);
  const registers = BASE_REGISTERS + liveScalars(graph, region) + form.reductions.length;
  const held = 4 * form.columns * form.columnFolds.length;
  const shared = (bands: number, each: number) => ({
    lane: rows.lane,
    stridedWrites: stridedWrites(graph, form, rows.roots, "columns"),
    chunks: bands,
    chunkLength: each,
    workgroups: bands,
    dispatches: 2,
    temporaryBytes: bands * held,
    temporaries: form.columnFolds.length,
  });
  if (target.schedule === "cpu" && held <= target.maxWorkgroupBytes) {
    const each = Math.max(1, Math.ceil(form.rows / BANDS_ALONE));
    const bands = Math.ceil(form.rows / each);
    const touched = new Map(plain.map(({ value, elements }) => [value, elements]));
    const byRow = region.outputs.filter(
      (id) => !form.columnFolds.includes(id) && wholeOutput(graph, analysis, id) === null,
    );
    const width = rows.lane === "columns" ? 4 : 1;
    const loads = openLoads(graph, region, form, rows.roots, rows.lane);
    const turn = { own: width, all: width, held: false };
    const passes = passesPerRead(graph, region, form, rows.roots, byRow, touched, turn, loads);
    return blank({
      ...shared(bands, each),
      variant: "mixed-thread",
      finish: joiningNest(shape, bands, machine),
      reads: withRereads(plain, passes),
      threadsPerWorkgroup: 1,
      workgroupBytes: held,
      registers,
    });
  }
  const joined = joiningOf(target, knobs);
  const factors = bandFactors(shape, machine, knobs.threads === undefined ? undefined : Number(knobs.threads));
  const { threads, each } = factors;
  const bands = Math.ceil(form.rows / each);
  const finish = joiningNest(shape, bands, { ...machine, sharing: "threads" });
  const last = factorsOf(finish);
  const joining = last.lanes === 1 ? 0 : 4 * form.columnFolds.length * last.lanes * last.beside * last.wide.outer;
  const waiting = heldByBand(shape, threads);
  return blank({
    ...shared(bands, each),
    variant: "mixed-row",
    finish,
    joined,
    cached: rows.cached,
    reads: plain,
    threadsPerWorkgroup: threads,
    workgroupBytes: Math.max(threads * joinBytes(graph, form, joined), joining),
    registers: registers + waiting,
    ...(bandFits(shape, factors) && { waiting }),
    leastMicros: bandMicros(shape, factors, machine),
  });
}

const shapeOf = (rows: Rows, { graph, region, form }: Pick<Asked, "graph" | "region" | "form">): BandShape => ({
  ...rows.shape(),
  waiting: waitingAtOnce(graph, region, form, rows.analysis, needing(graph, rows)),
  stages: new Set(form.reductions.map(({ stage }) => stage)).size,
  folds: form.reductions.length,
  columnFolds: form.columnFolds.length,
});

/** Of what waits, all that is not one operation away from the rest: a compiler computes that again rather than hold it. */
function needing(graph: Graph, { cached, analysis }: Rows): NodeId[] {
  const waits = new Set(cached);
  const atHand = (id: NodeId): boolean => {
    const n = node(graph, id);
    return (
      waits.has(id) || isLiteral(n) || (!analysis.roles.has(id) && n.type.shape.length < analysis.domain.space.length)
    );
  };
  return cached.filter((id) => {
    const n = node(graph, id);
    const def = opDef(n.op);
    const again = def.kind === "elementwise" && def.weightedFlops <= 1 && analysis.roles.has(id);
    return !(again && n.inputs.every(atHand));
  });
}

/** What bands have left of a column is a row itself: its neighbours belong to other columns. */
const joiningNest = (shape: BandShape, bands: number, machine: Machine): FoldNest =>
  finishNest(
    {
      ...shape,
      rows: shape.columns,
      stages: 1,
      accumulators: shape.columnFolds,
      meetingBytes: 4 * shape.columnFolds,
      partsBytes: 4 * shape.columnFolds,
    },
    bands,
    machine,
  );
