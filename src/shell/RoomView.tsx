/** @file The frame of a page for a class: its bar, the other pages, and the way back to the playground. */
import { BoardPage, CheckPage, TeachPage } from "../room";
import { playground, usePlayground, type Page } from "../state";
import { Icon } from "../icons";
import { LogoMenu } from "./LogoMenu";
import "./room-view.css";

const pages: readonly { readonly page: Page; readonly title: string; readonly short: string }[] = [
  { page: "check", title: "Check this laptop", short: "Check" },
  { page: "board", title: "Class board", short: "Board" },
  { page: "teach", title: "For teachers", short: "Teachers" },
];

/** A label, and the word of it that a phone has room for. */
function Short({ title, short }: { readonly title: string; readonly short: string }) {
  return (
    <>
      <span className="room-long">{title}</span>
      <span className="room-short">{short}</span>
    </>
  );
}

export function RoomView() {
  const page = usePlayground((state) => state.page);
  const other = usePlayground((state) => (state.shownTheme === "dark" ? "light" : "dark"));
  const { actions } = playground.getState();
  return (
    <>
      <header className="top room-bar" data-pane="top" tabIndex={-1}>
        <LogoMenu withName />
        <nav aria-label="Pages for a class">
          {pages.map(({ page: each, title, short }) => (
            <button
              key={each}
              type="button"
              className="top-button"
              aria-label={title}
              aria-current={each === page ? "page" : undefined}
              onClick={() => actions.showPage(each)}
            >
              <Short title={title} short={short} />
            </button>
          ))}
        </nav>
        <span className="grow" />
        <button type="button" className="top-button" onClick={() => actions.openDialog("course")}>
          <Icon name="lessons" size={16} />
          Lessons
        </button>
        <button
          type="button"
          className="icon-button"
          aria-label={`Switch to the ${other} theme`}
          title={`Switch to the ${other} theme`}
          onClick={() => actions.setTheme(other)}
        >
          <Icon name="theme" size={18} />
        </button>
        <button
          type="button"
          className="plain"
          aria-label="To the playground"
          onClick={() => actions.showPage("playground")}
        >
          <Short title="To the playground" short="Playground" />
        </button>
      </header>
      <main className="room-view">
        {page === "check" && <CheckPage />}
        {page === "board" && <BoardPage />}
        {page === "teach" && <TeachPage />}
      </main>
    </>
  );
}
