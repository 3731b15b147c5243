/** @file What a person prefers on this machine: theme and single-letter keys. Kept beside the draft, never in a link. */
import type { Slice } from "./slice";
import type { PlaygroundState, Theme } from "./types";
import type { World } from "./world";

export const PREFERENCES_KEY = "fusion-playground.preferences";

interface Preferences {
  readonly theme: Theme;
  readonly letterKeys: boolean;
}

const defaults: Preferences = { theme: "system", letterKeys: true };

function read(world: World): Preferences {
  const text = world.storage.read(PREFERENCES_KEY);
  if (text === null) return defaults;
  try {
    const { theme, letterKeys } = JSON.parse(text) as { theme?: unknown; letterKeys?: unknown };
    return {
      theme: theme === "light" || theme === "dark" ? theme : "system",
      letterKeys: letterKeys !== false,
    };
  } catch {
    return defaults;
  }
}

const shown = (world: World, theme: Theme): "light" | "dark" =>
  theme === "system" ? (world.prefersDark() ? "dark" : "light") : theme;

/** The preferences as the store holds them. */
export function keptPreferences(world: World): Pick<PlaygroundState, "theme" | "shownTheme" | "letterKeys"> {
  const { theme, letterKeys } = read(world);
  return { theme, letterKeys, shownTheme: shown(world, theme) };
}

export const preferencesSlice: Slice<"setTheme" | "setLetterKeys"> = (deeds) => {
  const { world } = deeds;
  const keep = (): void => {
    const { theme, letterKeys } = deeds.get();
    world.storage.write(PREFERENCES_KEY, JSON.stringify({ theme, letterKeys } satisfies Preferences));
  };
  return {
    setTheme(theme) {
      deeds.set({ theme, shownTheme: shown(world, theme) });
      keep();
    },
    setLetterKeys(letterKeys) {
      deeds.set({ letterKeys });
      keep();
    },
  };
};
