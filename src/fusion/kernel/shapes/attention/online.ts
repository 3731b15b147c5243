/**
 * @file Rows that are folded while a contraction's tiles come by, so that the rows themselves never exist in memory. A fold that
 * depends on a running maximum only through exp(x − max) can be repaired when the maximum rises: what was summed so far is
 * multiplied by exp(old − new). The same holds for a second contraction over the row. (Milakov and Gimelshein 2018; Dao et al. 2022.)
 */
import {
  type Graph,
  literalOf,
  node,
  type Node,
  type NodeId,
  type Shape,
  showShape,
  sizeOf,
  type Verdict,
  nodeName,
} from "../../../ir";
import { algebraOf, isCopy, isLinearFold, isSubtraction, linearGroups, opDef } from "../../../ops";
import { followersPastFolds, isMatrixTranspose, type Follower } from "../../indices/alignment";
import { EVERYWHERE } from "../../indices/bands";
import { seenBy } from "./seen";
import { matmulSizes } from "../matmul/matmul";
import { endpointsOf } from "./attention-endpoints";
import type { OnlineAnswer, OnlineFold, OnlineParts } from "./online-parts";
import { refusal } from "../../refusal";
import { isFreeView } from "../../indices/views";

/**
 * `free`: needs no fold and no score. `score`: an element of the row. `shifted`: score − peak. `weight`: a multiple of
 * exp(score − peak). `late`: an element that needs what is folded otherwise. `row`: one value a row. `result`: follows the second
 * contraction.
 */
type Part = "free" | "score" | "shifted" | "weight" | "late" | "row" | "result";

/** Elements of the row. */
const isElement = (part: Part): boolean =>
  part === "score" || part === "shifted" || part === "weight" || part === "late";

/** Head sizes above this don't fit the registers and the workgroup memory of one tile. */
const MAX_HEAD = 128;

const isVerdict = (answer: Part | Verdict | null): answer is Verdict => typeof answer === "object" && answer !== null;

/** The parts of a region that folds rows while they are made; a verdict where the algebra does not allow it. */
export function onlineParts(graph: Graph, members: readonly NodeId[], outputs: readonly NodeId[]): OnlineAnswer {
  const answer = Reader.read(graph, members, outputs);
  return "code" in answer ? { ok: false, verdict: answer } : { ok: true, parts: answer };
}

class Reader {
  readonly #parts = new Map<NodeId, Part>();
  readonly #aliases = new Map<NodeId, NodeId>();
  /** Scores whose last two axes are swapped. */
  readonly #transposed = new Set<NodeId>();
  readonly #folds: OnlineFold[] = [];
  /** Multiples of exponentials of which some elements are replaced. */
  readonly #replaced = new Set<NodeId>();
  #peak: NodeId | null = null;
  #exp: NodeId | null = null;
  #axis: number | null = null;
  #results: ReadonlyMap<NodeId, Follower> = new Map();
  readonly #resultFolds: NodeId[] = [];
  readonly #passing: NodeId[] = [];
  readonly #again: NodeId[] = [];

  readonly graph: Graph;
  readonly scores: readonly NodeId[];
  readonly values: NodeId | null;
  readonly space: Shape;

  static read(graph: Graph, members: readonly NodeId[], outputs: readonly NodeId[]): OnlineParts | Verdict {
    const ends = endpointsOf(graph, members);
    if ("code" in ends) return ends;
    const reader = new Reader(graph, ends.scores, ends.values);
    return reader.#limits() ?? reader.#walk(members) ?? reader.#stored(outputs) ?? reader.#answer();
  }

  constructor(graph: Graph, scores: readonly NodeId[], values: NodeId | null) {
    this.graph = graph;
    this.scores = scores;
    this.values = values;
    this.space = values === null ? this.#shape(scores[0]!) : this.#shape(this.#node(values).inputs[0]!);
  }

