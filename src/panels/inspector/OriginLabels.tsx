/** @file At the ends of the lines: which op a line came from, what leaves to memory, what is folded. */
import type { VisibleLines } from "../../monaco";
import type { LineNote } from "../model/kernels";

interface Props {
  /** 1 to 6: the kernel's colour, under the labels of linked lines. */
  readonly colour: number;
  readonly visible: VisibleLines;
  readonly notes: readonly LineNote[];
  /** Said at the first binding line while the others are folded. */
  readonly folded: LineNote | null;
  readonly linked: ReadonlySet<number>;
}

export function OriginLabels({ colour, visible, notes, folded, linked }: Props) {
  const byLine = new Map(notes.map((note) => [note.line, note]));
  const shown = new Set(visible.lines.map(({ line }) => line));
  const foldTop = folded && !shown.has(folded.line + 1) ? visible.lines.find(({ line }) => line === folded.line) : null;
  return (
    <div className="wgsl-labels" aria-hidden="true">
      {foldTop && folded && (
        <span className="wgsl-fold" style={{ top: foldTop.top, left: visible.contentLeft - 4 }}>
          <b>{folded.label}</b>
        </span>
      )}
      {visible.lines.map(({ line, top }) => {
        const note = byLine.get(line);
        return note ? (
          <em key={line} style={{ top }} className={linked.has(line) ? `linked k${colour}` : undefined}>
            {note.label}
          </em>
        ) : null;
      })}
    </div>
  );
}
