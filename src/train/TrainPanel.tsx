/** @file A training that one can watch: start, stop, begin anew; both losses, speed, and what has been learned. */
import { useEffect } from "react";
import { Icon } from "../icons";
import { count, significant } from "../panels";
import { playground, usePlayground, type TrainingState } from "../state";
import { LossChart } from "./LossChart";
import { LearnedPicture } from "./LearnedPicture";
import "./train.css";

const isCalm = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;
const train = (command: "start" | "stop" | "reset"): void =>
  void playground.getState().actions.train(command, isCalm());

/** Losses differ by rounding alone, or by a share that is worth a number. */
function apartWords(apart: number): string {
  if (apart === 0) return "The losses are equal at every step.";
  if (!Number.isFinite(apart))
    return "One of the losses is not a number any more. A smaller rate may help: Reset, then edit the program.";
  return `The losses are apart by at most ${significant(100 * apart, 1)} %.`;
}

const short = (value: number): string => (Number.isFinite(value) ? significant(value, 4) : `${value}`);

function Controls({ training }: { readonly training: TrainingState | null }) {
  const busy = training?.status === "running" || training?.status === "preparing";
  return (
    <div className="train-controls">
      {busy ? (
        <button type="button" className="action" onClick={() => train("stop")}>
          <Icon name="pause" size={16} />
          Stop
        </button>
      ) : (
        <button type="button" className="action" onClick={() => train("start")}>
          <Icon name="play" size={16} />
          {training && training.steps > 0 ? "Continue" : "Start"}
        </button>
      )}
      <button
        type="button"
        className="plain"
        disabled={!training || training.steps === 0}
        onClick={() => train("reset")}
      >
        Reset
      </button>
      <output className="train-step">
        {training?.status === "preparing" ? "Planning…" : `Step ${count(training?.steps ?? 0)}`}
      </output>
    </div>
  );
}

function Facts({ training }: { readonly training: TrainingState }) {
  const { told, curve, stepsPerSecond, kernels, apart, software, device } = training;
  const last = curve.at(-1);
  const most = stepsPerSecond ? Math.max(stepsPerSecond.naive, stepsPerSecond.fused) : 1;
  const rows = ["naive", "fused"] as const;
  return (
    <>
      <table className="train-facts">
        <thead>
          <tr>
            <th scope="col">
              <span className="offscreen">Plan</span>
            </th>
            <th scope="col">kernels a step</th>
            {told.map((name) => (
              <th scope="col" key={name}>
                <code>{name}</code>
              </th>
            ))}
            <th scope="col" className="train-speed">
              steps a second
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((plan) => (
            <tr key={plan} data-plan={plan}>
              <th scope="row">
                <i className="train-key" aria-hidden="true" />
                {plan}
              </th>
              <td>{kernels[plan]}</td>
              {told.map((name, i) => (
                <td key={name}>{last ? short(last[plan][i]!) : "–"}</td>
              ))}
              <td className="train-speed">
                <span
                  className="train-bar"
                  style={{ width: `${stepsPerSecond ? (60 * stepsPerSecond[plan]) / most : 0}%` }}
                />
                {stepsPerSecond ? significant(stepsPerSecond[plan], 3) : "–"}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="train-note">
        {apartWords(apart)}
        {device && ` On ${device}${software ? ", a software adapter: these are times of a CPU, not of a GPU" : ""}.`}
      </p>
    </>
  );
}

/** What the program learns from, and what it costs to know nothing. */
function About({ training: { data, replaced } }: { readonly training: TrainingState }) {
  return (
    <p className="train-note">
      Each step replaces {replaced === 1 ? "one tensor" : `${replaced} tensors`}, on the GPU.{" "}
      {data.map(({ sentence, guessing }) => (
        <span key={sentence}>
          {sentence} Knowing only how often each label occurs costs {guessing.toFixed(2)} nats (
          {(guessing / Math.LN2).toFixed(2)} bits) an example.
        </span>
      ))}
    </p>
  );
}

export function TrainPanel() {
  const training = usePlayground((state) => (state.training?.text === state.document.text ? state.training : null));
  useEffect(() => {
    if (!training) train("start");
    return () => train("stop");
    // Once: whoever resets wants to start by themselves.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  const { problem = null } = training ?? {};
  return (
    <div className="train">
      <p className="train-note">
        At each step the naive and the fused plan see the same batch. They started from the same weights, so their
        losses should stay together.
      </p>
      <Controls training={training} />
      {problem !== null && (
        <p className="train-problem" role="alert">
          {problem}
        </p>
      )}
      {training && training.steps > 0 && (
        <>
          <Facts training={training} />
          <div className="train-views">
            <LossChart curve={training.curve} name={training.told[0] ?? "loss"} />
            {training.picture && <LearnedPicture picture={training.picture} />}
          </div>
          <About training={training} />
        </>
      )}
    </div>
  );
}
