/** @file The machine that the cost model believes in: a ready profile, the device as measured, or each number. */
import { useState } from "react";
import { allProfiles, baseOf, withField, type DeviceProfile } from "../../fusion";
import {
  playground,
  profileFields,
  profileTitle,
  readField,
  selectMeasuredProfile,
  shownField,
  usePlayground,
  type FieldWords,
} from "../../state";
import { Icon } from "../../icons";

const choose = (profile: DeviceProfile): void => playground.getState().actions.setProfile(profile);

interface FieldProps {
  readonly field: FieldWords;
  readonly profile: DeviceProfile;
  /** What the numbers were before they were changed; null where nobody knows. */
  readonly base: DeviceProfile | null;
}

function NumberField({ field, profile, base }: FieldProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const read = typed === null ? null : readField(field, typed);
  const changed = base !== null && base[field.field] !== profile[field.field];
  const leave = (): void => {
    setTyped(null);
    if (!read?.ok || typed === shownField(field, profile)) return;
    choose(withField(profile, base, field.field, read.value));
  };
  const hint = `profile-${field.field}`;
  return (
    <div className="profile-field" data-changed={changed}>
      <label className="field-line" title={field.sentence}>
        <span>{field.words}</span>
        <input
          className="field"
          inputMode="decimal"
          value={typed ?? shownField(field, profile)}
          aria-invalid={read?.ok === false}
          aria-describedby={read?.ok === false || changed ? hint : undefined}
          onChange={(event) => setTyped(event.target.value)}
          onBlur={leave}
          onKeyDown={(event) => {
            if (event.key === "Enter") leave();
          }}
        />
        <span className="unit">{field.unit}</span>
      </label>
      {changed && (
        <button
          type="button"
          className="icon-button"
          aria-label={`${field.words} back to ${shownField(field, base)} ${field.unit}`.trimEnd()}
          title={`Back to ${shownField(field, base)} ${field.unit}`.trimEnd()}
          onClick={() => choose(withField(profile, base, field.field, base[field.field]))}
        >
          <Icon name="undo" size={16} />
        </button>
      )}
      {read?.ok === false ? (
        <p id={hint} className="profile-hint" data-wrong>
          Needs {read.text}.
        </p>
      ) : (
        changed && (
          <p id={hint} className="profile-hint">
            changed from {shownField(field, base)} {field.unit}
          </p>
        )
      )}
    </div>
  );
}

export function ProfileFields() {
  const profile = usePlayground((state) => state.document.options.profile);
  const measured = usePlayground(selectMeasuredProfile);
  const planHere = usePlayground((state) => state.planHere);
  const ready = measured ? [...allProfiles, measured] : allProfiles;
  const base = baseOf(profile, ready);
  const own = base !== profile && !ready.some(({ name }) => name === profile.name);
  return (
    <fieldset className="option">
      <legend>Plan for</legend>
      <select
        className="field profile-choice"
        aria-label="Machine"
        value={own ? "" : profile.name}
        onChange={(event) => {
          const chosen = ready.find(({ name }) => name === event.target.value);
          if (chosen) choose(chosen);
        }}
      >
        {ready.map((each) => (
          <option key={each.name} value={each.name}>
            {profileTitle(each)}
          </option>
        ))}
        {own && <option value="">{base ? `${profileTitle(base)}; changed` : profileTitle(profile)}</option>}
      </select>
      {!measured && (
        <p className="profile-hint">
          {planHere
            ? "The first run measures your device. A program is then planned for it, unless you chose another device."
            : "After a run, your device appears in this list."}
        </p>
      )}
      {profileFields.map((field) => (
        <NumberField key={field.field} field={field} profile={profile} base={base} />
      ))}
    </fieldset>
  );
}
