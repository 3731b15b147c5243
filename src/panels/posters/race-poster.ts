/** @file One moment of a race as a picture of its own: the last one for a slide or a chat, all of them as a film. */
import { element, type Ink, type Shape } from "../../picture";
import { laneAt, raceTimes, type Lane, type Race } from "../model/run/race";
import { laneWords, notesOf, sourceWords } from "../model/run/race-words";
import { measureBytes, plural, showBytes } from "../model/units";
import { EDGE, poster, POSTER, word } from "./poster";
import { timeline, TIMELINE_HEIGHT } from "./timeline";

/** Kernels that are generated for the device that ran may read a row more than once: what the score counts stands beside it. */
const forThis = ({ bytes, planned }: Lane): string =>
  showBytes(bytes) === showBytes(planned) ? "" : `; as generated for this device (${showBytes(planned)} as planned)`;

/** px from the top to the timeline. */
const TRACK = 186;
/** px from the top to the first note, below the timeline. */
const NOTES = TRACK + TIMELINE_HEIGHT + 16;

/** The race at `time`, µs. */
export function racePoster(race: Race, time: number, title: string, ink: Ink): Shape {
  const bytes = measureBytes(race.lanes.map((lane) => lane.bytes));
  const { width } = POSTER;
  const tone = race.source.kind === "measured" ? "ink-2" : "warn";
  const lanes = race.lanes.flatMap((lane, i) => {
    const { moved } = laneAt(lane, time);
    const all = bytes(lane.bytes);
    const x = EDGE + (i * (width - 2 * EDGE)) / race.lanes.length;
    return [
      word(`${lane.name}: ${plural(lane.kernels.length, "kernel")}`, x, 122, 13, ink(i === 1 ? "accent" : "ink-2")),
      word(`${bytes(moved).value} of ${all.value} ${all.unit}`, x, 148, 21, ink("ink"), { "font-weight": 680 }),
      word(`${laneWords(race, lane, time)}${forThis(lane)}`, x, 168, 12, ink("ink-2")),
    ];
  });
  return poster(
    { title: `${title}, naive against fused`, says: sourceWords(race.source), tone },
    [
      word(raceTimes(race)(time), width - EDGE, 58, 28, ink("ink"), { "font-weight": 700, "text-anchor": "end" }),
      word("since both began", width - EDGE, 76, 12, ink("ink-2"), { "text-anchor": "end" }),
      ...lanes,
      element(
        "g",
        { transform: `translate(${EDGE} ${TRACK})` },
        ...timeline({ race, time, width: width - 2 * EDGE, ink }),
      ),
      ...notesOf(race).map((note, i) => word(note, EDGE, NOTES + i * 16, 12, ink("ink-2"))),
    ],
    ink,
  );
}
