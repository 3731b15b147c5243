import { expect, test } from "vitest";
import { fitting, type SplitPane } from "./Split";

const pane: SplitPane = { id: "side", size: 352, least: 320, content: null };

test("a pane is never narrower than its least, and leaves the others theirs", () => {
  expect(fitting(400, pane, 900, 1440)).toBe(400);
  expect(fitting(100, pane, 900, 1440)).toBe(320);
  expect(fitting(800, pane, 900, 1440)).toBe(540);
  expect(fitting(800, pane, 1300, 1440)).toBe(320);
});
