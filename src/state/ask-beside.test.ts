import { expect, test } from "vitest";
import { defaultOptions, type SavedSheet } from "../fusion";
import { ENDED, localPort, type CompileRequest } from "../workers";
import type { Playground } from "./playground";
import { createPlayground } from "./playground";
import { environmentWith, fakeAnswer, Shelf } from "./testing/fake-environment";

/** A page whose worker ends the first two questions of `kind`, as the page's own question does when it is late. */
async function busyPage(kind: CompileRequest["kind"]) {
  const port = localPort((request: CompileRequest) =>
    request.kind === "saved" ? ({ kind: "saved", sheet: {} as SavedSheet } as const) : fakeAnswer(request),
  );
  let asked = 0;
  const busy = {
    ...port,
    ask: (question: CompileRequest) =>
      question.kind === kind && asked++ < 2 ? Promise.resolve({ ok: false as const, text: ENDED }) : port.ask(question),
  };
  const page = createPlayground(environmentWith(new Shelf(), busy as never));
  page.start();
  page.getState().actions.typeText("N = 8\ny = 1");
  await expect.poll(() => page.getState().derived.compilation?.text).toBe("N = 8\ny = 1");
  return { page, asked: () => asked };
}

const about = { region: "r" as never, node: "y" as never };
type Row = readonly [
  CompileRequest["kind"],
  ask: (page: Playground) => Promise<unknown>,
  shown: (page: Playground) => unknown,
];
const rows: readonly Row[] = [
  ["sizes", (page) => page.getState().actions.askSizes("N"), (page) => page.getState().sizes?.rows],
  ["saved", (page) => page.getState().actions.askSaved(), (page) => page.getState().savedSheet?.sheet],
  ["orders", (page) => page.getState().actions.askOrders(), () => true],
  ["optimum", (page) => page.getState().actions.askBestPlan(), () => true],
  [
    "what-if",
    (page) => page.getState().actions.askWhatIf({ kind: "strict", strict: true }),
    (page) => page.getState().whatIf?.status === "answered",
  ],
  ["knobs", (page) => page.getState().actions.askKnobs(about.region), (page) => page.getState().knobs],
  ["looks", (page) => page.getState().actions.askLooks(about.region), (page) => page.getState().looks],
  ["numbers", (page) => page.getState().actions.numbersOf(about.node), () => true],
  ["plans", (page) => page.getState().actions.plansApart(page.getState().derived.compilation!, [0]), () => true],
  ["compile", (page) => page.getState().actions.planApart("y = 1\nz = 2", defaultOptions), () => true],
  [
    "import",
    (page) => page.getState().actions.importModel("m.onnx", new Uint8Array(1)),
    (page) => page.getState().importing?.status === "asking",
  ],
];

test.each(rows)(
  "what is asked beside the page is asked again when the page's own question ended it: %s",
  async (kind, ask, shown) => {
    const { page, asked } = await busyPage(kind);
    await ask(page);
    expect(asked()).toBeGreaterThan(2);
    expect(shown(page)).toBeTruthy();
    page.dispose();
  },
);

test("an answer that nobody waits for any more is not asked for", async () => {
  const { page, asked } = await busyPage("saved");
  page.getState().actions.typeText("N = 8\ny = 1\nz = 2");
  await page.getState().actions.askSaved();
  expect([asked(), page.getState().savedSheet]).toEqual([0, null]);
  page.dispose();
});

test("no smaller size is asked for where the program has no such value at any size", async () => {
  const { page } = await busyPage("numbers");
  expect(await page.getState().actions.numbersOf("nothing" as never)).toBe("This program has no value nothing.");
  page.dispose();
});
