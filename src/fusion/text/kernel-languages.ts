/** @file Pasted kernels: Triton, CUDA and shaders say how one thread computes; a program here says what is computed. */
import type { Span } from "../ir";

interface Language {
  readonly name: string;
  /** What only this language has. */
  readonly signs: RegExp;
}

const LANGUAGES: readonly Language[] = [
  { name: "a Triton kernel", signs: /@triton\.jit|\btl\.(?:program_id|load|store)\s*\(/ },
  { name: "a CUDA kernel", signs: /\b__global__\b|\b(?:threadIdx|blockIdx)\.[xyz]\b/ },
  { name: "a WGSL shader", signs: /@compute\b|@group\(\d+\)\s*@binding/ },
  { name: "a Metal kernel", signs: /\[\[\s*thread_position_in_grid\s*\]\]/ },
];

/** The kernel that `text` is, where it begins, and what to write instead; null of a program. */
export function pastedKernel(text: string): { readonly span: Span; readonly text: string } | null {
  for (const { name, signs } of LANGUAGES) {
    const found = signs.exec(text);
    if (!found) continue;
    return {
      span: { from: found.index, to: found.index + found[0].length },
      text: `This is ${name}, not a tensor program. Write what it computes with tensors, such as y = softmax(x); the playground generates the kernels.`,
    };
  }
  return null;
}
