/** @file The example that is open, and the list of all. */
import { examples } from "../lessons";
import { playground, selectExample, usePlayground } from "../state";
import { Icon } from "./Icon";
import { Menu } from "./Menu";

export function ExampleMenu() {
  const example = usePlayground(selectExample);
  const changed = usePlayground((state) => example !== null && state.document.text !== example.text);
  const title = example?.title ?? "Your own";
  return (
    <Menu
      className="pick"
      name={`Example: ${title}`}
      label={
        <>
          <span className="pick-word">Example</span>
          <b>{title}</b>
          {changed && <span className="pick-changed">edited</span>}
          <Icon name="down" size={16} />
        </>
      }
    >
      {examples.map(({ id, title: name, sentence }) => (
        <button
          key={id}
          type="button"
          role="menuitemradio"
          aria-checked={id === example?.id}
          tabIndex={-1}
          className="menu-item"
          onClick={() => playground.getState().actions.openExample(id)}
        >
          <b>{name}</b>
          <span>{sentence}</span>
        </button>
      ))}
    </Menu>
  );
}
