import { buildAttention, checkAttention } from "../attention";
import { composite, optional } from "../compose";
import { number, tensor } from "../families";

export const scaledDotProductAttention = composite({
  name: "scaled_dot_product_attention",
  aliases: ["sdpa"],
  doc: {
    formula: "softmax(q · kᵀ · scale + mask) · v",
    teaches:
      "A running maximum and sum are enough for the softmax between both matmuls, so the scores are never stored.",
  },
  params: [
    tensor(["query", "q"], "Heads × queries × numbers."),
    tensor(["key", "k"], "Heads × keys × numbers; fewer heads are shared by groups of query heads."),
    tensor(["value", "v"], "One row for each key."),
    optional(
      ["attn_mask", "mask", "bias"],
      "bool: true lets a key be seen. Numbers are added to the scores; −∞ hides a key.",
    ),
    number("dropout_p", 0, "Fraction of the weights that is dropped."),
    { names: ["is_causal", "causal"], kind: "bool", default: false, doc: "A query sees keys up to its own position." },
    { names: ["scale"], kind: "float", default: null, doc: "1/√d when left out." },
    { names: ["enable_gqa"], kind: "bool", default: true, doc: "Shared heads follow from the shapes." },
    number("softcap", 0, "Scores are limited smoothly to this size: softcap · tanh(score / softcap)."),
    { names: ["window"], kind: "int", default: null, doc: "A query sees only this many keys, up to its own position." },
    { names: ["causal_offset"], kind: "int", default: 0, doc: "Keys that come before the first query." },
  ],
  check: checkAttention,
  nonDifferentiable: ["peak"],
  build: buildAttention,
});
