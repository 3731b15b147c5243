/** @file Names of models, and the examples that are their parts: what people search for who do not know the op. */

/** Words in lower case; the examples as their ids, the nearest first. */
export const keywords: readonly { readonly words: readonly string[]; readonly examples: readonly string[] }[] = [
  {
    words: ["mlp", "feed forward", "ffn", "perceptron", "dense"],
    examples: ["mlp", "linear-ln-gelu", "matmul-bias-relu", "dense-backward"],
  },
  { words: ["resnet", "cnn", "convnet"], examples: ["resnet-block", "conv-bn-relu", "batch-norm"] },
  { words: ["unet", "u-net", "diffusion"], examples: ["unet-block", "conv-bn-relu"] },
  {
    words: ["transformer", "gpt", "bert", "llm"],
    examples: ["gpt-block", "llama-block", "flash-attention", "layer-norm-gelu", "attention", "linear-cross-entropy"],
  },
  { words: ["vit", "vision transformer"], examples: ["vit-block", "flash-attention"] },
  { words: ["llama", "mistral"], examples: ["llama-block", "swiglu", "rms-norm", "attention"] },
];

/** The search words that lead to the example `id`. */
export const keywordsOf = (id: string): readonly string[] =>
  keywords.flatMap(({ words, examples }) => (examples.includes(id) ? words : []));
