/** @file What one may ask about the plan: one choice, changed. */
import {
  passCatalogue,
  withField,
  baseOf,
  type CompileOptions,
  type DeviceProfile,
  type Level,
  type MatmulPolicy,
  type MultiConsumerPolicy,
  type ProfileField,
} from "../fusion";
import { profileFields, profileTitle, shownField } from "./runs/profile-fields";

/** What happens to the ops after a matmul, as Options says it. */
export const matmulPolicies = {
  epilogue: "fuse",
  library: "keep separate, like a library call",
  threshold: "keep separate above a limit of FLOP per byte",
} as const satisfies Record<MatmulPolicy, string>;

export type Question =
  | { readonly kind: "level"; readonly level: Level }
  /** Switched off where it is on, and on where it is off. */
  | { readonly kind: "pass"; readonly name: string }
  | { readonly kind: "machine"; readonly profile: DeviceProfile }
  /** In base units. */
  | { readonly kind: "constant"; readonly field: ProfileField; readonly value: number }
  | { readonly kind: "policy"; readonly policy: MultiConsumerPolicy }
  | { readonly kind: "matmul"; readonly policy: MatmulPolicy }
  /** FLOP per byte from which products keep their tuned kernel. */
  | { readonly kind: "line"; readonly line: number }
  | { readonly kind: "strict"; readonly strict: boolean };

/** The options that differ. */
export function changeOf(question: Question, { disabledPasses, profile }: CompileOptions): Partial<CompileOptions> {
  switch (question.kind) {
    case "level":
      return { level: question.level };
    case "pass": {
      const others = disabledPasses.filter((name) => name !== question.name);
      return { disabledPasses: others.length < disabledPasses.length ? others : [...others, question.name] };
    }
    case "machine":
      return { profile: question.profile };
    case "constant":
      return { profile: withField(profile, baseOf(profile), question.field, question.value) };
    case "policy":
      return { policy: question.policy };
    case "matmul":
      return { matmulPolicy: question.policy };
    case "line":
      return { matmulPolicy: "threshold", libraryAbove: question.line };
    case "strict":
      return { strict: question.strict };
  }
}

/** The question in words: `launch is 25 µs`, without an end. */
export function titleOfQuestion(question: Question, { disabledPasses, profile }: CompileOptions): string {
  switch (question.kind) {
    case "level":
      return `the level is ${question.level}`;
    case "pass": {
      const title = passCatalogue.find(({ name }) => name === question.name)?.title ?? question.name;
      return `“${title}” is switched ${disabledPasses.includes(question.name) ? "on" : "off"}`;
    }
    case "machine":
      return `the device is ${profileTitle(question.profile)}`;
    case "constant": {
      const field = profileFields.find((each) => each.field === question.field)!;
      const value = shownField(field, { ...profile, [question.field]: question.value });
      return `${field.words.toLowerCase()} is ${value} ${field.unit}`.trimEnd();
    }
    case "policy":
      return `shared values are ${{ cost: "chosen by cost", materialise: "stored", duplicate: "recomputed", multi: "computed by one kernel with several results" }[question.policy]}`;
    case "matmul":
      return `the option Matmul epilogues is “${matmulPolicies[question.policy]}”`;
    case "line":
      return `matmuls stay separate above ${Number(question.line.toPrecision(3))} FLOP per byte`;
    case "strict":
      return question.strict ? "rounding must not change" : "rounding may change";
  }
}
