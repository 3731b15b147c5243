/** @file The bar at the top: name, example, size, undo, redo; find, share, theme, help; Run. */
import { playground, trains, usePlayground, type PlaygroundState } from "../state";
import { ExampleMenu } from "./ExampleMenu";
import { Icon, ThemeIcon } from "./Icon";
import { LogoMenu } from "./LogoMenu";
import { RunButton } from "./RunButton";
import { SizeChoice } from "./SizeChoice";
import type { PageLayout } from "./use-page-layout";

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
        <Icon name="undo" />
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
          <Icon name="redo" />
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
      <ThemeIcon />
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
      {layout === "wide" && (
        <button type="button" className="top-button" onClick={open("find")}>
          <Icon name="find" size={16} />
          Find or do <kbd>Ctrl K</kbd>
        </button>
      )}
      {!narrow && (
        <>
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
            <Icon name="link" />
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
            <Icon name="help" />
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
