/** @file Names of models, and the examples that are their parts: what people search for who do not know the op. */

/** Words in lower case; the examples as their ids, the nearest first. */
export const keywords: readonly { readonly words: readonly string[]; readonly examples: readonly string[] }[] = [
  {
    words: ["mlp", "feed forward", "ffn", "perceptron", "dense"],
    examples: ["linear-ln-gelu", "matmul-bias-relu", "dense-backward"],
  },
  { words: ["resnet", "cnn", "convnet"], examples: ["conv-bn-relu", "batch-norm"] },
  { words: ["unet", "u-net", "diffusion"], examples: ["conv-bn-relu", "swiglu"] },
  {
    words: ["transformer", "gpt", "bert", "llm"],
    examples: ["flash-attention", "layer-norm-gelu", "attention", "attention-backward", "linear-cross-entropy"],
  },
  { words: ["vit", "vision transformer"], examples: ["flash-attention", "layer-norm-gelu"] },
  { words: ["llama", "mistral"], examples: ["swiglu", "rms-norm", "attention"] },
];

/** The search words that lead to the example `id`, as one text. */
export const keywordsOf = (id: string): string =>
  keywords.flatMap(({ words, examples }) => (examples.includes(id) ? words : [])).join(" ");
