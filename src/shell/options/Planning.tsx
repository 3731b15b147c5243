/** @file What the planner may do: level, roundings, what counts as a kernel, shared values, products, size. */
import {
  levels,
  levelOf,
  levelUsed,
  OPS_PER_NOTCH,
  passCatalogue,
  type Level,
  type MatmulPolicy,
  ridge,
} from "../../fusion";
import {
  matmulPolicies,
  playground,
  selectIsCovered,
  usePlayground,
  type PlaygroundState,
  libraryLine,
} from "../../state";
import { LineSlider } from "../../panels";

const actions = (): PlaygroundState["actions"] => playground.getState().actions;
const MAX_LEVEL: Level = 3;

const passesUpTo = (level: Level): string => {
  const runs = passCatalogue.filter(({ name }) => levelOf(name) <= level).length;
  return runs === 0 ? "" : runs === passCatalogue.length ? `All ${runs} passes.` : `${runs} passes.`;
};

function LevelChoice() {
  const chosen = usePlayground(({ document }) => document.options.level ?? MAX_LEVEL);
  return (
    <fieldset className="option">
      <legend>Optimisation level</legend>
      {levels.map(({ level, sentence }) => (
        <label key={level} className="check level">
          <input type="radio" name="level" checked={level === chosen} onChange={() => actions().setLevel(level)} />
          <span>
            <b>{level}</b> {sentence} <i>{passesUpTo(level)}</i>
          </span>
        </label>
      ))}
      <EnoughLevel chosen={chosen} />
    </fieldset>
  );
}

/** Which level the shown plan needs: higher ones end alike. */
function EnoughLevel({ chosen }: { readonly chosen: Level }) {
  const compilation = usePlayground((state) => state.derived.compilation);
  const covered = usePlayground(selectIsCovered);
  if (!compilation?.naivePlan || covered) return null;
  const used = levelUsed(compilation.steps, compilation.naivePlan.totals);
  if (used === 0 || used >= chosen) return null;
  return (
    <p className="level-note">
      Level {used} is enough for this program: the passes of level {chosen} fuse nothing more.
    </p>
  );
}

const SIZES = [1, 2, 4, 8];

function GroupSize() {
  const groupSize = usePlayground((state) => state.document.options.groupSize);
  return (
    <label className="field-line">
      <span>Maximum ops per kernel</span>
      <select
        className="field"
        value={groupSize}
        onChange={(event) => actions().setGroupSize(Number(event.target.value))}
      >
        {[...new Set([...SIZES, groupSize])]
          .toSorted((a, b) => a - b)
          .map((size) => (
            <option key={size} value={size}>
              {OPS_PER_NOTCH * size}
            </option>
          ))}
      </select>
    </label>
  );
}

export function Planning() {
  const options = usePlayground((state) => state.document.options);
  return (
    <>
      <LevelChoice />
      <fieldset className="option">
        <legend>Numerics</legend>
        <label className="check">
          <input
            type="checkbox"
            checked={options.strict}
            onChange={(event) => actions().setStrict(event.target.checked)}
          />
          Strict: skip passes that may change rounding
        </label>
      </fieldset>
      <Choice
        title="Naive kernels: one per"
        name="granularity"
        value={options.granularity}
        choices={[
          ["op", "call, as written"],
          ["statement", "statement"],
          ["primitive", "primitive op"],
        ]}
        onChoose={(granularity) => actions().setGranularity(granularity)}
      />
      <Choice
        title="Shared values"
        name="policy"
        value={options.policy}
        choices={[
          ["cost", "Choose by cost"],
          ["materialise", "Store"],
          ["duplicate", "Recompute"],
          ["multi", "One kernel with several results"],
        ]}
        onChoose={(policy) => actions().setPolicy(policy)}
      />
      <Choice
        title="Matmul epilogues"
        name="matmul"
        value={options.matmulPolicy}
        choices={(Object.keys(matmulPolicies) as MatmulPolicy[]).map(
          (policy) => [policy, matmulPolicies[policy]] as const,
        )}
        onChoose={(policy) => actions().setMatmulPolicy(policy)}
      />
      {options.matmulPolicy === "threshold" && <LibraryLine />}
      <GroupSize />
    </>
  );
}

interface Props<T extends string> {
  readonly title: string;
  readonly name: string;
  readonly value: T;
  /** Values with their words. */
  readonly choices: readonly (readonly [T, string])[];
  readonly onChoose: (value: T) => void;
}

/** One of a few values, as radio buttons under a title. */
function Choice<T extends string>({ title, name, value, choices, onChoose }: Props<T>) {
  return (
    <fieldset className="option">
      <legend>{title}</legend>
      {choices.map(([choice, words]) => (
        <label key={choice} className="check">
          <input type="radio" name={name} checked={choice === value} onChange={() => onChoose(choice)} />
          {words}
        </label>
      ))}
    </fieldset>
  );
}

/** The line between products that fuse and products that stay alone; letting it go is one undo step. */
function LibraryLine() {
  const options = usePlayground((state) => state.document.options);
  const put = (line: number | null): void => playground.getState().actions.setLibraryLine(line);
  return (
    <div className="line-choice">
      <LineSlider
        line={libraryLine(options)}
        words={(line) => (
          <>
            The line: <b>{line}</b> FLOP per byte
          </>
        )}
        onPut={put}
      />
      <button type="button" disabled={options.libraryAbove === undefined} onClick={() => put(null)}>
        At the ridge, {Number(ridge(options.profile).toPrecision(3))}
      </button>
    </div>
  );
}
