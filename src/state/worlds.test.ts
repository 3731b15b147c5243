import { expect, test } from "vitest";
import { defaultOptions } from "../fusion";
import { ENDED, localPort } from "../workers";
import { createPlayground } from "./playground";
import { environmentWith, fakeAnswer, Shelf } from "./testing/fake-environment";

test("a plan that is asked for beside the page is asked for again when the page's own question ended it", async () => {
  const port = localPort(fakeAnswer);
  let ended = 2;
  const busy = {
    ...port,
    ask: (question: Parameters<typeof port.ask>[0]) =>
      ended-- > 0 ? Promise.resolve({ ok: false as const, text: ENDED }) : port.ask(question),
  };
  const page = createPlayground(environmentWith(new Shelf(), busy as never));
  page.start();
  const answer = await page.getState().actions.planApart("y = 1\nz = 2", defaultOptions);
  expect(answer).toMatchObject({ text: "y = 1\nz = 2" });
  expect(ended).toBeLessThan(0);
  page.dispose();
});
