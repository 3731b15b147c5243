/** @file Why, or why not: one decision with its verdicts, its cost both ways and the way on. */
import type { ReactNode } from "react";
import { lazyModule, playground } from "../../state";
import { Icon } from "../../icons";
import type { BarGroup, EdgeId, ForbidReason } from "../../fusion";
import type { DecisionCard as Card } from "../../picture";

const useGlossary = lazyModule(() => import("../../terms"));

/** `code` in a sentence is set in the code face; terms are explained once the glossary is there. */
export function Sentence({ text }: { readonly text: string }): ReactNode {
  const glossary = useGlossary();
  if (glossary) return <glossary.Explained text={text} />;
  return text.split("`").map((part, i) => (i % 2 === 1 ? <code key={`${i}${part}`}>{part}</code> : part));
}

/** Alternatives by one number, the chosen one marked; or a value above what is allowed. */
function CostBars({ group: { title, decides, bars } }: { readonly group: BarGroup }) {
  return (
    <section className="cost-bars" data-decides={decides} aria-label={title}>
      <h3>{title}</h3>
      <dl>
        {bars.map(({ what, part, text, chosen }) => (
          <div key={what} data-chosen={chosen}>
            <dt>
              {what}
              {chosen && <em>chosen</em>}
            </dt>
            <dd>
              <b>{text}</b>
              <span className="cost-bar" style={{ width: `${part * 100}%` }} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** Why a person keeps a value in memory; the decision then says it. */
const FORBIDDEN_BECAUSE: Readonly<Record<ForbidReason, string>> = {
  often: "It is read often",
  expensive: "It is expensive to recompute",
  backward: "The backward pass needs it",
  device: "Another device needs it",
  inspect: "To look at it, or to restart from it",
};

function ForbidReasonChoice({ edge, chosen }: { readonly edge: EdgeId; readonly chosen: ForbidReason | null }) {
  return (
    <label className="keep-reason">
      Why keep it in memory?
      <select
        value={chosen ?? ""}
        onChange={({ currentTarget: { value } }) =>
          playground.getState().actions.explainForbidden(edge, value === "" ? null : (value as ForbidReason))
        }
      >
        <option value="">No reason given</option>
        {Object.entries(FORBIDDEN_BECAUSE).map(([reason, title]) => (
          <option key={reason} value={reason}>
            {title}
          </option>
        ))}
      </select>
    </label>
  );
}

function Choices({ card }: { readonly card: Card }) {
  const { actions } = playground.getState();
  const { edge, pin, cannotForce, fused } = card;
  if (!edge || (card.code === "" && !pin)) return null;
  if (pin) {
    return (
      <footer>
        <button type="button" onClick={() => actions.release(edge)}>
          {pin === "forced" ? "Fuse only if worth it" : "Allow again"}
        </button>
        {pin === "forbidden" && <ForbidReasonChoice edge={edge} chosen={card.forbidReason} />}
      </footer>
    );
  }
  return (
    <footer>
      {!fused && (
        <button
          type="button"
          disabled={cannotForce !== null}
          title={cannotForce ?? undefined}
          onClick={() => actions.force(edge)}
        >
          Fuse anyway <kbd>F</kbd>
        </button>
      )}
      <button type="button" onClick={() => actions.forbid(edge)}>
        Forbid <kbd>X</kbd>
      </button>
      {!fused && cannotForce && <p className="cannot">{cannotForce}</p>}
    </footer>
  );
}

export function DecisionCard({ card, onClose }: { readonly card: Card; readonly onClose: () => void }) {
  const { actions } = playground.getState();
  return (
    <article className="canvas-card" aria-label={`Decision on ${card.kick}`} data-code={card.code}>
      <header>
        <span className="card-kick">{card.kick}</span>
        <button type="button" className="card-close" aria-label="Close" onClick={onClose}>
          <Icon name="cross" size={16} />
        </button>
      </header>
      <h2>{card.question}</h2>
      <p>
        <b>{card.answer}</b> <Sentence text={card.reason} />
      </p>
      {card.note && <p>{card.note}</p>}
      {card.verdicts.length > 0 && (
        <div className="verdicts">
          {card.verdicts.map(({ ok, text }) => (
            <span key={text} className="verdict" data-ok={ok}>
              {ok !== null && <Icon name={ok ? "check" : "cross"} size={15} />}
              {text}
            </span>
          ))}
        </div>
      )}
      {card.bars.map((group) => (
        <CostBars key={group.title} group={group} />
      ))}
      {card.remedy && (
        <p className="way-out">
          <b>{card.remedy.question}</b> <Sentence text={card.remedy.text} />
          {card.remedyOptions && (
            <button type="button" onClick={() => actions.setOptions(card.remedyOptions!)}>
              Try it
            </button>
          )}
        </p>
      )}
      {card.others.length > 0 && (
        <ul className="other-steps" aria-label="Other decisions on this edge">
          <li>
            Here: <b>{card.asks}</b>
          </li>
          {card.others.map(({ seq, text, takes }) => (
            <li key={seq}>
              {takes && "Later: "}
              <button type="button" onClick={() => actions.stepTo(seq)}>{`Step ${seq}`}</button>, {text}
            </li>
          ))}
        </ul>
      )}
      <Choices card={card} />
    </article>
  );
}
