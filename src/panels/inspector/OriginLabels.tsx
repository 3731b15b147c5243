/** @file At the ends of the lines: which op a line came from, what leaves to memory, what is folded. */
import type { VisibleLines } from "../../monaco";
import type { LineNote } from "../model/kernels";

interface Props {
  /** 1 to 6: the kernel's colour, under the labels of linked lines. */
  readonly colour: number;
  readonly visible: VisibleLines;
  readonly notes: readonly LineNote[];
  /** Said at the first line of a fold while the others are hidden. */
  readonly folded: readonly LineNote[];
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
  const closed = folded.flatMap((fold) => {
    const at = shown.has(fold.line + 1) ? undefined : visible.lines.find(({ line }) => line === fold.line);
    return at ? [{ ...fold, top: at.top }] : [];
  });
  return (
    <div className="wgsl-labels" aria-hidden="true">
      {closed.map(({ line, top, label }) => (
        <span
          key={line}
          className="wgsl-fold"
          style={{ top, left: visible.contentLeft - 4, height: rows(line, top) * visible.lineHeight }}
        >
          <b>{label}</b>
        </span>
      ))}
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
