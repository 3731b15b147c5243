/** @file The menu under the mark: what has no button of its own at this width. */
import { findCommand, playground, showKey, type Command } from "../state";
import { Mark } from "./Mark";
import { Menu } from "./Menu";

const listed = [
  "course",
  "check",
  "board",
  "teach",
  "find",
  "new",
  "earlier",
  "share",
  "options",
  "theme",
  "compare",
  "race",
  "inside",
  "presenter",
  "predict",
  "undo",
  "redo",
  "notes",
  "tour",
  "keys",
]
  .map((id) => findCommand(id))
  .filter((command): command is Command => command !== null);

export function LogoMenu({ withName }: { readonly withName: boolean }) {
  return (
    <Menu
      className="brand"
      name="Fusion Playground, menu"
      label={
        <>
          <Mark />
          {withName && <span>Fusion Playground</span>}
        </>
      }
    >
      {listed.map((command) => (
        <button
          key={command.id}
          type="button"
          role="menuitem"
          tabIndex={-1}
          className="menu-item menu-line"
          onClick={() => {
            const state = playground.getState();
            if (command.when?.(state) ?? true) command.run(state);
          }}
        >
          {command.title}
          {command.keys[0] && <kbd>{showKey(command.keys[0])}</kbd>}
        </button>
      ))}
    </Menu>
  );
}
