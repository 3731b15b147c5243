/** @file What the chapter prints about the program that is shown, beside the count. */
import { useMemo } from "react";
import { usePlayground } from "../../state";
import { Icon } from "../Icon";
import { chapterNotes, type ChapterNote, type Mark } from "../model/chapter-rows";
import { InlineCode } from "../InlineCode";
import { CurvePlot } from "./CurvePlot";
import "./chapter-notes.css";

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
