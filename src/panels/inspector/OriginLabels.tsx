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
  /** px of the whole editor. */
  readonly width: number;
  readonly endOf: (line: number) => LineEnd | null;
}

/** The end of a line's last row, px from the editor's upper left corner. */
export interface LineEnd {
  readonly left: number;
  readonly top: number;
}

/** px that a letter of a 12 px label takes, generously, and what stays free around it. */
const [LETTER, AROUND] = [6.8, 26];

export function OriginLabels({ colour, visible, notes, folded, linked, width, endOf }: Props) {
  const byLine = new Map(notes.map((note) => [note.line, note]));
  const shown = new Set(visible.lines.map(({ line }) => line));
  const rows = (line: number, top: number): number => {
    const end = endOf(line);
    return end ? Math.max(1, Math.round((end.top - top) / visible.lineHeight) + 1) : 1;
  };
  const foldTop = folded && !shown.has(folded.line + 1) ? visible.lines.find(({ line }) => line === folded.line) : null;
  return (
    <div className="wgsl-labels" aria-hidden="true">
      {foldTop && folded && (
        <span
          className="wgsl-fold"
          style={{
            top: foldTop.top,
            left: visible.contentLeft - 4,
            height: rows(foldTop.line, foldTop.top) * visible.lineHeight,
          }}
        >
          <b>{folded.label}</b>
        </span>
      )}
      {visible.lines.map(({ line }) => {
        const note = byLine.get(line);
        const end = note ? endOf(line) : null;
        // Code goes before its label: a line without room for both keeps its coloured margin.
        const fits = note && end && end.left + note.label.length * LETTER + AROUND <= width;
        return fits ? (
          <em key={line} style={{ top: end.top }} className={linked.has(line) ? `linked k${colour}` : undefined}>
            {note.label}
          </em>
        ) : null;
      })}
    </div>
  );
}
