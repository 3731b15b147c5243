/** @file Side notes: all of them at the left, the chosen one at the right. */
import { useEffect, useRef } from "react";
import { findNote, noteKinds, notes, type Note } from "../../lessons";
import { playground, usePlayground } from "../../state";
import { Dialog } from "../dialogs/Dialog";
import { NoteText } from "./NoteText";
import "./notes.css";

const open = (id: string): void => playground.getState().actions.openNote(id);

/** Questions are counted: people speak of the fourth. */
const titleOf = (note: Note, index: number): string =>
  note.kind === "question" ? `${index + 1}. ${note.title}` : note.title;

function Shelf({ kind, title, chosen }: (typeof noteKinds)[number] & { readonly chosen: Note }) {
  return (
    <section>
      <h3>{title}</h3>
      {notes
        .filter((note) => note.kind === kind)
        .map((note, i) => (
          <button
            key={note.id}
            type="button"
            aria-current={note === chosen ? "true" : undefined}
            onClick={() => open(note.id)}
          >
            {titleOf(note, i)}
          </button>
        ))}
    </section>
  );
}

/** Scrolls the list to the chosen note; where the list lies below the note, the dialog to its title. */
function showChosen(list: HTMLElement): void {
  const [around, own] = [list, list.querySelector("[aria-current]")!].map((each) => each.getBoundingClientRect());
  list.scrollTop += Math.min(0, own!.top - around!.top) + Math.max(0, own!.bottom - around!.bottom);
  list.closest("dialog")!.scrollTop = 0;
}

export function NotesDialog() {
  const chosen = usePlayground((state) => findNote(state.note)) ?? notes[0]!;
  const list = useRef<HTMLElement>(null);
  useEffect(() => showChosen(list.current!), [chosen]);
  return (
    <Dialog title="Notes" size="widest">
      <div className="notes">
        <nav ref={list} className="notes-list" aria-label="Notes">
          {noteKinds.map((shelf) => (
            <Shelf key={shelf.kind} {...shelf} chosen={chosen} />
          ))}
        </nav>
        <NoteText key={chosen.id} note={chosen} />
      </div>
    </Dialog>
  );
}
