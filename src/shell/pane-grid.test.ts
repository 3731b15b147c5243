import { expect, test } from "vitest";
import { fitting, type Track } from "./PaneGrid";

const track: Track = { id: "side", size: 352, least: 320 };

test("a track is never narrower than its least, and leaves the others theirs", () => {
  expect(fitting(400, track, 900, 1440)).toBe(400);
  expect(fitting(100, track, 900, 1440)).toBe(320);
  expect(fitting(800, track, 900, 1440)).toBe(540);
  expect(fitting(800, track, 1300, 1440)).toBe(320);
});
