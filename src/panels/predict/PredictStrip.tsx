/** @file Predict first over the graph: the question, what the last guess was worth, and the tally. */
import { useId, useState } from "react";
import { settled, type Compilation, type Step } from "../../fusion";
import { stepNames } from "../../picture";
import {
  playground,
  restingStep,
  selectGuesses,
  selectPlanned,
  usePlayground,
  type Guess,
  type Guesses,
  type PredictQuestion,
} from "../../state";
import { InlineCode } from "../InlineCode";
import { count } from "../model/units";
import "./predict.css";

/** What is asked next; null once all is known. */
export function nextQuestion(
  { end, known }: Guesses,
  { naivePlan, fusedPlan, steps }: Compilation,
): PredictQuestion | null {
  if (end === null && naivePlan) {
    const { fullSizeTransfers, kernels } = naivePlan.totals;
    // Where only small ones are left, the page says “<1”: that is no number to guess.
    return fullSizeTransfers > 0 && (fusedPlan?.totals.fullSizeTransfers ?? 0) > 0
      ? { kind: "end", count: "transfers", naive: fullSizeTransfers }
      : { kind: "end", count: "kernels", naive: kernels };
  }
  const step = steps[known];
  return step ? { kind: "step", step } : null;
}

const reasonOf = (step: Step | undefined): string => (step ? settled(step).text : "");

/** What a guess is worth, by the plan itself. */
export function judged(question: PredictQuestion, said: Guess["said"], { steps, fusedPlan }: Compilation): Guess {
  if (question.kind === "step") {
    const truth = question.step.accepted;
    return { question, said, truth, right: said === truth, because: reasonOf(question.step) };
  }
  const totals = fusedPlan?.totals;
  const truth = (question.count === "kernels" ? totals?.kernels : totals?.fullSizeTransfers) ?? question.naive;
  const best = steps[restingStep(steps) - 1];
  return { question, said, truth, right: said === truth, because: best?.accepted ? reasonOf(best) : "" };
}

const actions = () => playground.getState().actions;

/** A number for the end, true or false for a step, null for “I cannot tell”. */
function guess(question: PredictQuestion, said: Guess["said"]): void {
  const { compilation } = playground.getState().derived;
  if (compilation) actions().guess(judged(question, said, compilation));
}

const NOUNS = { transfers: "full-size transfers", kernels: "kernels" } as const;

const CannotTell = ({ question }: { readonly question: PredictQuestion }) => (
  <button type="button" className="predict-quiet" onClick={() => guess(question, null)}>
    I cannot tell
  </button>
);

function EndQuestion({ question }: { readonly question: Extract<PredictQuestion, { kind: "end" }> }) {
  const [said, setSaid] = useState("");
  const id = useId();
  const value = Number(said);
  const ready = said.trim() !== "" && Number.isInteger(value) && value >= 0;
  return (
    <form
      className="predict-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (ready) guess(question, value);
      }}
    >
      <label htmlFor={id}>
        The naive plan has <b>{count(question.naive)}</b> {NOUNS[question.count]}. How many has the fused plan?
      </label>
      <input id={id} inputMode="numeric" value={said} onChange={(event) => setSaid(event.target.value)} />
      <button type="submit" className="predict-go" disabled={!ready}>
        {ready ? `Lock in ${count(value)}` : "Lock in"}
      </button>
      <CannotTell question={question} />
    </form>
  );
}

function StepQuestion({ question }: { readonly question: Extract<PredictQuestion, { kind: "step" }> }) {
  const planned = usePlayground(selectPlanned);
  const { step } = question;
  return (
    <div className="predict-form" role="group" aria-label={`Step ${step.seq}`}>
      <span>
        Step {step.seq}, <code>{planned && stepNames(planned, step)}</code>: accepted or refused?
      </span>
      <button type="button" className="predict-go" onClick={() => guess(question, true)}>
        Accepted
      </button>
      <button type="button" className="predict-go" onClick={() => guess(question, false)}>
        Refused
      </button>
      <CannotTell question={question} />
    </div>
  );
}

/** `2 full-size transfers`, `refused` */
function words(question: PredictQuestion, value: number | boolean): string {
  if (question.kind === "step") return value ? "accepted" : "refused";
  return `${count(Number(value))} ${NOUNS[question.count]}`;
}

function Outcome({ last }: { readonly last: Guess }) {
  const { question, said, truth, right, because } = last;
  const verdict = right ? "Right" : said === null ? "The answer" : "Not quite";
  const about = question.kind === "step" ? `step ${question.step.seq} is ` : "";
  const instead = right || said === null ? "" : `; you said ${words(question, said)}`;
  return (
    <p className="predict-outcome" data-right={said === null ? undefined : right}>
      <b>
        {verdict}: {about}
        {words(question, truth)}
      </b>
      {instead}. <InlineCode text={because} />
    </p>
  );
}

export function PredictStrip() {
  const state = usePlayground((each) => each);
  const guesses = selectGuesses(state);
  const compilation = selectPlanned(state);
  if (!guesses || !compilation?.naivePlan) return null;
  const question = nextQuestion(guesses, compilation);
  const rest = (): void => {
    const end = guesses.end ?? (question && judged(question, null, compilation));
    if (end) actions().showAllSteps(end);
  };
  return (
    <section className="predict" aria-label="Predict first">
      <div className="predict-line">
        <h2>Predict first</h2>
        {guesses.asked > 0 && (
          <span className="predict-tally">
            {guesses.right} of {guesses.asked} right
          </span>
        )}
        {question && (
          <button type="button" className="predict-quiet" onClick={rest}>
            Show the rest
          </button>
        )}
        <button type="button" className="predict-quiet" onClick={() => actions().togglePredict()}>
          End <kbd>G</kbd>
        </button>
      </div>
      <div role="status">{guesses.last && <Outcome last={guesses.last} />}</div>
      {question?.kind === "end" && <EndQuestion key={compilation.text} question={question} />}
      {question?.kind === "step" && <StepQuestion question={question} />}
      {!question && <p className="predict-outcome">Every step of this plan is known.</p>}
    </section>
  );
}
