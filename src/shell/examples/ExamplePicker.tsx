/** @file All examples by chapter: a field to narrow them, the chapters to jump to, the list. */
import { useEffect, useMemo, useRef, useState } from "react";
import { playground, usePlayground } from "../../state";
import { ExampleShelf, optionId } from "./ExampleShelf";
import {
  bestOf,
  entryId,
  exampleOf,
  idsOf,
  neighbourChapter,
  shelvesFor,
  startShelf,
  type Shelf,
} from "./example-shelves";
import { Icon } from "../../icons";
import "./example-picker.css";

/** Examples that are planned in one request. */
const COUNTED_AT_ONCE = 3;

interface Props {
  /** The example or variant that is open. */
  readonly shown: string | null;
  readonly onClose: () => void;
}

const scrollTo = (id: string | undefined, block: ScrollLogicalPosition): void => {
  if (id) document.getElementById(optionId(id))?.scrollIntoView({ block });
};

interface SearchProps {
  readonly words: string;
  readonly active: string | undefined;
  readonly onWords: (words: string) => void;
  /** By key: what each does in the list. */
  readonly moves: Readonly<Record<string, () => void>>;
}

function Search({ words, active, onWords, moves }: SearchProps) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <label className="picker-search">
      <Icon name="search" size={16} />
      <input
        ref={field}
        type="text"
        role="combobox"
        aria-label="Search examples"
        aria-expanded="true"
        aria-controls="picker-list"
        aria-activedescendant={active && optionId(active)}
        placeholder="Search examples"
        autoComplete="off"
        spellCheck={false}
        value={words}
        onChange={(event) => onWords(event.target.value)}
        onKeyDown={(event) => {
          const move = moves[event.key];
          if (!move) return;
          event.preventDefault();
          event.stopPropagation();
          move();
        }}
      />
    </label>
  );
}

interface ChaptersProps {
  readonly shelves: readonly Shelf[];
  readonly active: string | undefined;
  readonly onChoose: (id: string) => void;
}

function Chapters({ shelves, active, onChoose }: ChaptersProps) {
  return (
    <div className="picker-chapters" role="group" aria-label="Topics">
      {shelves.map((shelf) => (
        <button
          key={shelf.chapter.id}
          type="button"
          aria-current={idsOf([shelf]).some((id) => id === active)}
          title={shelf.chapter.sentence}
          onClick={() => onChoose(entryId(shelf.shown[0]!))}
        >
          {shelf.chapter.title}
        </button>
      ))}
    </div>
  );
}

export function ExamplePicker({ shown, onClose }: Props) {
  const [words, setWords] = useState("");
  const [wanted, setWanted] = useState(shown ?? "");
  const totals = usePlayground((state) => state.lessonTotals);
  const shelves = useMemo(() => {
    const found = shelvesFor(words, (id) => totals.get(id)?.level);
    return words.trim() === "" ? [startShelf, ...found] : found;
  }, [words, totals]);
  const ids = useMemo(() => idsOf(shelves), [shelves]);
  const at = Math.max(0, ids.indexOf(wanted));
  const active = ids[at];

  const sought = useRef<string | null | undefined>(shown);
  useEffect(() => {
    let open = true;
    const count = async (): Promise<void> => {
      // A few at a time: the planner must stay free for the program that is typed or opened meanwhile.
      const chapters = shelvesFor("").map((shelf) => idsOf([shelf]));
      // What is in sight first: the chapter of the open example, and what follows it.
      const from = Math.max(
        0,
        chapters.findIndex((each) => each.some((id) => id === sought.current)),
      );
      const wanted = [...chapters.slice(from), ...chapters.slice(0, from)].flat().filter((id) => !id.includes("/"));
      for (let i = 0; open && i < wanted.length; i += COUNTED_AT_ONCE)
        await playground.getState().actions.countLessons(wanted.slice(i, i + COUNTED_AT_ONCE));
    };
    void count();
    return () => void (open = false);
  }, []);

  // The list of other words is there only after they were drawn.
  useEffect(() => scrollTo(sought.current ?? undefined, "center"), [words]);

  const goTo = (id: string | null | undefined, block: ScrollLogicalPosition = "nearest"): void => {
    if (!id) return;
    setWanted(id);
    scrollTo(id, block);
  };
  const search = (next: string): void => {
    setWords(next);
    const best = next.trim() === "" ? shown : bestOf(shelvesFor(next), next);
    setWanted(best ?? "");
    sought.current = best;
  };
  const choose = (id: string | undefined): void => {
    if (!id) return;
    onClose();
    playground.getState().actions.openExample(exampleOf(id));
  };
  const moves = {
    ArrowDown: () => goTo(ids[at + 1]),
    ArrowUp: () => goTo(ids[at - 1]),
    PageDown: () => goTo(neighbourChapter(shelves, active, 1), "start"),
    PageUp: () => goTo(neighbourChapter(shelves, active, -1), "start"),
    Enter: () => choose(active),
  };
  return (
    <div className="picker" role="dialog" aria-label="Examples">
      <Search words={words} active={active} onWords={search} moves={moves} />
      <Chapters shelves={shelves} active={active} onChoose={(id) => goTo(id, "start")} />
      <div id="picker-list" className="picker-list" role="listbox" aria-label="Examples">
        {shelves.map((shelf) => (
          <ExampleShelf
            key={shelf.chapter.id}
            shelf={shelf}
            active={active}
            shown={shown}
            onHover={setWanted}
            onChoose={choose}
          />
        ))}
      </div>
      {shelves.length === 0 && (
        <p className="picker-none" role="status">
          No matching example.
        </p>
      )}
    </div>
  );
}
