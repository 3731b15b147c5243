/** @file Puts the question: which choice, and what it would be. */
import { useState } from "react";
import {
  allProfiles,
  levels,
  passCatalogue,
  type CompileOptions,
  type DeviceProfile,
  type MatmulPolicy,
  ridge,
} from "../../../fusion";
import {
  matmulPolicies,
  playground,
  profileFields,
  profileTitle,
  readField,
  selectMeasuredProfile,
  shownField,
  usePlayground,
  type Question,
  libraryLine,
} from "../../../state";
import { LineSlider } from "../../LineSlider";
import { significant } from "../../model/units";

const kinds: readonly (readonly [Question["kind"], string])[] = [
  ["constant", "a device constant"],
  ["machine", "the device"],
  ["pass", "a pass"],
  ["level", "the level"],
  ["policy", "shared values"],
  ["matmul", "matmuls"],
  ["line", "the limit for separate matmuls"],
  ["strict", "rounding"],
];

const ask = (question: Question): void => void playground.getState().actions.askWhatIf(question);

/** A question with its words, for the list of answers. */
type Offer = readonly [words: string, question: Question];

const policies = {
  cost: "choose by cost",
  materialise: "store",
  duplicate: "recompute",
  multi: "one kernel with several results",
} as const;

function offersOf(kind: Question["kind"], options: CompileOptions, machines: readonly DeviceProfile[]): Offer[] {
  switch (kind) {
    case "level":
      return levels
        .filter(({ level }) => level !== (options.level ?? 3))
        .map(({ level, sentence }) => [`${level}: ${sentence}`, { kind, level }]);
    case "pass":
      return passCatalogue.map(({ name, title }) => [
        `${title}: switch ${options.disabledPasses.includes(name) ? "on" : "off"}`,
        { kind, name },
      ]);
    case "machine":
      return machines
        .filter(({ name }) => name !== options.profile.name)
        .map((profile) => [profileTitle(profile), { kind, profile }]);
    case "policy":
      return (Object.keys(policies) as (keyof typeof policies)[])
        .filter((policy) => policy !== options.policy)
        .map((policy) => [policies[policy], { kind, policy }]);
    case "matmul":
      return (Object.keys(matmulPolicies) as MatmulPolicy[])
        .filter((policy) => policy !== options.matmulPolicy)
        .map((policy) => [matmulPolicies[policy], { kind, policy }]);
    case "strict":
      return options.strict ? [["may change", { kind, strict: false }]] : [["must not change", { kind, strict: true }]];
    case "constant":
    case "line":
      return [];
  }
}

function Offers({ kind }: { readonly kind: Question["kind"] }) {
  const options = usePlayground(({ document }) => document.options);
  const measured = usePlayground(selectMeasuredProfile);
  const offers = offersOf(kind, options, measured ? [...allProfiles, measured] : allProfiles);
  return (
    <select
      aria-label="New value"
      value=""
      onChange={(event) => {
        const offer = offers[Number(event.target.value)];
        if (offer) ask(offer[1]);
      }}
    >
      <option value="" disabled>
        Choose…
      </option>
      {offers.map(([words], i) => (
        <option key={words} value={i}>
          {words}
        </option>
      ))}
    </select>
  );
}

function Constant() {
  const profile = usePlayground(({ document }) => document.options.profile);
  const [name, setName] = useState(profileFields[0]!.field);
  const [typed, setTyped] = useState<string | null>(null);
  const field = profileFields.find((each) => each.field === name)!;
  const shown = typed ?? shownField(field, profile);
  const read = readField(field, shown);
  return (
    <form
      className="what-if-constant"
      onSubmit={(event) => {
        event.preventDefault();
        if (read.ok) ask({ kind: "constant", field: name, value: read.value });
      }}
    >
      <select
        aria-label="Constant"
        value={name}
        onChange={(event) => {
          setTyped(null);
          setName(profileFields.find((each) => each.field === event.target.value)!.field);
        }}
      >
        {profileFields.map((each) => (
          <option key={each.field} value={each.field}>
            {each.words}
          </option>
        ))}
      </select>
      <span className="what-if-value">
        <input
          aria-label={`${field.words}, ${field.unit || "a count"}`}
          inputMode="decimal"
          value={shown}
          aria-invalid={!read.ok}
          onChange={(event) => setTyped(event.target.value)}
        />
        {field.unit}
        <button type="submit" disabled={!read.ok}>
          Ask
        </button>
      </span>
      <small data-wrong={!read.ok}>{read.ok ? field.sentence : `Needs ${read.text}.`}</small>
    </form>
  );
}

export function WhatIfQuestion() {
  const asked = usePlayground(({ whatIf }) => (whatIf && whatIf.status !== "none" ? whatIf.question.kind : "constant"));
  const [kind, setKind] = useState<Question["kind"]>(asked);
  return (
    <div className="what-if-question">
      <label>
        What if I change
        <select
          value={kind}
          onChange={(event) => setKind(kinds.find(([each]) => each === event.target.value)?.[0] ?? "constant")}
        >
          {kinds.map(([each, words]) => (
            <option key={each} value={each}>
              {words}
            </option>
          ))}
        </select>
      </label>
      {kind === "constant" ? <Constant /> : kind === "line" ? <WhatIfLine /> : <Offers key={kind} kind={kind} />}
    </div>
  );
}

/** What if products stayed alone above another line? Asked when it is let go, not on the way. */
function WhatIfLine() {
  const options = usePlayground(({ document }) => document.options);
  const asked = usePlayground(({ whatIf }) =>
    whatIf && whatIf.status !== "none" && whatIf.question.kind === "line" ? whatIf.question.line : null,
  );
  return (
    <>
      <LineSlider
        line={asked ?? libraryLine(options)}
        words={(line) => `A matmul stays alone above ${line} FLOP per byte`}
        onPut={(line) => void playground.getState().actions.askWhatIf({ kind: "line", line })}
      />
      <small>
        The ridge of {profileTitle(options.profile)} is {significant(ridge(options.profile))}.
      </small>
    </>
  );
}
