/** @file A race as a picture and as a film. */
import { svgText } from "../../picture";
import { download } from "../download";
import { pageInk, pngOf, filmOf } from "../pixels";
import type { Race } from "../model/run/race";
import { racePoster } from "../posters/race-poster";

/** Saves `race.png`: both plans at their end. */
export const savePicture = async (race: Race, title: string): Promise<void> =>
  download("race.png", "image/png", await pngOf(svgText(racePoster(race, race.end, title, pageInk()))));

/** Saves `race.webm`: from the start to the end in `millis`. */
export async function saveFilm(race: Race, title: string, millis: number): Promise<void> {
  const ink = pageInk();
  const film = await filmOf((part) => svgText(racePoster(race, part * race.end, title, ink)), millis);
  download("race.webm", "video/webm", film);
}
