/** @file The bar at the top: name, example, size, undo, redo; find, share, theme, help; Run. */
import {
  playground,
  trains,
  usePlayground,
  type PlaygroundState,
  selectOpenExample,
  selectTitle,
  selectIsEdited,
  selectIsEmpty,
  selectNaivePeak,
  selectSize,
} from "../state";
import { Icon } from "../icons";
import { LogoMenu } from "./LogoMenu";
import { RunButton } from "./RunButton";
import type { PageLayout } from "./use-page-layout";
import { useState } from "react";
import { showBytes } from "../panels";

const actions = (): PlaygroundState["actions"] => playground.getState().actions;
const open = (dialog: PlaygroundState["dialog"]) => (): void => actions().openDialog(dialog);

function UndoRedo({ withRedo }: { readonly withRedo: boolean }) {
  const canUndo = usePlayground((state) => state.canUndo);
  const canRedo = usePlayground((state) => state.canRedo);
  return (
    <>
      <button
        type="button"
        className="icon-button"
        aria-label="Undo"
        title="Undo (Ctrl Z)"
        aria-disabled={!canUndo}
        onClick={() => actions().undo()}
      >
        <Icon name="undo" size={18} />
      </button>
      {withRedo && (
        <button
          type="button"
          className="icon-button"
          aria-label="Redo"
          title="Redo (Ctrl Shift Z)"
          aria-disabled={!canRedo}
          onClick={() => actions().redo()}
        >
          <Icon name="redo" size={18} />
        </button>
      )}
    </>
  );
}

function ThemeButton() {
  const shown = usePlayground((state) => state.shownTheme);
  const other = shown === "dark" ? "light" : "dark";
  return (
    <button
      type="button"
      className="icon-button"
      aria-label={`Switch to the ${other} theme`}
      title={`Switch to the ${other} theme`}
      onClick={() => actions().setTheme(other)}
    >
      <Icon name="theme" size={18} />
    </button>
  );
}

export function TopBar({ layout }: { readonly layout: PageLayout }) {
  const narrow = layout === "narrow";
  const training = usePlayground(trains);
  return (
    <header className="top" data-pane="top" tabIndex={-1}>
      <h1 className="offscreen">Fusion Playground</h1>
      <LogoMenu withName={!narrow} />
      <ExampleMenu />
      {!narrow && <SizeChoice />}
      <UndoRedo withRedo={!narrow} />
      <span className="grow" />
      {!narrow && (
        <>
          <button type="button" className="top-button find" title="Find or do (Ctrl K)" onClick={open("find")}>
            <Icon name="search" size={16} />
            <span>
              Find or do <kbd>Ctrl K</kbd>
            </span>
          </button>
          {layout === "wide" && (
            <button type="button" className="top-button" onClick={open("course")}>
              <Icon name="lessons" size={16} />
              Lessons
            </button>
          )}
          <button type="button" className="top-button" onClick={open("options")}>
            <Icon name="options" size={16} />
            Options
          </button>
          <button type="button" className="top-button" onClick={open("share")}>
            <Icon name="link" size={18} />
            Share
          </button>
          <ThemeButton />
          <button
            type="button"
            className="icon-button"
            aria-label="Keys and help"
            title="Keys and help (?)"
            onClick={open("keys")}
          >
            <Icon name="help" size={18} />
          </button>
          <span className="top-separator" />
        </>
      )}
      {training && (
        <button type="button" className="top-button" onClick={open("train")}>
          {!narrow && <Icon name="falling" size={16} />}
          Train
        </button>
      )}
      <RunButton short={narrow} />
    </header>
  );
}

const UNTITLED = "Untitled";

/** The lesson that is read replaces the example. */
function LessonMenu({ kind, title }: { readonly kind: string; readonly title: string }) {
  const open = usePlayground((state) => state.dialog === "course");
  return (
    <button
      type="button"
      className="pick"
      aria-haspopup="dialog"
      aria-expanded={open}
      aria-label={`${kind}: ${title}`}
      title={title}
      onClick={() => playground.getState().actions.openDialog("course")}
    >
      <span className="pick-word">{kind}</span>
      <b>{title}</b>
      <Icon name="down" size={16} />
    </button>
  );
}

/** The example that is open; it opens the list of all. */
function ExampleMenu() {
  const changed = usePlayground(selectIsEdited);
  const open = usePlayground((state) => state.dialog === "examples");
  const title = usePlayground(selectTitle) ?? UNTITLED;
  const lesson = usePlayground((state) => state.lesson?.content ?? null);
  const isExample = usePlayground((state) => selectOpenExample(state) !== null);
  const word = isExample ? "Example" : "Program";
  if (lesson) return <LessonMenu kind={lesson.kind === "puzzle" ? "Puzzle" : "Lesson"} title={lesson.title} />;
  return (
    <button
      type="button"
      className="pick"
      aria-haspopup="dialog"
      aria-expanded={open}
      aria-label={`${word}: ${title}`}
      title={title}
      onClick={() => playground.getState().actions.openDialog("examples")}
    >
      <span className="pick-word">{word}</span>
      <b>{title}</b>
      {changed && isExample && <span className="pick-changed">edited</span>}
      <Icon name="down" size={16} />
    </button>
  );
}

const sizes = ["S", "M", "L"] as const;

/** The example's size, with the memory that its naive plan needs at its peak. */
function SizeChoice() {
  const example = usePlayground(selectOpenExample);
  const written = usePlayground(selectSize);
  // Chosen at once, though the text is rewritten a moment later.
  const [asked, setAsked] = useState<(typeof sizes)[number] | null>(null);
  const size = asked ?? written;
  const peak = usePlayground(selectNaivePeak);
  const stale = usePlayground((state) => state.derived.status === "broken" || selectIsEmpty(state));
  if (!example?.sizes) return null;
  const { name } = example.sizes;
  return (
    <fieldset className="sizes" aria-label="Size">
      <span className="sizes-name" aria-hidden="true">
        Size
      </span>
      {sizes.map((choice) => (
        <label key={choice} className="size" title={`${name} = ${example.sizes?.[choice]}`}>
          <input
            type="radio"
            name="size"
            checked={choice === size}
            onChange={() => {
              setAsked(choice);
              void playground
                .getState()
                .actions.setSize(choice)
                .then(() => setAsked(null));
            }}
          />
          <span>{choice}</span>
        </label>
      ))}
      {peak !== null && !stale && <span className="size-peak">naive peak {showBytes(peak)}</span>}
    </fieldset>
  );
}
