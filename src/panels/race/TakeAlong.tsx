/** @file A race to take along: its last frame as a picture, all of it as a film. */
import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";
import { download } from "../download";
import type { Race } from "../model/race";
import { filmOf, pngOf } from "../pixels";
import { Poster } from "./Poster";

/** Draws moments of the race as SVG texts, in the page's own colours. */
function posters(race: Race, title: string): { readonly at: (time: number) => string; readonly end: () => void } {
  const host = document.createElement("div");
  const root = createRoot(host);
  const style = getComputedStyle(document.documentElement);
  const ink = (token: string): string => style.getPropertyValue(`--${token}`).trim();
  return {
    at(time) {
      flushSync(() => root.render(<Poster {...{ race, time, title, ink }} />));
      return new XMLSerializer().serializeToString(host.firstElementChild!);
    },
    end: () => root.unmount(),
  };
}

/** Saves `race.png`: both plans at their end. */
export async function savePicture(race: Race, title: string): Promise<void> {
  const drawn = posters(race, title);
  const png = await pngOf(drawn.at(race.end)).finally(drawn.end);
  download("race.png", "image/png", png);
}

/** Saves `race.webm`: from the start to the end in `millis`. */
export async function saveFilm(race: Race, title: string, millis: number): Promise<void> {
  const drawn = posters(race, title);
  const film = await filmOf((part) => drawn.at(part * race.end), millis).finally(drawn.end);
  download("race.webm", "video/webm", film);
}
