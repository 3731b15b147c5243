/** @file Steps through the decisions: buttons, one sentence, and the staircase under it. */
import { passTitle } from "../../fusion";
import { useEffect, useState, type ReactNode } from "react";
import {
  findCommand,
  playground,
  selectStep,
  selectCovered,
  selectIsCovered,
  selectKnown,
  selectLessonAsks,
  selectPlanned,
  selectScore,
  selectTold,
  usePlayground,
} from "../../state";
import { Icon, type IconName } from "../../icons";
import { scoreWords } from "../model/plan/score";
import { noSteps, stepAnnouncement, stepSentence } from "../model/plan/step-words";
import { count } from "../model/units";
import { useNoteButtons } from "../notes/note-buttons";
import { Staircase } from "./Staircase";
import "./scrubber.css";

function Button({ icon, label, onPress, off }: { icon: IconName; label: string; onPress: () => void; off?: boolean }) {
  return (
    <button type="button" className="scrub-button" aria-label={label} title={label} onClick={onPress} disabled={off}>
      <Icon name={icon} size={18} />
    </button>
  );
}

/** Whether a step was taken since the page opened; what a change of the program does to the cursor is none. */
function useStepped(): boolean {
  const [stepped, setStepped] = useState(false);
  useEffect(
    () =>
      playground.subscribe((state, before) => {
        const same = state.derived.compilation === before.derived.compilation;
        if (same && state.cursor !== before.cursor) setStepped(true);
      }),
    [],
  );
  return stepped;
}

/** At the end of a plan that nobody has stepped through: what there is to see. Null once somebody steps. */
function useInvitation(stepped: boolean): ReactNode {
  const score = usePlayground(selectScore);
  const atEnd = usePlayground((state) => state.cursor === selectPlanned(state)?.steps.length);
  const covered = usePlayground(selectIsCovered);
  if (stepped || !score || !atEnd || covered) return null;
  const { transfers, bytes } = scoreWords(score);
  // Trips are counted for large tensors: where none is left, what moves is still not nothing.
  const { tally, values } = transfers;
  if (tally.of(score.end) >= tally.of(score.naive)) return null;
  const [[naive, , end], of] = tally.of(score.end) > 0 ? [values, ` ${tally.noun}`] : [bytes.values, ` ${bytes.unit}`];
  return (
    <>
      : <b>{naive}</b>
      {of} become <b>{end}</b>.
    </>
  );
}

/** What all steps together did, after the last of them. */
function Outcome() {
  const score = usePlayground(selectScore);
  if (!score) return null;
  const {
    kernels,
    transfers: { tally, values },
    micros,
  } = scoreWords(score);
  if (score.naive.bytes === score.end.bytes && score.naive.kernels === score.end.kernels)
    return <>, nothing was fused: the card says why.</>;
  // What more kernels or more transfers were good for.
  const grew = score.end.kernels > score.naive.kernels || tally.of(score.end) > tally.of(score.naive);
  return (
    <>
      . <b>Done:</b> kernels {kernels[0]} → {kernels[2]}, {tally.noun} {values[0]} → {values[2]}
      {grew && `, predicted ${micros.values[0]} → ${micros.values[2]} ${micros.unit}`}.
    </>
  );
}

function StepText({ total, stepped }: { readonly total: number; readonly stepped: boolean }) {
  const cursor = usePlayground((state) => state.cursor);
  const step = usePlayground(selectStep);
  const planned = usePlayground(selectPlanned);
  const planning = usePlayground(({ derived }) => derived.status === "compiling");
  const invitation = useInvitation(stepped);
  if (!planned) return <p className="scrub-text">{planning ? "" : "No plan yet."}</p>;
  if (!step) {
    const words =
      total === 0
        ? noSteps(planned.options)
        : `Naive plan. Play to see ${total === 1 ? "the one step" : `all ${count(total)} steps`}.`;
    return <p className="scrub-text">{words}</p>;
  }
  const { pass, about } = stepSentence(planned, step, passTitle(step.pass));
  return (
    <p className="scrub-text" title={stepAnnouncement(planned, step)}>
      <b>
        Step {count(cursor)} of {count(total)}
      </b>
      {stepped && cursor === total ? (
        <Outcome />
      ) : (
        (invitation ?? (
          <>
            , <span className="scrub-pass">{pass}: </span>
            {about}
          </>
        ))
      )}
    </p>
  );
}

/** Until somebody took it, skipped it, or steps without it. */
function TourOffer() {
  const offered = usePlayground((state) => !state.toured && selectPlanned(state) !== null);
  if (!offered) return null;
  return (
    <button type="button" className="scrub-note" onClick={() => playground.getState().actions.showTour(0)}>
      Tour
    </button>
  );
}

export function Scrubber() {
  const compilation = usePlayground(selectPlanned);
  const playing = usePlayground((state) => state.playing);
  const cursor = usePlayground((state) => state.cursor);
  const notes = useNoteButtons();
  const stepped = useStepped();
  const asks = usePlayground(selectLessonAsks);
  // Covered before its question has come.
  const awaited = usePlayground((state) => state.lesson !== null && selectCovered(state) !== "nothing");
  const total = compilation?.steps.length ?? 0;
  const hasPlan = (compilation?.fusedPlan?.kernels.length ?? 0) > 0;
  const known = usePlayground(selectKnown);
  const told = usePlayground(selectTold);
  const covered = known < total;
  const { actions, embed } = playground.getState();
  return (
    <div className="scrub">
      <div className="scrub-line">
        <Button
          icon="back"
          label="Previous step"
          onPress={() => actions.stepBack()}
          off={cursor === 0 || total === 0}
        />
        <Button
          icon={playing ? "pause" : "play"}
          label={playing ? "Pause" : "Play"}
          onPress={() => actions.togglePlay()}
          off={total === 0 || covered}
        />
        <Button
          icon="forward"
          label="Next step"
          onPress={() => actions.stepForward()}
          off={cursor >= total || asks || cursor >= known}
        />
        <div className="scrub-said">
          {asks || (covered && cursor === 0) ? (
            <p className="scrub-text">
              Predict first. <span className="covered">?</span> is covered until you answer.
            </p>
          ) : awaited && cursor === 0 ? (
            <p className="scrub-text">
              <span className="covered">?</span> is covered: a question of this lesson will ask for it.
            </p>
          ) : (
            <StepText total={total} stepped={stepped} />
          )}
          {total > 0 && <span className="scrub-hint">height = transfers</span>}
        </div>
        {!embed && notes && <notes.PassNote />}
        {!embed && total > 0 && !stepped && <TourOffer />}
        {!embed && hasPlan && !covered && !awaited && (
          <button
            type="button"
            className="scrub-note"
            title="Two plans of this program beside each other"
            onClick={() => findCommand("compare")?.run(playground.getState())}
          >
            Compare
          </button>
        )}
        {!embed && hasPlan && !covered && !awaited && (
          <button
            type="button"
            className="scrub-note"
            title="Naive against fused on one clock"
            onClick={() => findCommand("race")?.run(playground.getState())}
          >
            Race
          </button>
        )}
      </div>
      {compilation && total > 0 && <Staircase compilation={compilation} cursor={cursor} known={told} />}
    </div>
  );
}
