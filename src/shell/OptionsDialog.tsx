/** @file How the planner plans: everything here is part of the document and of its link. */
import { passTitles } from "../fusion";
import { playground, usePlayground, type PlaygroundState } from "../state";
import { Choice } from "./Choice";
import { Dialog } from "./Dialog";
import { ProfileFields } from "./ProfileFields";

const actions = (): PlaygroundState["actions"] => playground.getState().actions;

function PassList() {
  const disabled = usePlayground((state) => state.document.options.disabledPasses);
  return (
    <fieldset className="option">
      <legend>Passes, in their order</legend>
      {passTitles.map(({ name, title }) => (
        <label key={name} className="check">
          <input type="checkbox" checked={!disabled.includes(name)} onChange={() => actions().togglePass(name)} />
          {title}
        </label>
      ))}
    </fieldset>
  );
}

function GroupSize() {
  const groupSize = usePlayground((state) => state.document.options.groupSize);
  return (
    <label className="field-line">
      <span>Ops in a kernel, at most 64 times</span>
      <input
        className="field"
        type="number"
        min={1}
        max={64}
        value={groupSize}
        onChange={(event) => {
          const size = event.target.valueAsNumber;
          if (Number.isInteger(size) && size >= 1 && size <= 64) actions().setGroupSize(size);
        }}
      />
    </label>
  );
}

function Planning() {
  const options = usePlayground((state) => state.document.options);
  return (
    <>
      <Choice
        title="A naive kernel is"
        name="granularity"
        value={options.granularity}
        choices={[
          ["op", "one call, as written"],
          ["statement", "one statement"],
          ["primitive", "one primitive op"],
        ]}
        onChoose={(granularity) => actions().setGranularity(granularity)}
      />
      <Choice
        title="A value that several kernels read"
        name="policy"
        value={options.policy}
        choices={[
          ["cost", "let the cost decide"],
          ["materialise", "store it"],
          ["duplicate", "compute it again"],
          ["multi", "write it as a second output"],
        ]}
        onChoose={(policy) => actions().setPolicy(policy)}
      />
      <Choice
        title="A matmul"
        name="matmul"
        value={options.matmulPolicy}
        choices={[
          ["epilogue", "takes its epilogue in"],
          ["library", "stays alone, like a library call"],
        ]}
        onChoose={(policy) => actions().setMatmulPolicy(policy)}
      />
      <label className="check">
        <input
          type="checkbox"
          checked={options.strict}
          onChange={(event) => actions().setStrict(event.target.checked)}
        />
        Strict: never reorder floating-point sums
      </label>
      <GroupSize />
    </>
  );
}

export function OptionsDialog() {
  return (
    <Dialog title="Planning options" wide>
      <p className="dialog-note">The plan changes at once. Undo takes a choice back; a link carries them all.</p>
      <div className="options">
        <div>
          <Planning />
          <PassList />
        </div>
        <ProfileFields />
      </div>
    </Dialog>
  );
}
