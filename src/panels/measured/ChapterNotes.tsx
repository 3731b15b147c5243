/** @file What the chapter prints about the program that is shown, beside the count. */
import { useMemo } from "react";
import { usePlayground } from "../../state";
import { Icon } from "../../icons";
import { chapterNotes, type ChapterNote, type Mark } from "../model/notes/chapter-rows";
import { InlineCode } from "../InlineCode";
import "./chapter-notes.css";
import type { Curve } from "../model/notes/gelu-forms";
import { curvePath } from "../model/notes/curve-path";
import { scientific, significant } from "../model/units";

const markWords: Readonly<Record<Mark, string>> = {
  right: "Right as printed: ",
  differs: "Counted differently: ",
  quoted: "Quoted: ",
};

function MarkSign({ mark }: { readonly mark: Mark }) {
  return (
    <span className="chapter-mark" data-mark={mark}>
      <span className="offscreen">{markWords[mark]}</span>
      {mark === "right" ? <Icon name="check" size={14} /> : <span aria-hidden>{mark === "differs" ? "≠" : "“"}</span>}
    </span>
  );
}

function Notes({ notes }: { readonly notes: readonly ChapterNote[] }) {
  return (
    <ul className="chapter-notes">
      {notes.map(({ row, mark, text, curve }) => (
        <li key={row} title={`Lecture notes on fusion, part ${row.slice(0, 3)}, item ${Number(row.slice(4))}`}>
          <MarkSign mark={mark} />
          <span>
            <InlineCode text={text} />
            {curve && <CurvePlot curve={curve} />}
          </span>
        </li>
      ))}
    </ul>
  );
}

export function ChapterNotes() {
  const compilation = usePlayground((state) => state.derived.compilation);
  const example = usePlayground((state) => state.document.example);
  const notes = useMemo(() => (compilation ? chapterNotes(compilation, example) : []), [compilation, example]);
  if (notes.length === 0) return null;
  return (
    <details className="measured-block">
      <summary>Compared with lecture notes</summary>
      <Notes notes={notes} />
    </details>
  );
}

const SIZE = { width: 300, height: 64 };

/** A curve over one variable: the line, zero, both ends of the axis, and the largest value where it is. */
function CurvePlot({ curve }: { readonly curve: Curve }) {
  const { title, least, most } = curve;
  const { path, zero, peak } = curvePath(curve, SIZE.width, SIZE.height);
  const words = `${title}, from ${least} to ${most}: at most ${scientific(Math.abs(peak.value))}, at ${significant(peak.at)}`;
  return (
    <figure className="curve">
      <svg viewBox={`0 0 ${SIZE.width} ${SIZE.height}`} role="img" aria-label={words}>
        <line x1={0} x2={SIZE.width} y1={zero} y2={zero} />
        <path d={path} />
        <circle cx={peak.x} cy={peak.y} r={3} />
      </svg>
      <figcaption>
        <span>{least}</span>
        <span>
          {title}, {scientific(peak.value)} at x = {significant(peak.at)}
        </span>
        <span>{most}</span>
      </figcaption>
    </figure>
  );
}
