/** @file One knob: what it stands at, what else it could be, why not the rest, and a button that times them all. */
import { ownEntry } from "../../../fusion";
import type { KnobOffer, NodeId, RegionId } from "../../../fusion";
import { playground, usePlayground } from "../../../state";
import { knobSentence, knobTitle, refusalsOf, valueWords } from "../../model/kernel/knobs";

interface Props {
  readonly offer: KnobOffer;
  /** What this kernel's choices are stored under. */
  readonly output: NodeId;
  /** Choose for every kernel of the program. */
  readonly every: boolean;
  readonly region: RegionId;
  /** Each of a thread's elements is four neighbours. */
  readonly fours: boolean;
}

/** Why some values can't be chosen: said to who asks, since nobody has chosen them. */
function Refusals({ offer, words }: { readonly offer: KnobOffer; readonly words: (value: string) => string }) {
  const refusals = refusalsOf(offer);
  if (refusals.length === 0) return null;
  const quoted = (text: string): string => (text.includes(",") ? `“${text}”` : text);
  const refused = offer.values.flatMap(({ value, refusal }) => (refusal ? [quoted(words(value))] : []));
  return (
    <details className="knob-refusals">
      <summary>{refused.length > 0 ? `Why not ${refused.join(" or ")}?` : "Why not another value?"}</summary>
      {refusals.map(({ code, text, remedy }) => (
        <small key={code} data-code={code}>
          {text} {remedy}
        </small>
      ))}
    </details>
  );
}

export function KnobLine({ offer, output, every, region, fours }: Props) {
  const { knob, now, chosen, values } = offer;
  const knobs = usePlayground(({ document }) => document.options.knobs);
  const { actions } = playground.getState();
  const own = every ? knobs?.all[knob] : knobs && ownEntry(knobs.kernels, output)?.[knob];
  const words = (value: string): string => valueWords(knob, value, fours);
  const planner = chosen ? "auto" : `auto: ${words(now)}`;
  return (
    <div className="knob">
      <label title={knobSentence(knob)}>
        <span>{knobTitle(knob)}</span>
        <select
          value={own ?? ""}
          onChange={({ target }) => actions.setKnob(every ? null : output, knob, target.value || null)}
        >
          <option value="">{planner}</option>
          {values.map(({ value, refusal }) => (
            <option key={value} value={value} disabled={refusal !== null}>
              {words(value)}
              {refusal ? ", unsupported" : ""}
            </option>
          ))}
        </select>
      </label>
      <button
        type="button"
        title="Time the kernel at each value on this device"
        aria-label={`Time each: ${knobTitle(knob)}`}
        onClick={() => void actions.sweepKnob(region, output, knob)}
      >
        Time each
      </button>
      <Refusals offer={offer} words={words} />
    </div>
  );
}
