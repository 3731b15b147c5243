/** @file Check this laptop: the verdict first, then what was found, a bench, what to do, and the result to hand in. */
import { useEffect } from "react";
import { Icon, type IconName } from "../../icons";
import { count, decimal, InlineCode, showBytes, showMicros, showSpread, timingOf } from "../../panels";
import { playground, usePlayground, type LaptopBench, type LaptopCheck } from "../../state";
import { CopyButton } from "../CopyButton";
import { fixes, fixFor, forLaptop, type Fix } from "./fixes";
import { HandInPanel } from "./HandInPanel";
import { factsIn, standingOf, verdictWords, type Fact } from "./verdict";
import "../room.css";
import "./check.css";

const MARKS: Readonly<Record<Fact["tone"], IconName>> = {
  yes: "check",
  warn: "warning",
  no: "cross",
  unknown: "minus",
};
const TONE_WORDS: Readonly<Record<Fact["tone"], string>> = { yes: "", warn: "Note: ", no: "Missing: ", unknown: "" };

function VerdictPanel({ check }: { readonly check: LaptopCheck }) {
  const { tone, title, text } = verdictWords(check);
  const mark: IconName = tone === "yes" ? "check" : tone === "no" ? "cross" : tone === "warn" ? "warning" : "chip";
  return (
    <section className="room-panel room-verdict" data-tone={tone} aria-label="Verdict">
      <span className="room-mark">
        <Icon name={mark} size={26} />
      </span>
      <div role="status">
        <h1>{title}</h1>
        <p>{text}</p>
      </div>
      <button
        type="button"
        className="plain"
        disabled={check.status === "checking"}
        onClick={() => void playground.getState().actions.checkLaptop()}
      >
        Check again
      </button>
    </section>
  );
}

const Facts = ({ check }: { readonly check: LaptopCheck }) => (
  <section className="room-panel" aria-label="What was found">
    <h2>What was found</h2>
    <dl className="room-facts">
      {factsIn(check).map(({ tone, name, text, more }) => (
        <div key={name} data-tone={tone}>
          <dt>
            <Icon name={MARKS[tone]} />
            {name}
          </dt>
          <dd>
            <span className="offscreen">{TONE_WORDS[tone]}</span>
            <InlineCode text={text} /> {more && <small>{<InlineCode text={more} />}</small>}
          </dd>
        </div>
      ))}
    </dl>
  </section>
);

function Bench({ bench }: { readonly bench: LaptopBench }) {
  const { result, title, tensorBytes, transfers, compared, differ } = bench;
  const rows = (["naive", "fused"] as const).flatMap((plan) => {
    const measured = timingOf(result, plan, null);
    return measured ? [{ plan, measured }] : [];
  });
  const most = Math.max(...rows.map(({ measured }) => measured.median));
  return (
    <section className="room-panel" aria-label="Bench">
      <h2>
        Two-second bench <small>{`${title}, ${showBytes(tensorBytes)} each`}</small>
      </h2>
      {rows.map(({ plan, measured }) => {
        const { median, spread } = showSpread(measured, rows);
        return (
          <div key={plan} className="bench-row" data-plan={plan}>
            <span>{`${plan}, ${transfers[plan]} transfers`}</span>
            <i style={{ width: `${(100 * measured.median) / most}%` }} />
            <span>
              <b>{median}</b> {spread}
            </span>
          </div>
        );
      })}
      <dl className="bench-facts">
        {result.roofs && (
          <>
            <div>
              <dt>Memory speed</dt>
              <dd>{decimal(result.roofs.bandwidth, "B/s")}</dd>
            </div>
            <div>
              <dt>One launch</dt>
              <dd>{showMicros(result.roofs.launchMicros)}</dd>
            </div>
          </>
        )}
        <div data-tone={differ === 0 ? "yes" : "no"}>
          <dt>Same result</dt>
          <dd>{differ === 0 ? `all ${count(compared)} values` : `${count(differ)} of ${count(compared)} differ`}</dd>
        </div>
      </dl>
      {result.device.software && <p className="room-quiet">These are times of a CPU, not of a GPU.</p>}
    </section>
  );
}

function FixBody({ fix, check }: { readonly fix: Fix; readonly check: LaptopCheck }) {
  if (!check.facts) return null;
  const { facts } = check;
  return (
    <>
      <p>
        <InlineCode text={forLaptop(fix.why, facts)} />
      </p>
      <ol>
        {fix.steps.map((step) => (
          <li key={step}>
            <InlineCode text={forLaptop(step, facts)} />
          </li>
        ))}
      </ol>
      {fix.command && (
        <>
          <p className="fix-terminal">
            Or once, from a terminal <CopyButton text={fix.command} label="Copy" />
          </p>
          <p className="room-code">{fix.command}</p>
        </>
      )}
      {fix.still && (
        <p className="room-quiet">
          <InlineCode text={forLaptop(fix.still, facts)} />
        </p>
      )}
    </>
  );
}

/** This laptop's fix open, the others for the neighbours below it. */
function Fixes({ check }: { readonly check: LaptopCheck }) {
  const own = check.facts && fixFor(standingOf(check), check.facts);
  const listed = own ? [own, ...fixes.filter((fix) => fix !== own)] : fixes;
  return (
    <section className="room-panel" aria-label={own ? "What to do" : "A laptop that is not ready"}>
      <h2>{own ? "What to do" : "A laptop that is not ready"}</h2>
      {listed.map((fix) => (
        <details key={fix.title} className="fix" open={fix === own}>
          <summary>{fix.title}</summary>
          <FixBody fix={fix} check={check} />
        </details>
      ))}
    </section>
  );
}

export function CheckPage() {
  const check = usePlayground((state) => state.laptop);
  const { actions } = playground.getState();
  useEffect(() => {
    if (!playground.getState().laptop) void actions.checkLaptop();
  }, [actions]);
  if (!check) return null;
  return (
    <div className="room-columns">
      <div>
        <VerdictPanel check={check} />
        <Facts check={check} />
        {check.bench && <Bench bench={check.bench} />}
      </div>
      <div>
        <HandInPanel check={check} />
        <Fixes check={check} />
      </div>
    </div>
  );
}
