/** @file What a person prefers on this machine: theme, single-letter keys, the inspector open or folded, and whether the tour was taken. Kept beside the draft, never in a link. */
import type { Slice } from "./slice-context";
import type { PlaygroundState, Theme } from "../types";
import type { Environment } from "../environment";

export const PREFERENCES_KEY = "fusion-playground.preferences";

/** A TiB: more than any device has. */
export const MAX_MEMORY_MIB = 2 ** 20;

/** Whole MiB in range; the default for what is none. */
const asMemory = (value: unknown): number =>
  typeof value === "number" && value >= 1 ? Math.min(Math.round(value), MAX_MEMORY_MIB) : defaults.memoryMiB;

interface Preferences {
  readonly theme: Theme;
  readonly letterKeys: boolean;
  readonly toured: boolean;
  readonly inspector: boolean;
  /** GPU memory that a run may use, MiB. */
  readonly memoryMiB: number;
  /** Plan for the device once it is measured. */
  readonly planHere: boolean;
}

const defaults: Preferences = {
  theme: "system",
  letterKeys: true,
  toured: false,
  inspector: false,
  memoryMiB: 512,
  planHere: true,
};

function read(environment: Environment): Preferences {
  const text = environment.storage.read(PREFERENCES_KEY);
  if (text === null) return defaults;
  try {
    const { theme, letterKeys, toured, inspector, memoryMiB, planHere } = JSON.parse(text) as Partial<
      Record<keyof Preferences, unknown>
    >;
    return {
      theme: theme === "light" || theme === "dark" ? theme : "system",
      letterKeys: letterKeys !== false,
      toured: toured === true,
      inspector: inspector === true,
      memoryMiB: asMemory(memoryMiB),
      planHere: planHere !== false,
    };
  } catch {
    return defaults;
  }
}

const shown = (environment: Environment, theme: Theme): "light" | "dark" =>
  theme === "system" ? (environment.prefersDark() ? "dark" : "light") : theme;

/** The preferences as the store holds them. */
export function storedPreferences(
  environment: Environment,
): Pick<PlaygroundState, "theme" | "shownTheme" | "letterKeys" | "toured" | "inspector" | "memoryMiB" | "planHere"> {
  const kept = read(environment);
  return { ...kept, shownTheme: shown(environment, kept.theme) };
}

/** Nobody has seen the page's own beginning on this machine. */
export const isFirstVisit = (environment: Environment): boolean => environment.storage.read(PREFERENCES_KEY) === null;

/** From here on a visit is not the first. */
export function markVisit(environment: Environment): void {
  if (isFirstVisit(environment)) environment.storage.write(PREFERENCES_KEY, JSON.stringify(defaults));
}

export const preferencesSlice: Slice<
  "setTheme" | "setLetterKeys" | "setMemory" | "showTour" | "showInspector" | "setPlanHere"
> = (context) => {
  const { environment } = context;
  const keep = (): void => {
    const { theme, letterKeys, toured, inspector, memoryMiB, planHere } = context.get();
    environment.storage.write(
      PREFERENCES_KEY,
      JSON.stringify({ theme, letterKeys, toured, inspector, memoryMiB, planHere } satisfies Preferences),
    );
  };
  return {
    setTheme(theme) {
      context.set({ theme, shownTheme: shown(environment, theme) });
      keep();
    },
    showTour(stop) {
      const first = !context.get().toured;
      context.set({ tour: stop === null ? null : { stop }, toured: true });
      if (first) keep();
    },
    showInspector(inspector) {
      context.set({ inspector });
      keep();
    },
    setMemory(mebibytes) {
      context.set({ memoryMiB: asMemory(mebibytes) });
      keep();
    },
    setPlanHere(planHere) {
      context.set({ planHere });
      keep();
    },
    setLetterKeys(letterKeys) {
      context.set({ letterKeys });
      keep();
    },
  };
};
