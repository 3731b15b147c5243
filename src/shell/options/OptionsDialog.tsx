/** @file How the planner plans, in a drawer beside the graph that follows: everything here is part of the document and of its link. */
import { useEffect, useRef } from "react";
import { playground, usePlayground } from "../../state";
import { Icon } from "../../icons";
import { PassList } from "./PassList";
import { Planning } from "./Planning";
import { ProfileFields } from "./ProfileFields";
import "../dialogs/dialogs.css";
import "./options.css";

const close = (): void => playground.getState().actions.openDialog("none");

/** Shows the pass that was asked for, or the list of them. */
function useAbout(root: React.RefObject<HTMLElement | null>): void {
  const about = usePlayground((state) => state.dialogAbout);
  useEffect(() => {
    if (about === null) return;
    const row = root.current?.querySelector<HTMLElement>(`[data-pass="${CSS.escape(about)}"]`);
    const shown = row ?? root.current?.querySelector<HTMLElement>(".passes");
    shown?.scrollIntoView({ block: row ? "center" : "start" });
    row?.querySelector("input")?.focus({ preventScroll: true });
    row?.setAttribute("data-asked", "");
    return () => row?.removeAttribute("data-asked");
  }, [about, root]);
}

/** Not a choice of the document: how this page is used now. */
function PredictFirst() {
  const on = usePlayground((state) => state.predict);
  return (
    <label className="check option">
      <input type="checkbox" checked={on} onChange={() => playground.getState().actions.togglePredict()} />
      <span>
        Predict first: numbers, verdicts and reasons stay covered until you guess <kbd>G</kbd>
      </span>
    </label>
  );
}

export function OptionsDialog() {
  const root = useRef<HTMLElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    const drawer = root.current;
    drawer?.focus();
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      close();
    };
    drawer?.addEventListener("keydown", onKey);
    return () => {
      drawer?.removeEventListener("keydown", onKey);
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  useAbout(root);
  return (
    <aside ref={root} className="options-drawer" role="dialog" aria-label="Planning options" tabIndex={-1}>
      <header className="dialog-head">
        <h2>Planning options</h2>
        <button type="button" className="icon-button" aria-label="Close" title="Close (Esc)" onClick={close}>
          <Icon name="cross" size={18} />
        </button>
      </header>
      <p className="dialog-note">The plan changes at once. You can undo; shared links include these settings.</p>
      <PredictFirst />
      <Planning />
      <ProfileFields />
      <PassList />
    </aside>
  );
}
