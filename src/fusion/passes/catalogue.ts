/** @file What the pipeline's passes are called and what they do, apart from the passes themselves, for a page that plans elsewhere: two kilobytes, not forty. */
import type { FusionPass } from "./define";

export interface PassEntry extends Pick<FusionPass, "name" | "title" | "summary" | "numerics"> {
  /** What other compilers call the like of it, by the names in their sources; absent where they have none. */
  readonly elsewhere?: readonly { readonly compiler: string; readonly names: readonly string[] }[];
}

const ort = (...names: string[]) => ({ compiler: "ONNX Runtime", names });
const tensorRt = (...names: string[]) => ({ compiler: "TensorRT", names });
const xla = (...names: string[]) => ({ compiler: "XLA", names });
const inductor = (...names: string[]) => ({ compiler: "Inductor", names });

/** One entry a pass, in the pipeline's order; a test holds it against `allPasses`. */
export const passCatalogue: readonly PassEntry[] = [
  {
    name: "canonicalise",
    title: "Tidy the graph",
    summary: "Removes what changes nothing, computes equal expressions once and drops what nobody reads.",
    numerics: "bitwise",
    elsewhere: [ort("ConstantFolding", "CommonSubexpressionElimination", "EliminateIdentity")],
  },
  {
    name: "recognition",
    title: "Recognise patterns",
    summary: "Gives a softmax, a norm or a gate that is written out in primitives its name.",
    numerics: "bitwise",
    elsewhere: [ort("GeluFusion", "BiasGeluFusion", "LayerNormFusion", "BiasDropoutFusion")],
  },
  {
    name: "weight-folding",
    title: "Fold scales into the weights",
    summary:
      "Computes what follows from weights alone once, before the run: a batch norm becomes part of the convolution.",
    numerics: "reassociates",
    elsewhere: [ort("ConvBNFusion", "MatmulBNFusion", "ConvMulFusion", "ConvAddFusion")],
  },
  {
    name: "monotone-commute",
    title: "Take the maximum first",
    summary: "Swaps a maximum with a function that never decreases, which then works on one value a row.",
    numerics: "bitwise",
  },
  {
    name: "scalar-algebra",
    title: "Scale, offset and power",
    summary: "Multiplies and adds literals ahead, and writes x² as a product and √x as a root.",
    numerics: "reassociates",
    elsewhere: [tensorRt("Scale + Offset + Power")],
  },
  {
    name: "reduction-algebra",
    title: "Factors out of sums",
    summary:
      "Takes what a sum does not run over out of it, so that it is applied to the few results and not to every term.",
    numerics: "reassociates",
  },
  {
    name: "movement-algebra",
    title: "Push transposes together",
    summary:
      "Moves transposes through elementwise ops so that they meet and cancel, lets a window pad for itself, and leaves out rows before a product rather than behind it.",
    numerics: "bitwise",
    elsewhere: [ort("TransposeOptimizer", "PadFusion")],
  },
  {
    name: "saved-values",
    title: "Choose what the backward pass keeps",
    summary: "Keeps a value of the forward pass, makes it again, takes it back from a result, or keeps one bit of it.",
    numerics: "bitwise",
    elsewhere: [{ compiler: "AOTAutograd", names: ["min_cut_rematerialization_partition"] }],
  },
  {
    name: "tiles-again",
    title: "Make scores again, tile by tile",
    summary:
      "Makes the scores of attention once more inside the kernels of the backward pass, so that no matrix of them is kept.",
    numerics: "reassociates",
  },
  {
    name: "transpose-folding",
    title: "Fold transposes and views",
    summary: "Lets a reader walk a tensor in another order instead of writing a re-ordered copy first.",
    numerics: "bitwise",
    elsewhere: [ort("MatmulTransposeFusion"), xla("TransposeFolding")],
  },
  {
    name: "attention",
    title: "Attention in one kernel",
    summary: "Joins two products with the softmax between them: a running maximum and sum replace the stored rows.",
    numerics: "reassociates",
    elsewhere: [ort("AttentionFusion")],
  },
  {
    name: "contract-reduce",
    title: "Folding a product while it is made",
    summary: "Takes maxima and sums of a product tile by tile, so that the product itself is never stored.",
    numerics: "bitwise",
  },
  {
    name: "contraction-epilogue",
    title: "Finish products in registers",
    summary: "Applies bias, activation and the like to each tile of a product before it is stored.",
    numerics: "bitwise",
    elsewhere: [
      ort("ConvActivationFusion", "GemmActivationFusion", "MatMulAddFusion"),
      tensorRt("Conv + Bias + Act", "FC + Bias + Act"),
      inductor("template epilogue"),
    ],
  },
  {
    name: "row-picks",
    title: "Pick while the row goes by",
    summary:
      "Finds the element that an index names while its row is computed, so that the row is not stored to be read once.",
    numerics: "reassociates",
  },
  {
    name: "row-groups",
    title: "Walk each row once",
    summary:
      "Joins reductions with the values around them that belong to the same rows: softmax and LayerNorm become one kernel.",
    numerics: "bitwise",
    elsewhere: [
      ort("LayerNormFusion", "SimplifiedLayerNormFusion", "BiasSoftmaxFusion"),
      xla("SoftmaxRewriter"),
      inductor("persistent reduction"),
    ],
  },
  {
    name: "row-scale",
    title: "Scale rows of results",
    summary: "Applies what is the same for a whole row to the row's results: a normalised operand need not be stored.",
    numerics: "reassociates",
  },
  {
    name: "producer-consumer",
    title: "Producers into readers",
    summary: "Merges a producer into all of its readers or into none, the most profitable pair first.",
    numerics: "bitwise",
    elsewhere: [xla("PriorityFusion")],
  },
  {
    name: "multi-output",
    title: "Several outputs from one kernel",
    summary:
      "Lets a kernel store a shared value as a further output, and joins kernels that read the same large tensor, by rows or by columns.",
    numerics: "bitwise",
    elsewhere: [xla("MultiOutputFusion"), inductor("mix-order reduction")],
  },
  {
    name: "budget-split",
    title: "Split what is too large",
    summary: "Cuts a kernel that binds too many buffers or holds too many ops, where the fewest bytes have to cross.",
    numerics: "bitwise",
  },
];
