/** @file The small sign of an op's kind, 16 by 16. */
import { glyphOutlines, type Glyph as GlyphName } from "../../../picture";

export function Glyph({ name }: { readonly name: GlyphName }) {
  return (
    <svg className="op-glyph" data-glyph={name} width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
      <path d={glyphOutlines[name]} />
    </svg>
  );
}
