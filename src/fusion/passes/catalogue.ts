/** @file What the pipeline's passes are called and what they do. A page that plans in a worker loads this without the passes: two kilobytes, not forty. */
import { bug, type CompileOptions } from "../ir";
import type { FusionPass } from "./driver/define";

export type Level = NonNullable<CompileOptions["level"]>;

/** What is said of a pass beside what it does: its names, its level, its position in the pipeline. */
export interface PassEntry extends Pick<FusionPass, "name" | "title" | "summary" | "numerics"> {
  /**
   * The lowest level that runs it. 0 leaves the naive plan. 1 tidies the graph and merges op by op. 2 also forms the kernels that take
   * structure: rows, products with what follows them, several outputs. 3 also rewrites by algebra.
   */
  readonly level: Level;
  /** It makes kernels of several regions. */
  readonly merges?: true;
  /** Passes that it has to precede in every order that a person may choose, and why. */
  readonly before?: readonly { readonly passes: (pass: PassEntry) => boolean; readonly reason: string }[];
  /** Why it runs after all others. */
  readonly last?: string;
  /** What other compilers call the like of it, by the names in their sources; absent where they have none. */
  readonly elsewhere?: readonly { readonly compiler: string; readonly names: readonly string[] }[];
  /** Rules of the pass that another compiler has under a name of its own: each is switched on its own. */
  readonly rules?: readonly ForeignRule[];
}

interface ForeignRule {
  readonly compiler: string;
  readonly name: string;
  /** The pass's rules that do what that one does, as decisions call them. */
  readonly of: readonly string[];
}

/** What stands among the options for a rule that is switched off. */
export const switchesOf = (pass: string, { of }: ForeignRule): readonly string[] => of.map((rule) => `${pass}/${rule}`);

const ort = (...names: string[]) => ({ compiler: "ONNX Runtime", names });
const ortRule = (name: string, ...of: string[]): ForeignRule => ({ compiler: "ONNX Runtime", name, of });
const tensorRt = (...names: string[]) => ({ compiler: "TensorRT", names });
const xla = (...names: string[]) => ({ compiler: "XLA", names });
const inductor = (...names: string[]) => ({ compiler: "Inductor", names });

