/** @file A sentence of the compiler: names in backticks are set as code, terms are explained once the glossary is there. */
import { lazyModule } from "../state";

const useGlossary = lazyModule(() => import("../terms"));

export function InlineCode({ text }: { readonly text: string }) {
  const glossary = useGlossary();
  if (glossary) return <glossary.Explained text={text} />;
  return text.split(/`([^`]*)`/).map((part, i) => (i % 2 === 1 ? <code key={i}>{part}</code> : part));
}
