/** @file Find or do: one field over every command, op, kernel, example and lesson. */
import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from "react";
import { playground, usePlayground } from "../../state";
import { Dialog } from "./Dialog";
import { entriesOf, found, type Entry } from "./find-entries";
import { takeKeyBuffer } from "../key-buffer";

function choose(entry: Entry | undefined): void {
  if (!entry) return;
  // Closed first: the entry may open another dialog.
  playground.getState().actions.openDialog("none");
  entry.run(playground.getState());
}

function Choice({ entry, chosen, onHover }: { entry: Entry; chosen: boolean; onHover: () => void }) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (chosen) element.current?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  return (
    <div
      ref={element}
      id={`find-${entry.id}`}
      role="option"
      aria-selected={chosen}
      tabIndex={-1}
      className="find-entry"
      onPointerMove={onHover}
      onClick={() => choose(entry)}
      onKeyDown={undefined}
    >
      <b>{entry.title}</b>
      <span className="find-detail">{entry.detail}</span>
      <span className="find-kind">{entry.kind}</span>
    </div>
  );
}

export function FindDialog() {
  const [words, setWords] = useState(takeKeyBuffer);
  const [at, setAt] = useState(0);
  // A plan that comes while the field is open brings its steps, kernels and ops along.
  const derived = usePlayground((state) => state.derived);
  const entries = useMemo(() => entriesOf({ ...playground.getState(), derived }), [derived]);
  const list = useMemo(() => found(entries, words), [entries, words]);
  const chosen = list[Math.min(at, list.length - 1)];
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = { ArrowDown: at + 1, ArrowUp: at - 1 }[event.key];
    if (next !== undefined) {
      event.preventDefault();
      setAt(Math.min(Math.max(next, 0), list.length - 1));
    } else if (event.key === "Enter") {
      event.preventDefault();
      event.stopPropagation();
      choose(chosen);
    }
  };
  return (
    <Dialog title="Find or do" bare>
      <input
        className="find-field"
        type="text"
        role="combobox"
        aria-label="Find or do"
        aria-expanded="true"
        aria-controls="find-list"
        aria-activedescendant={chosen && `find-${chosen.id}`}
        placeholder="Find an op, kernel, example or lesson, or do something"
        autoComplete="off"
        spellCheck={false}
        value={words}
        onChange={(event) => {
          setWords(event.target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id="find-list" role="listbox" aria-label="Found" className="find-list">
        {list.map((entry, i) => (
          <Choice key={entry.id} entry={entry} chosen={entry === chosen} onHover={() => setAt(i)} />
        ))}
      </div>
      {list.length === 0 && <p className="find-none">No match.</p>}
    </Dialog>
  );
}
