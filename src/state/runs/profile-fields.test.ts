import { expect, test } from "vitest";
import {
  a100,
  allProfiles,
  baseOf,
  changedFields,
  defaultOptions,
  generic,
  withField,
  type ProfileField,
} from "../../fusion";
import { decodeFile, encodeFile, recordOf } from "../../document";
import { profileFields, profileTitle, readField, shownField } from "./profile-fields";

const fieldOf = (name: ProfileField) => profileFields.find(({ field }) => field === name)!;

test("every number of a profile has a field, and every ready profile's numbers are within its bounds", () => {
  expect(profileFields.map(({ field }) => field as string).toSorted()).toEqual(
    Object.keys(generic)
      .filter((key) => key !== "name")
      .toSorted(),
  );
  for (const profile of allProfiles) {
    for (const field of profileFields) {
      const read = readField(field, shownField(field, profile));
      expect(read.ok && read.value).toBeCloseTo(profile[field.field], 0);
    }
    expect(profileTitle(profile)).not.toContain("measured");
  }
});

test("what is typed is a number within the bounds, in the unit", () => {
  expect(readField(fieldOf("bandwidth"), "690")).toEqual({ ok: true, value: 690e9 });
  expect(readField(fieldOf("launchMicros"), "0")).toEqual({ ok: true, value: 0 });
  for (const wrong of ["0", "-1", "", " ", "fast", "1e9"])
    expect(readField(fieldOf("bandwidth"), wrong).ok).toBe(false);
  expect(readField(fieldOf("maxBindings"), "8.5")).toEqual({ ok: false, text: "a whole number from 2 to 1,000" });
});

test("both bounds of every field can be shared and opened again", () => {
  for (const field of profileFields) {
    for (const bound of [field.least, field.most]) {
      const profile = { ...generic, [field.field]: bound * field.scale };
      const options = { ...defaultOptions, profile };
      const document = {
        text: "",
        positions: recordOf<never>(),
        options,
        example: null,
      };
      const opened = decodeFile(encodeFile({ version: 1, document, decision: null }));
      expect(opened.ok && opened.value.state.document.options.profile).toEqual(profile);
    }
  }
});

test("a changed number is marked against the profile it came from, and put back", () => {
  const changed = withField(a100, a100, "launchMicros", 20);
  expect([changed.name, changed.base, changed.launchMicros]).toEqual(["own", "a100", 20]);
  expect(baseOf(changed)).toBe(a100);
  expect(changedFields(changed, a100)).toEqual(["launchMicros"]);
  const twice = withField(changed, a100, "l2Bytes", 1);
  expect(changedFields(withField(twice, a100, "l2Bytes", a100.l2Bytes), a100)).toEqual(["launchMicros"]);
  expect(withField(changed, a100, "launchMicros", a100.launchMicros)).toBe(a100);
});
