/** @file One pass of the list: its number, its switch, what it does, when it runs. */
import { switchesOf, type Level, type PassEntry } from "../../fusion";
import { Icon } from "../../icons";

interface Props {
  readonly pass: PassEntry;
  readonly index: number;
  readonly on: boolean;
  /** The level from which it runs, when that is above the chosen one. */
  readonly from: Level | null;
  /** Where a dragged pass would land, seen from this one. */
  readonly drop: "before" | "after" | undefined;
  readonly onToggle: () => void;
  /** What is switched off: passes, and single rules of them. */
  readonly disabled: readonly string[];
  readonly onRules: (switches: readonly string[], on: boolean) => void;
  readonly onShift: (by: 1 | -1) => void;
}

/** Rules that another compiler has by a name of its own, each with a switch. */
function Rules({ pass, on, disabled, onRules }: Pick<Props, "pass" | "on" | "disabled" | "onRules">) {
  return (
    <p className="pass-rules">
      {pass.rules?.[0]?.compiler}:
      {pass.rules?.map((rule) => {
        const switches = switchesOf(pass.name, rule);
        const isOn = on && !switches.some((each) => disabled.includes(each));
        return (
          <label className="check" key={rule.name}>
            <input type="checkbox" checked={isOn} disabled={!on} onChange={() => onRules(switches, !isOn)} />
            {rule.name}
          </label>
        );
      })}
    </p>
  );
}

export function PassRow({ pass, index, on, from, drop, disabled, onToggle, onRules, onShift }: Props) {
  const { name, title, summary, numerics, elsewhere } = pass;
  return (
    <li
      className="pass-row"
      data-pass={name}
      data-index={index}
      data-idle={!on || from !== null}
      data-drop={drop}
      draggable
    >
      <span className="pass-number">{index + 1}</span>
      <label className="check">
        <input type="checkbox" checked={on} onChange={onToggle} />
        <b>{title}</b>
      </label>
      <span className="pass-tags">
        {numerics === "reassociates" && <span title="Strict mode skips this pass.">may change rounding</span>}
        {from !== null && <span>level {from}</span>}
      </span>
      <span className="pass-moves">
        <button type="button" className="icon-button" aria-label={`Move ${title} up`} onClick={() => onShift(-1)}>
          <Icon name="up" size={16} />
        </button>
        <button type="button" className="icon-button" aria-label={`Move ${title} down`} onClick={() => onShift(1)}>
          <Icon name="down" size={16} />
        </button>
      </span>
      <p>{summary}</p>
      {pass.rules && <Rules pass={pass} on={on} disabled={disabled} onRules={onRules} />}
      {elsewhere && (
        <p className="pass-elsewhere">
          {elsewhere.map(({ compiler, names }) => `${compiler}: ${names.join(", ")}`).join(" · ")}
        </p>
      )}
    </li>
  );
}
