/** @file A sentence of the compiler: names in backticks are set as code. */

export function InlineCode({ text }: { readonly text: string }) {
  return text.split(/`([^`]*)`/).map((part, i) => (i % 2 === 1 ? <code key={i}>{part}</code> : part));
}