  #node(id: NodeId): Node {
    return node(this.graph, id);
  }
  #shape(id: NodeId): Shape {
    return this.#node(id).type.shape;
  }
  #say(id: NodeId): string {
    return `\`${nodeName(this.#node(id))}\``;
  }
  #part(id: NodeId): Part {
    return this.#parts.get(id) ?? "free";
  }

  #limits(): Verdict | null {
    const { graph, scores, values, space } = this;
    const ends = [...scores, ...(values === null ? [] : [values])];
    for (const id of ends) {
      const n = this.#node(id);
      if (
        n.inputs.some((input) => this.#shape(input).length < 2) ||
        sizeOf(n.type.shape) === 0 ||
        matmulSizes(graph, id).k === 0
      )
        return refusal(
          "L_SHAPE",
          [id],
          `${this.#say(id)} has no tiles: both of its operands need at least two axes and some elements.`,
        );
      if (n.type.dtype !== "f32" && n.type.dtype !== "f16")
        return refusal(
          "L_DTYPE",
          [id],
          `${this.#say(id)} is ${n.type.dtype}; a running maximum and sum need floats.`,
          "Cast the operands to f32.",
        );
    }
    const odd = scores.find((id) => !this.#isFull(this.#shape(id)));
    if (odd !== undefined) return this.#otherRows(odd);
    if (values === null) return null;
    const width = matmulSizes(graph, values).n;
    if (this.#shape(values).slice(0, -1).join() !== space.slice(0, -1).join()) return this.#otherRows(values);
    const head = scores.find((id) => matmulSizes(graph, id).k > MAX_HEAD);
    if (head === undefined && width <= MAX_HEAD) return null;
    const [size, id] = head === undefined ? [width, values] : [matmulSizes(graph, head).k, head];
    return refusal(
      "L_WGMEM",
      [id],
      `Rows of ${size} values are too wide: beside a tile of both matrices, a workgroup has room for results of at most ${MAX_HEAD} values a row.`,
      `Rows of at most ${MAX_HEAD} values.`,
      { size, limit: MAX_HEAD },
    );
  }

  #otherRows(id: NodeId): Verdict {
    return refusal(
      "L_SHAPE",
      [id],
      `${this.#say(id)} is ${showShape(this.#shape(id))}, and the rows between the two matmuls are those of ${showShape(this.space)}: they don't match one to one.`,
    );
  }

  /** batch × M × N, however the batch is split into axes; without a second product its rows may be numbered through all batches. */
  #isFull(given: Shape, transposed = false): boolean {
    const { space } = this;
    const shape = transposed ? [...given.slice(0, -2), given.at(-1)!, given.at(-2)!] : given;
    const sameColumns = shape.length >= 2 && shape.at(-1) === space.at(-1) && sizeOf(shape) === sizeOf(space);
    return sameColumns && (this.values === null || shape.at(-2) === space.at(-2));
  }

  #walk(members: readonly NodeId[]): Verdict | null {
    const { values } = this;
    if (values !== null) {
      const { followers, refused } = followersPastFolds(this.graph, members, values);
      if (refused)
        return refusal(
          "L_INDEX",
          [refused.operand, refused.id],
          `${this.#say(refused.id)} does not follow ${this.#say(refused.operand)} element by element.`,
        );
      this.#results = followers;
    }
    for (const id of members) {
      const part = this.#partOf(this.#node(id));
      if (isVerdict(part)) return part;
      this.#parts.set(id, part);
      const { op, inputs } = this.#node(id);
      const chooses = linearGroups(algebraOf(op)).some((group) => group.length > 1) && !algebraOf(op).terms;
      if (part === "weight" && (chooses || inputs.some((input) => this.#replaced.has(input)))) this.#replaced.add(id);
    }
    return null;
  }

  #partOf(n: Node): Part | Verdict {
    const parts = n.inputs.map((input) => this.#part(input));
    if (this.scores.includes(n.id))
      return parts.every((part) => part === "free")
        ? "score"
        : this.#needsAll(
            n,
            parts.findIndex((part) => part !== "free"),
          );
    if (n.id === this.values) return this.#secondProduct(n, parts);
    const { kind } = opDef(n.op);
    if (kind === "reduce") return this.#reduce(n, parts[0]!);
    if (this.#results.has(n.id)) return this.#result(n, parts);
    if (parts.every((part) => part === "free")) return "free";
    if (kind === "movement") return this.#move(n, parts[0]!);
    if (kind !== "elementwise" && kind !== "random")
      return this.#needsAll(
        n,
        parts.findIndex((part) => part !== "free"),
      );
    return this.#compute(n, parts);
  }

  /** It reads a value that is known only when the row is complete, and so is an element that can be computed once more then. */
  #late(n: Node, operand: number): Part | Verdict {
    const ofRows = n.inputs.every(
      (input) => this.#part(input) !== "row" || this.#meetsItsRow(this.#shape(input), n.type.shape),
    );
    return this.values === null && ofRows ? "late" : this.#needsAll(n, operand);
  }

  /** It reads a value that is known only when the row is complete. */
  #needsAll(n: Node, operand: number): Verdict {
    const bound = n.inputs[Math.max(0, operand)]!;
    return refusal(
      "L_REDUCE_REDUCE",
      [bound, n.id],
      `${this.#say(n.id)} needs ${this.#say(bound)} of the whole row, and here a row is reduced tile by tile.`,
      "Only exp(x − max), which can be rescaled when a later tile changes the maximum.",
    );
  }

  #secondProduct(n: Node, [weights, values]: readonly Part[]): Part | Verdict {
    if (values !== "free") return this.#needsAll(n, 1);
    if (this.#transposed.has(n.inputs[0]!)) return this.#elsewhere(n, n.inputs[0]!);
    return weights === "weight" || weights === "score" || weights === "free" ? "result" : this.#needsAll(n, 0);
  }

  #reduce(n: Node, part: Part): Part | Verdict {
    const operand = n.inputs[0]!;
    const shape = this.#shape(operand);
    const meaning = opDef(n.op).reduce!;
    const axes = meaning.axes(n.attrs, shape);
    if (part === "result") return this.#foldResult(n, axes);
    if (this.#transposed.has(operand)) return this.#elsewhere(n, operand);
    if (part === "row" || part === "shifted" || part === "late") return this.#needsAll(n, 0);
    const axis = axes.length === 1 ? axes[0]! - shape.length + this.space.length : -1;
    const last = this.space.length - 1;
    const alongRows = axis === last - 1 && this.values === null && shape.at(-2) === this.space.at(-2);
    const fits = this.#isFull(shape) && (axis === last || alongRows);
    if (!fits || (this.#axis !== null && this.#axis !== axis)) {
      const walked = this.values ?? this.scores[0]!;
      return refusal(
        "L_SHAPE",
        [n.id, walked],
        this.values === null
          ? `${this.#say(n.id)} folds ${showShape(shape)} over axes ${axes.join(", ") || "none"}; the tiles of ${this.#say(walked)} can be folded along its rows or along its columns, one of the two.`
          : `${this.#say(n.id)} folds ${showShape(shape)} over axes ${axes.join(", ") || "none"}, but ${this.#say(walked)} runs over the last axis of ${showShape(this.space)}: the row that is folded must be the row that is multiplied.`,
      );
    }
    if (part === "weight" && !isLinearFold(n.op)) return this.#needsAll(n, 0);
    this.#axis = axis;
    this.#folds.push({ node: n.id, rescaled: part === "weight", whole: !this.#replaced.has(operand) });
    if (opDef(n.op).reduce?.picks?.which === "largest") this.#aliases.set(n.id, n.id);
    return "row";
  }

  /** A row of results is complete when the last tile is: then it is folded as it is stored. */
  #foldResult(n: Node, axes: readonly number[]): Part | Verdict {
    const operand = n.inputs[0]!;
    const shape = this.#shape(operand);
    const core = this.#results.get(this.values!)!;
    const indices = this.#results.get(operand)?.indices;
    const whole = axes.length === 1 && axes[0] === shape.length - 1 && opDef(n.op).reduce!.arg === undefined;
    const aligned =
      shape.join() === this.#shape(this.values!).join() && core.indices.every((at, i) => at === indices?.[i]);
    const alongRows = this.#axis === null || this.#axis === this.space.length - 1;
    if (!whole || !aligned || !alongRows) return this.#needsAll(n, 0);
    this.#axis = this.space.length - 1;
    this.#resultFolds.push(n.id);
    return "row";
  }

  #move(n: Node, part: Part): Part | Verdict {
    const operand = n.inputs[0]!;
    if (isFreeView(n) && part === "row") return this.#alias(n, operand);
    const transposed = this.#transposed.has(operand) !== (part === "score" && isMatrixTranspose(this.graph, n));
    const stays = isFreeView(n) && (part === "score" || part === "weight" || part === "late");
    if (!(stays || transposed !== this.#transposed.has(operand)) || !this.#isFull(n.type.shape, transposed))
      return this.#elsewhere(n, operand);
    if (transposed) this.#transposed.add(n.id);
    return part;
  }

  #elsewhere(n: Node, operand: NodeId): Verdict {
    return refusal(
      "L_INDEX",
      [operand, n.id],
      `${this.#say(n.id)} moves ${this.#say(operand)} to other indices, and a tile holds only its own elements.`,
    );
  }

  /** The same row value under another name is the same peak. */
  #alias(n: Node, operand: NodeId): Part {
    const peak = this.#aliases.get(operand);
    if (peak !== undefined) this.#aliases.set(n.id, peak);
    return "row";
  }

  #result(n: Node, parts: readonly Part[]): Part | Verdict {
    const core = this.#results.get(this.values!)!;
    const follower = this.#results.get(n.id)!;
    for (const [operand, part] of parts.entries()) {
      if (part === "free" || part === "result") continue;
      const aligned =
        follower.indices.every((at, i) => at === core.indices[i]) &&
        n.type.shape.join() === this.#shape(this.values!).join();
      if (part !== "row" || !aligned || !this.#meetsItsRow(this.#shape(n.inputs[operand]!), n.type.shape))
        return this.#needsAll(n, operand);
    }
    return "result";
  }

  #meetsItsRow(shape: Shape, full: Shape): boolean {
    const folded = full.length - this.space.length + (this.#axis ?? this.space.length - 1);
    const rowShape = full.map((extent, axis) => (axis === folded ? 1 : extent));
    const padded = [...Array.from({ length: full.length - shape.length }, () => 1), ...shape];
    return padded.join() === rowShape.join();
  }

  #compute(n: Node, parts: readonly Part[]): Part | Verdict {
    const has = (part: Part): boolean => parts.includes(part);
    if (has("result")) return this.#needsAll(n, parts.indexOf("result"));
    if (!parts.some(isElement) && has("row")) return this.#onRows(n, parts);
    const turned = n.inputs.some((input) => this.#transposed.has(input));
    if (turned) return this.#computeTransposed(n, parts);
    const moved = n.inputs.findIndex(
      (input, i) => isElement(parts[i]!) && this.#shape(input).join() !== n.type.shape.join(),
    );
    if (moved >= 0 || !this.#isFull(n.type.shape)) return this.#otherRows(n.id);
    if (has("late")) return this.#late(n, parts.indexOf("late"));
    if (has("row")) return this.#shift(n, parts);
    if (has("shifted")) return this.#exponential(n, parts);
    if (has("weight")) return isLinear(this.graph, n, parts) ? "weight" : this.#late(n, parts.indexOf("weight"));
    return "score";
  }

  /** Scores whose axes are swapped may meet their like, and values that are at hand; nothing is folded along them. */
  #computeTransposed(n: Node, parts: readonly Part[]): Part | Verdict {
    const odd = n.inputs.find(
      (input, i) =>
        parts[i] !== "free" &&
        !(parts[i] === "score" && this.#transposed.has(input) && this.#shape(input).join() === n.type.shape.join()),
    );
    if (odd !== undefined) return this.#elsewhere(n, odd);
    this.#transposed.add(n.id);
    return "score";
  }

  /** Free values met with row values: a subtraction of the peak where the row is in memory, else a value per row. */
  #onRows(n: Node, parts: readonly Part[]): Part | Verdict {
    const bound = n.inputs.filter((_, i) => parts[i] === "row");
    const rows = sizeOf(this.space) / this.space[this.#axis!]!;
    if (sizeOf(n.type.shape) === rows && bound.every((input) => this.#shape(input).join() === n.type.shape.join())) {
      const [x] = n.inputs;
      return isCopy(algebraOf(n.op)) ? this.#alias(n, x!) : "row";
    }
    return this.#isFull(n.type.shape) ? this.#shift(n, parts) : this.#otherRows(n.id);
  }

  #shift(n: Node, parts: readonly Part[]): Part | Verdict {
    const row = parts.indexOf("row");
    const peak = this.#aliases.get(n.inputs[row]!);
    const isShift = isSubtraction(algebraOf(n.op)) && row === 1 && (parts[0] === "score" || parts[0] === "free");
    if (!isShift || peak === undefined || (this.#peak !== null && this.#peak !== peak)) return this.#late(n, row);
    if (
      this.#shape(n.inputs[0]!).join() !== n.type.shape.join() ||
      !this.#meetsItsRow(this.#shape(n.inputs[1]!), n.type.shape)
    )
      return this.#otherRows(n.id);
    this.#peak = peak;
    return "shifted";
  }

  #exponential(n: Node, parts: readonly Part[]): Part | Verdict {
    const known = this.#exp === null || this.#node(this.#exp).op === n.op;
    if (!algebraOf(n.op).exponential || !known) return this.#late(n, parts.indexOf("shifted"));
    this.#exp = n.id;
    return "weight";
  }

  /** Of what needs no fold, only a value for each row can be stored on the way. */
  #isOneARow(id: NodeId): boolean {
    const { space } = this;
    return this.values === null && sizeOf(this.#shape(id)) * space[this.#axis ?? space.length - 1]! === sizeOf(space);
  }

  #stored(outputs: readonly NodeId[]): Verdict | null {
    for (const id of outputs) {
      const part = this.#part(id);
      if (part === "row" || part === "result" || (part === "free" && this.#isOneARow(id))) continue;
      if (this.values === null && isElement(part) && !this.#transposed.has(id)) {
        (part === "score" ? this.#passing : this.#again).push(id);
        continue;
      }
      return refusal(
        "L_ROOT",
        [id, this.values ?? this.scores[0]!],
        `${this.#say(id)} (${showShape(this.#shape(id))}) has another reader, so it must be stored; a row that is folded tile by tile never exists as a whole.`,
        "A program in which nothing else reads it, or separate kernels.",
      );
    }
    return null;
  }

  #answer(): OnlineParts {
    const { graph, scores, values, space } = this;
    const [parts, exp] = [this.#parts, this.#exp];
    // What nothing is taken an exponential of is a fold like others.
    const peak = exp === null && values === null ? null : this.#peak;
    return {
      scores,
      values,
      peak,
      exp,
      weightsWhole: values !== null && !this.#replaced.has(this.#node(values).inputs[0]!),
      weightsRescaled: values !== null && this.#part(this.#node(values).inputs[0]!) === "weight",
      band: values === null ? EVERYWHERE : seenBy(graph, { scores, values, parts, peak, folds: this.#folds }),
      folds: this.#folds.filter((fold) => fold.node !== peak),
      space,
      axis: this.#axis ?? space.length - 1,
      rows: new Set([...parts].flatMap(([id, part]) => (part === "row" ? [id] : []))),
      results: this.#results,
      resultFolds: this.#resultFolds,
      passing: this.#passing,
      again: this.#again,
    };
  }
}

/** Is `n` linear in its operands that are weights? Then a common factor may be taken out of it. */
function isLinear(graph: Graph, n: Node, parts: readonly Part[]): boolean {
  const weights = parts.flatMap((part, operand) => (part === "weight" ? [operand] : []));
  const zero = (operand: number): boolean => literalOf(graph, n.inputs[operand]!) === 0;
  return linearGroups(algebraOf(n.op)).some(
    (group) =>
      weights.every((operand) => group.includes(operand)) &&
      group.every((operand) => weights.includes(operand) || zero(operand)),
  );
}
