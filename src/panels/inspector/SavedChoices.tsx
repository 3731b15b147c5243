/** @file What is done about each value that the backward pass reads. */
import type { SavedValue } from "../../fusion";
import { choiceWords, isChoice } from "../../picture";
import { playground } from "../../state";
import { showBytes } from "../model/units";

function ValueRow({ value }: { readonly value: SavedValue }) {
  const { node, label, bytes, offers, choice } = value;
  const { actions } = playground.getState();
  return (
    <tr>
      <th scope="row">
        <button type="button" className="link" onClick={() => actions.select({ kind: "node", id: node })}>
          <code>{label}</code>
        </button>{" "}
        {node !== label && <small>{node}</small>}
      </th>
      <td>{showBytes(bytes)}</td>
      <td>
        <select
          aria-label={`Choice for ${label}`}
          value={choice ?? ""}
          onChange={({ target }) => actions.chooseSaved(node, isChoice(target.value) ? target.value : null)}
        >
          <option value="">by policy</option>
          {offers.map((offer) => (
            <option key={offer} value={offer}>
              {choiceWords[offer]}
            </option>
          ))}
        </select>
      </td>
    </tr>
  );
}

export function SavedChoices({ values }: { readonly values: readonly SavedValue[] }) {
  if (values.length === 0) return <p className="traffic-note">The backward pass reads only inputs.</p>;
  return (
    <table className="saved-values">
      <caption>Values that it reads</caption>
      <tbody>
        {values.map((value) => (
          <ValueRow key={value.node} value={value} />
        ))}
      </tbody>
    </table>
  );
}
