/** @file What a person prefers on this machine: theme, single-letter keys, and whether the tour was taken. Kept beside the draft, never in a link. */
import type { Slice } from "./slice";
import type { PlaygroundState, Theme } from "./types";
import type { World } from "./world";

export const PREFERENCES_KEY = "fusion-playground.preferences";

interface Preferences {
  readonly theme: Theme;
  readonly letterKeys: boolean;
  readonly toured: boolean;
}

const defaults: Preferences = { theme: "system", letterKeys: true, toured: false };

function read(world: World): Preferences {
  const text = world.storage.read(PREFERENCES_KEY);
  if (text === null) return defaults;
  try {
    const { theme, letterKeys, toured } = JSON.parse(text) as Partial<Record<keyof Preferences, unknown>>;
    return {
      theme: theme === "light" || theme === "dark" ? theme : "system",
      letterKeys: letterKeys !== false,
      toured: toured === true,
    };
  } catch {
    return defaults;
  }
}

const shown = (world: World, theme: Theme): "light" | "dark" =>
  theme === "system" ? (world.prefersDark() ? "dark" : "light") : theme;

/** The preferences as the store holds them. */
export function keptPreferences(world: World): Pick<PlaygroundState, "theme" | "shownTheme" | "letterKeys" | "toured"> {
  const { theme, letterKeys, toured } = read(world);
  return { theme, letterKeys, toured, shownTheme: shown(world, theme) };
}

export const preferencesSlice: Slice<"setTheme" | "setLetterKeys" | "showTour"> = (deeds) => {
  const { world } = deeds;
  const keep = (): void => {
    const { theme, letterKeys, toured } = deeds.get();
    world.storage.write(PREFERENCES_KEY, JSON.stringify({ theme, letterKeys, toured } satisfies Preferences));
  };
  return {
    setTheme(theme) {
      deeds.set({ theme, shownTheme: shown(world, theme) });
      keep();
    },
    showTour(tour) {
      const first = !deeds.get().toured;
      deeds.set({ tour, toured: true });
      if (first) keep();
    },
    setLetterKeys(letterKeys) {
      deeds.set({ letterKeys });
      keep();
    },
  };
};
