/** @file The example that is open; it opens the list of all. */
import { playground, selectExample, selectIsEdited, usePlayground } from "../state";
import { Icon } from "./Icon";

export function ExampleMenu() {
  const example = usePlayground(selectExample);
  const changed = usePlayground(selectIsEdited);
  const open = usePlayground((state) => state.dialog === "examples");
  const title = example?.title ?? "Untitled";
  return (
    <button
      type="button"
      className="pick"
      aria-haspopup="dialog"
      aria-expanded={open}
      aria-label={`Example: ${title}`}
      onClick={() => playground.getState().actions.openDialog("examples")}
    >
      <span className="pick-word">Example</span>
      <b>{title}</b>
      {changed && <span className="pick-changed">edited</span>}
      <Icon name="down" size={16} />
    </button>
  );
}
