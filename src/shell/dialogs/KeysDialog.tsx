/** @file The sheet of all keys, drawn from the registry. */
import { commands, playground, showKey, usePlayground, type Command } from "../../state";
import { Dialog } from "./Dialog";

const groups = [...new Set(commands.map(({ group }) => group))];

function Row({ command }: { readonly command: Command }) {
  return (
    <div className="keys-row">
      <dt>
        {command.keys.map((key) => (
          <kbd key={showKey(key)}>{showKey(key)}</kbd>
        ))}
      </dt>
      <dd>{command.title}</dd>
    </div>
  );
}

export function KeysDialog() {
  const letterKeys = usePlayground((state) => state.letterKeys);
  return (
    <Dialog title="All keys" size="wide">
      <p className="dialog-note">
        A thick line is a transfer through memory. Step through the decisions and watch thick lines become thin. In the
        graph, arrow keys follow edges; in the editor, Ctrl M lets Tab go to the next part.
      </p>
      <div className="keys-groups">
        {groups.map((group) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl>
              {commands
                .filter((command) => command.group === group && command.keys.length > 0)
                .map((command) => (
                  <Row key={command.id} command={command} />
                ))}
            </dl>
          </section>
        ))}
      </div>
      <label className="check">
        <input
          type="checkbox"
          checked={letterKeys}
          onChange={(event) => playground.getState().actions.setLetterKeys(event.target.checked)}
        />
        Single-letter keys work
      </label>
    </Dialog>
  );
}
