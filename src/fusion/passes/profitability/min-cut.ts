/** @file The cheapest way to part a kernel in two: a maximum flow (Dinic 1970) through its values, each as wide as its bytes. */

/** Edges in pairs: edge e and its way back e ^ 1. */
class Network {
  readonly #first: Int32Array;
  readonly #next: number[] = [];
  readonly #to: number[] = [];
  readonly #room: number[] = [];
  readonly #level: Int32Array;
  /** The edge to try next at each node: what was found full is not tried again in a phase. */
  readonly #trying: Int32Array;

  constructor(nodes: number) {
    this.#first = new Int32Array(nodes).fill(-1);
    this.#level = new Int32Array(nodes);
    this.#trying = new Int32Array(nodes);
  }

  edge(from: number, to: number, room: number): void {
    for (const [a, b, free] of [
      [from, to, room],
      [to, from, 0],
    ] as const) {
      this.#next.push(this.#first[a]!);
      this.#first[a] = this.#to.length;
      this.#to.push(b);
      this.#room.push(free);
    }
  }

  /** Pushes what fits from `source` to `sink`; false when that is without bound. */
  fill(source: number, sink: number): boolean {
    while (this.#layered(source, sink)) {
      this.#trying.set(this.#first);
      for (let pushed = this.#push(source, sink); pushed > 0; pushed = this.#push(source, sink))
        if (pushed === Infinity) return false;
    }
    return true;
  }

  /** What is left to reach from the source once nothing more fits: the near side of the cheapest cut. */
  isNear(node: number): boolean {
    return this.#level[node]! >= 0;
  }

  #layered(source: number, sink: number): boolean {
    this.#level.fill(-1);
    this.#level[source] = 0;
    const open = [source];
    for (const at of open) {
      for (let e = this.#first[at]!; e >= 0; e = this.#next[e]!) {
        const to = this.#to[e]!;
        if (this.#room[e]! <= 0 || this.#level[to]! >= 0) continue;
        this.#level[to] = this.#level[at]! + 1;
        open.push(to);
      }
    }
    return this.#level[sink]! >= 0;
  }

  /** One path down the layers, and as much as its narrowest edge takes. */
  #push(source: number, sink: number): number {
    const path: number[] = [];
    for (let at = source; at !== sink;) {
      let e = this.#trying[at]!;
      while (e >= 0 && (this.#room[e]! <= 0 || this.#level[this.#to[e]!] !== this.#level[at]! + 1)) e = this.#next[e]!;
      this.#trying[at] = e;
      if (e >= 0) {
        path.push(e);
        at = this.#to[e]!;
        continue;
      }
      const back = path.pop();
      if (back === undefined) return 0;
      at = this.#to[back ^ 1]!;
      this.#trying[at] = this.#next[back]!;
    }
    const amount = path.reduce((least, e) => Math.min(least, this.#room[e]!), Infinity);
    if (amount < Infinity) {
      for (const e of path) {
        this.#room[e]! -= amount;
        this.#room[e ^ 1]! += amount;
      }
    }
    return amount;
  }
}

/** A value as the cut sees it. */
export interface CutValue {
  /** Indices, in the list, of what it is computed from. */
  readonly needs: readonly number[];
  /** What it costs that the other side reads it. */
  readonly cost: number;
}

/**
 * The near side of the cheapest cut: values that need no value of the far side, for the least cost of what the far side reads of them.
 * @param values in an order in which each needs only earlier ones
 * @param near values that must be on the near side; `far`: on the far side
 * @returns positions in the list; null where no cut parts them
 */
export function cheapestCut(
  values: readonly CutValue[],
  near: readonly number[],
  far: readonly number[],
): ReadonlySet<number> | null {
  const [source, sink] = [2 * values.length, 2 * values.length + 1];
  const network = new Network(sink + 1);
  values.forEach(({ needs, cost }, at) => {
    // Through a value once, however many read it; and who is near needs all it reads there.
    network.edge(2 * at, 2 * at + 1, cost);
    for (const need of needs) {
      network.edge(2 * need + 1, 2 * at, Infinity);
      network.edge(2 * at, 2 * need, Infinity);
    }
  });
  for (const at of near) network.edge(source, 2 * at, Infinity);
  for (const at of far) network.edge(2 * at, sink, Infinity);
  if (!network.fill(source, sink)) return null;
  return new Set(values.flatMap((_, at) => (network.isNear(2 * at) ? [at] : [])));
}

/** A value that may be saved, or recomputed from what is. */
export interface SavedValue extends CutValue {
  /** It can't be recomputed. */
  readonly expensive: boolean;
  /** It is needed where only saved values are. */
  readonly wanted: boolean;
}

/**
 * The cheapest values to save so that all wanted ones can be made of them (the cut of AOTAutograd's partitioner, in the form of Goldberg's selection).
 * @param values in an order in which each needs only earlier ones; a cost of Infinity: never saved
 * @returns positions in the list: `saved`, and `early`, which are computed only where everything is at hand; null where nothing does
 */
export function savedByCut(
  values: readonly SavedValue[],
): { readonly saved: ReadonlySet<number>; readonly early: ReadonlySet<number> } | null {
  const [source, sink] = [2 * values.length, 2 * values.length + 1];
  const network = new Network(sink + 1);
  values.forEach(({ needs, cost, expensive, wanted }, at) => {
    network.edge(2 * at, 2 * at + 1, cost);
    for (const need of needs) network.edge(2 * need + 1, 2 * at, Infinity);
    if (expensive) network.edge(source, 2 * at, Infinity);
    if (wanted) network.edge(2 * at + 1, sink, Infinity);
  });
  if (!network.fill(source, sink)) return null;
  const indices = values.map((_, at) => at);
  const saved = new Set(indices.filter((at) => network.isNear(2 * at) && !network.isNear(2 * at + 1)));
  return { saved, early: new Set(indices.filter((at) => network.isNear(2 * at + 1))) };
}
