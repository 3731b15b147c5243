/** @file Regions: which nodes one kernel computes. A graph with regions is all that codegen needs to know. */
import type { Graph } from "./graph";
import type { NodeId, RegionId } from "./ids";

/**
 * One future kernel. A node may be a member of several regions (it is then computed again in each);
 * it is an output of at most one. Sources (input, const) are members of none; scalar consts are inlined.
 */
export interface Region {
  readonly id: RegionId;
  /** In topological order. */
  readonly members: readonly NodeId[];
  /** Members whose value reaches memory: read by another region, or a graph output. */
  readonly outputs: readonly NodeId[];
}

/** A graph with its partition into regions: the state between two steps. */
export interface Fusion {
  readonly graph: Graph;
  readonly regions: ReadonlyMap<RegionId, Region>;
  /** Of the naive plan: folds for which it chose between two ways. Absent: none. */
  readonly choices?: readonly NaiveChoice[];
}

/** What some kernels take together. */
export interface Work {
  /** Predicted µs. */
  readonly micros: number;
  /** Bytes moved from and to memory. */
  readonly bytes: number;
  readonly launches: number;
}

/** How the naive plan computes a fold that could compare all with all, and what each way takes. */
export interface NaiveChoice {
  readonly node: NodeId;
  readonly takes: "fold" | "count" | "last" | "value";
  readonly targets: number;
  readonly updates: number;
  readonly compared: Work;
  /** The best of what else it may do: updates are grouped by their targets, sorted by them, only counted, or leave their numbers there; a value is loaded where its index says. */
  readonly way: "grouped" | "sorted" | "counted" | "latest" | "loaded";
  readonly instead: Work;
  readonly others: readonly { readonly way: NaiveChoice["way"]; readonly work: Work }[];
  /** Not compared. */
  readonly taken: boolean;
}