/** One entry a pass, in the pipeline's order. */
export const passCatalogue: readonly PassEntry[] = [
  {
    name: "sorted-scatter",
    title: "Use indices instead of comparing them",
    summary:
      "Groups, sorts or counts updates by their indices, or loads at an index, so that no index is compared with all others: in the naive plan, too.",
    numerics: "bitwise",
    level: 1,
  },
  {
    name: "canonicalise",
    level: 1,
    before: [
      {
        passes: (pass) => pass.merges === true,
        reason:
          "it drops values that nobody reads, and a kernel that was merged around such a value would store nothing",
      },
      {
        passes: ({ name }) => name === "saved-values",
        reason: "it computes equal values once, so it would undo a recomputation",
      },
    ],
    title: "Clean up the graph",
    summary: "Removes ops that change nothing, computes equal expressions once and drops unused values.",
    numerics: "bitwise",
    rules: [
      ortRule("ConstantFolding", "constant"),
      ortRule("CommonSubexpressionElimination", "equal"),
      ortRule("EliminateIdentity", "neutral", "no-op"),
    ],
  },
  {
    name: "loops",
    level: 1,
    title: "Run loops inside kernels",
    summary:
      "Makes all iterations of a loop in one kernel when each works element by element: what it carries stays in registers.",
    numerics: "bitwise",
    elsewhere: [{ compiler: "Triton", names: ["tl.range"] }],
  },
  {
    name: "recognition",
    level: 3,
    title: "Recognise patterns",
    summary: "Recognises softmax, norms and gates that are written as primitives, and gives them their name.",
    numerics: "bitwise",
    rules: [
      ortRule("GeluFusion", "gelu"),
      ortRule("BiasGeluFusion", "bias_gelu"),
      ortRule("LayerNormFusion", "layer_norm"),
      ortRule("SimplifiedLayerNormFusion", "rms_norm"),
      ortRule("BiasDropoutFusion", "dropout_add"),
    ],
  },
  {
    name: "weight-folding",
    level: 3,
    title: "Fold scales into weights",
    summary:
      "Computes what depends on weights alone once, before the run: a batch norm becomes part of the convolution.",
    numerics: "reassociates",
    elsewhere: [ort("ConvBNFusion", "MatmulBNFusion", "ConvMulFusion", "ConvAddFusion")],
  },
  {
    name: "monotone-commute",
    level: 3,
    title: "Move max before monotone ops",
    summary: "Swaps a maximum with a function that never decreases, which then computes one value per row.",
    numerics: "bitwise",
  },
  {
    name: "scalar-algebra",
    level: 3,
    title: "Scale, offset and power",
    summary: "Combines literal factors and offsets, and writes x² as a product and √x as a root.",
    numerics: "reassociates",
    elsewhere: [tensorRt("Scale + Offset + Power")],
  },
  {
    name: "reduction-algebra",
    level: 3,
    title: "Rewrite reductions",
    summary:
      "Takes a factor that is constant over a sum out of it, folds windows along one axis after the other, and writes out reductions of few terms.",
    numerics: "reassociates",
  },
  {
    name: "movement-algebra",
    level: 3,
    title: "Move transposes together",
    summary:
      "Moves transposes through elementwise ops so that they cancel, merges padding into convolutions, and slices before a matmul, not after.",
    numerics: "bitwise",
    rules: [ortRule("TransposeOptimizer", "transposes-meet"), ortRule("PadFusion", "own-padding")],
  },
  {
    name: "chunked-scan",
    level: 3,
    title: "Scan long rows in chunks",
    summary:
      "Where few rows would leave the GPU idle, scans the chunks of a long row at the same time, and then combines each with the total of those before it.",
    numerics: "reassociates",
  },
  {
    name: "masked-blocks",
    level: 3,
    title: "Skip masked blocks",
    summary: "Leaves out the blocks of a matmul that a mask by position, such as a causal one, makes 0.",
    numerics: "bitwise",
  },
  {
    name: "saved-values",
    level: 3,
    title: "Choose what is saved for backward",
    summary:
      "Saves a value of the forward pass, recomputes it, computes it back from a result, or saves one bit of it.",
    numerics: "bitwise",
    elsewhere: [{ compiler: "AOTAutograd", names: ["min_cut_rematerialization_partition"] }],
  },
  {
    name: "tiles-again",
    level: 3,
    merges: true,
    title: "Recompute scores tile by tile",
    summary:
      "Recomputes the scores of attention inside the kernels of the backward pass, so that no matrix of them is saved.",
    numerics: "reassociates",
  },
  {
    name: "transpose-folding",
    level: 1,
    merges: true,
    title: "Fold transposes and views",
    summary: "Lets a consumer read a tensor in another order, so that no transposed copy is written first.",
    numerics: "bitwise",
    elsewhere: [ort("MatmulTransposeFusion"), xla("TransposeFolding")],
  },
  {
    name: "attention",
    level: 3,
    merges: true,
    title: "Attention in one kernel",
    summary: "Fuses two matmuls with the softmax between them: a running maximum and sum replace the stored rows.",
    numerics: "reassociates",
    elsewhere: [ort("AttentionFusion")],
  },
  {
    name: "contract-reduce",
    level: 3,
    merges: true,
    title: "Reduce a matmul tile by tile",
    summary: "Computes maxima and sums of a matmul's rows tile by tile, so that its result is never stored.",
    numerics: "reassociates",
  },
  {
    name: "contraction-epilogue",
    level: 2,
    merges: true,
    title: "Fuse epilogues into matmuls",
    summary: "Applies bias, activation and other elementwise ops to each tile of a matmul before it is stored.",
    numerics: "bitwise",
    elsewhere: [
      ort("ConvActivationFusion", "GemmActivationFusion", "MatMulAddFusion"),
      tensorRt("Conv + Bias + Act", "FC + Bias + Act"),
      inductor("template epilogue"),
    ],
  },
  {
    name: "row-picks",
    level: 3,
    merges: true,
    title: "Gather from a row in registers",
    summary:
      "Finds the element that an index names while its row is computed, so that the row is not stored for one read.",
    numerics: "reassociates",
  },
  {
    name: "row-groups",
    level: 2,
    merges: true,
    title: "Fuse row reductions",
    summary:
      "Fuses reductions with the ops around them that work on the same rows: softmax and LayerNorm become one kernel.",
    numerics: "bitwise",
    elsewhere: [
      ort("LayerNormFusion", "SimplifiedLayerNormFusion", "BiasSoftmaxFusion"),
      xla("SoftmaxRewriterTriton"),
      inductor("persistent reduction"),
    ],
  },
  {
    name: "read-once",
    level: 3,
    title: "Read long rows once",
    summary:
      "Takes a value of the whole row out of a sum over that row: the sum no longer waits for it, and the row is read once.",
    numerics: "reassociates",
  },
  {
    name: "row-scale",
    level: 3,
    merges: true,
    title: "Scale results, not operands",
    summary:
      "Applies a factor that is the same for all terms of a sum to its results: a normalised operand need not be stored.",
    numerics: "reassociates",
  },
  {
    name: "producer-consumer",
    level: 1,
    merges: true,
    title: "Merge producers into consumers",
    summary: "Merges a producer into all of its consumers or into none, the most profitable pair first.",
    numerics: "bitwise",
    elsewhere: [xla("PriorityFusion")],
  },
  {
    name: "matmul-rows",
    level: 3,
    merges: true,
    title: "Keep rows of a matmul in one kernel",
    summary:
      "Folds rows of a matmul while they are computed, and computes them again for what needs whole rows, instead of storing them.",
    numerics: "reassociates",
  },
  {
    name: "multi-output",
    level: 2,
    merges: true,
    title: "Several outputs from one kernel",
    summary:
      "Lets a kernel store a shared value as another output, and merges kernels that read the same large tensor.",
    numerics: "bitwise",
    elsewhere: [xla("MultiOutputFusion"), inductor("mix-order reduction")],
  },
  {
    name: "budget-split",
    level: 1,
    last: "what changes afterwards could break a limit again",
    title: "Split large kernels",
    summary: "Splits a kernel with too many buffers or too many ops, where the fewest bytes have to be stored.",
    numerics: "bitwise",
  },
];

type Titled = Pick<PassEntry, "name" | "title" | "summary" | "numerics">;

/** How a pass introduces itself. */
export function titled(name: string): Titled {
  const found = passCatalogue.find((each) => each.name === name);
  if (!found) throw bug(`no title for the pass ${name}`);
  const { title, summary, numerics } = found;
  return { name, title, summary, numerics };
}

/** What a page calls a pass: its title, or its name as words where nobody registered it: `row-groups` → `Row groups`. */
export function passTitle(name: string): string {
  const title = passCatalogue.find((each) => each.name === name)?.title ?? name.replaceAll("-", " ");
  return title.charAt(0).toUpperCase() + title.slice(1);
}
