import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { defaultOptions, edgeId, nodeId, type CompileOptions } from "../fusion";
import { readDraft, writeDraft, type Document } from "../document";
import { DRAFT_KEY } from "./storage/autosave";
import { COPIES_KEY, MAX_COPIES } from "./storage/copies";
import { createPlayground, type Playground } from "./playground";
import { Shelf, environmentWith } from "./testing/fake-environment";
import type { DraftOwner, Environment } from "./environment";

const settle = (millis = 1000) => vi.advanceTimersByTimeAsync(millis);
const opened: Playground[] = [];

function visit(storage: Shelf, more: Partial<Environment> = {}): Playground {
  const page = createPlayground({ ...environmentWith(storage), ...more });
  opened.push(page);
  page.start();
  return page;
}
const type = (page: Playground, text: string): void => page.getState().actions.typeText(text);
const draftOf = (shelf: Shelf): string => {
  const read = readDraft(shelf.kept.get(DRAFT_KEY) ?? "");
  return read.ok ? read.value.state.document.text : "unreadable";
};
const copiesOf = (page: Playground): string[] =>
  page.getState().previousWorks.map(({ document, draft }) => document?.text ?? draft);
const linked = (page: Playground, text: string): void =>
  page.getState().actions.openDocument({ ...page.getState().document, text, example: null }, null, "link");

let shelf: Shelf;
beforeEach(() => {
  vi.useFakeTimers();
  shelf = new Shelf();
});
afterEach(() => {
  for (const page of opened.splice(0)) page.dispose();
  vi.useRealTimers();
});

test("a draft of any size that is called saved opens on the next visit", async () => {
  const long = `# ${"long ".repeat(800_000)}\na = 1`;
  const page = visit(shelf);
  type(page, long);
  await settle();
  expect(page.getState().saved).toBe("saved");
  expect(visit(shelf).getState().document.text).toBe(long);
});

test("every document that the page can make is read back as it was", () => {
  const name = fc.string({
    minLength: 1,
    maxLength: 2000,
    unit: fc.constantFrom("a", "_", "__proto__", "constructor", "é", "7"),
  });
  fc.assert(
    fc.property(
      fc.string({ unit: "binary" }).filter((text) => !text.includes("\r")),
      fc.array(fc.tuple(name, name)),
      fc.dictionary(
        name,
        fc.record({ x: fc.integer({ min: -1e8, max: 1e8 }), y: fc.integer({ min: -1e8, max: 1e8 }) }),
      ),
      (text, edges, positions) => {
        const forbidden = edges.map(([from, to]) => edgeId(nodeId(from), nodeId(to), 0));
        const named = Object.keys(positions);
        const options: CompileOptions = {
          ...defaultOptions,
          forbidden,
          savedValues: { apart: true, choices: Object.fromEntries(named.map((id) => [id, "recompute" as const])) },
          knobs: { all: {}, kernels: Object.fromEntries(named.map((id) => [id, { threads: "64" }])) },
        };
        const document: Document = { text, positions, options, example: null };
        const read = readDraft(writeDraft(document));
        expect(read.ok && read.value.dropped).toEqual([]);
        expect(read.ok && JSON.stringify(read.value.state.document)).toBe(JSON.stringify(document));
      },
    ),
  );
});

test.each([
  ["text that is not JSON", "{ my work"],
  ["a newer version", JSON.stringify({ version: 2, document: { text: "a = 1" } })],
  ["options that were refused", JSON.stringify({ version: 1, document: { text: "a = 1", options: { policy: 3 } } })],
])("a draft that can't be read is saved as a copy and told: %s", async (_, draft) => {
  shelf.kept.set(DRAFT_KEY, draft);
  const files: string[] = [];
  const page = visit(shelf, { download: (_name, text) => void files.push(text) });
  expect(page.getState().notice).toMatchObject({ tone: "warn", action: { kind: "download-copy" } });
  type(page, "new = 1");
  await settle();
  expect(page.getState().saved).toBe("saved");
  expect(copiesOf(page)).toContain(draft);
  expect(copiesOf(visit(shelf))).toContain(draft);
  page.setState({ notice: { tone: "warn", text: "", action: { label: "", kind: "download-copy" } } });
  page.getState().actions.followNotice();
  expect(files).toEqual([draft]);
});

test("a draft that can't be read is never written over where there is no room for a copy", async () => {
  shelf.kept.set(DRAFT_KEY, "{ my work");
  shelf.roomFor = (key) => key === DRAFT_KEY;
  const page = visit(shelf);
  type(page, "new = 1");
  await settle();
  expect(page.getState().saved).toBe("no-room");
  expect(shelf.kept.get(DRAFT_KEY)).toBe("{ my work");
});

test("own work outlives a link that is opened and edited in a full storage", async () => {
  const page = visit(shelf);
  type(page, "mine = 1");
  await settle();
  shelf.roomFor = (key) => key === DRAFT_KEY;
  linked(page, "theirs = 1");
  type(page, "theirs = 2");
  await settle();
  expect(page.getState().saved).toBe("no-room");
  expect(draftOf(shelf)).toBe("mine = 1");
  shelf.roomFor = () => true;
  type(page, "theirs = 3");
  await settle();
  expect(page.getState().saved).toBe("saved");
  expect(draftOf(shelf)).toBe("theirs = 3");
  expect(copiesOf(page)).toContain("mine = 1");
});

test("a storage that takes a text and gives back another is not called saved", async () => {
  const page = visit(shelf);
  shelf.write = () => true;
  type(page, "mine = 1");
  await settle();
  expect(page.getState().saved).toBe("blocked");
});

test("the last ten works are there, each once; a damaged list is not lost by the next copy", async () => {
  shelf.kept.set(COPIES_KEY, "[damaged");
  const page = visit(shelf);
  const replaced = (work: string): void => {
    type(page, work);
    linked(page, "link = 1");
  };
  replaced("work = 0");
  expect(copiesOf(page)).toEqual(["work = 0", "[damaged"]);
  for (let i = 1; i < MAX_COPIES; i++) replaced(`work = ${i}`);
  expect(copiesOf(page)).toEqual(Array.from({ length: MAX_COPIES }, (_, i) => `work = ${MAX_COPIES - 1 - i}`));
  page.getState().actions.openPrevious(2);
  await settle();
  expect(draftOf(shelf)).toBe("work = 7");
});

/** Tabs of one browser: one of them owns the draft at a time. */
class Tabs {
  private readonly all: { changed(owner: boolean): void; give(): void }[] = [];
  private owner = -1;
  join(): DraftOwner {
    let me = -1;
    return {
      follow: (changed, give) => {
        me = this.all.push({ changed, give }) - 1;
        if (this.owner === -1) this.owner = me;
        changed(this.owner === me);
      },
      takeOver: () => {
        this.all[this.owner]!.give();
        this.all[this.owner]!.changed(false);
        this.owner = me;
        this.all[me]!.changed(true);
      },
    };
  }
}

async function twoTabs(owners: readonly DraftOwner[]): Promise<void> {
  shelf.kept.set(DRAFT_KEY, writeDraft({ text: "old = 1", positions: {}, options: defaultOptions, example: null }));
  const [a, b] = owners.map((draftOwner) => visit(shelf, { draftOwner })) as [Playground, Playground];
  type(a, "long work = 1");
  await settle();
  type(b, "edit = 1");
  await settle();
  expect([a.getState().saved, b.getState().saved]).toEqual(["saved", "copied"]);
  expect(draftOf(shelf)).toBe("long work = 1");
  type(b, "edit = 2");
  await settle();
  expect(copiesOf(b)).toEqual(["edit = 2"]);
}

test("of two tabs one saves the draft; the other's work becomes a copy, until its person takes over", async () => {
  const tabs = new Tabs();
  await twoTabs([tabs.join(), tabs.join()]);
  const [a, b] = opened as [Playground, Playground];
  expect(b.getState().notice?.action?.kind).toBe("take-over");
  type(a, "long work = 2");
  b.getState().actions.followNotice();
  await settle();
  expect(draftOf(shelf)).toBe("edit = 2");
  expect(copiesOf(b)).toContain("long work = 2");
  expect(a.getState().notice?.action?.kind).toBe("take-over");
  type(a, "long work = 3");
  await settle();
  expect(draftOf(shelf)).toBe("edit = 2");
  expect(copiesOf(visit(shelf))).toEqual(expect.arrayContaining(["long work = 2", "long work = 3"]));
});

test("where tabs can't agree on an owner, the draft itself tells of the other one", async () => {
  const unaware: DraftOwner = { follow: () => undefined, takeOver: () => undefined };
  await twoTabs([unaware, unaware]);
});

test("tabs that save in any order lose no text that its person stopped at", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.boolean(), fc.constantFrom("type", "link", "take over")), { maxLength: 12 }),
      async (actions) => {
        shelf = new Shelf();
        const tabs = new Tabs();
        const pages = [visit(shelf, { draftOwner: tabs.join() }), visit(shelf, { draftOwner: tabs.join() })];
        const last = ["", ""];
        for (const [i, [which, kind]] of actions.entries()) {
          const page = pages[Number(which)]!;
          if (kind === "type") type(page, (last[Number(which)] = `work = ${i}`));
          else if (kind === "link") linked(page, `link = ${i}`);
          else {
            page.setState({ notice: { tone: "info", text: "", action: { label: "", kind: "take-over" } } });
            page.getState().actions.followNotice();
          }
          await settle();
        }
        const there = [draftOf(shelf), ...copiesOf(visit(shelf))];
        for (const text of last.filter((each) => each !== "")) expect(there).toContain(text);
      },
    ),
    { numRuns: 40 },
  );
});

test("a copy and the work of now can be had as files, as they are stored", async () => {
  const files: [string, string][] = [];
  const page = visit(shelf, { download: (name, text) => files.push([name, text]) });
  type(page, "mine = 1");
  await settle();
  page.getState().actions.startAfresh();
  page.getState().actions.downloadPrevious(0);
  page.getState().actions.downloadWork();
  const texts = files.map(([, text]) => {
    const read = readDraft(text);
    return read.ok ? read.value.state.document.text : null;
  });
  expect(texts).toEqual(["mine = 1", page.getState().document.text]);
  page.getState().actions.downloadPrevious(99);
  expect(files.length).toBe(2);
});

test("the memory allowance is a whole number of MiB in range, and is there on the next visit", () => {
  const page = visit(shelf);
  for (const [asked, set] of [
    [2048, 2048],
    [99.6, 100],
    [1e12, 2 ** 20],
    [0, 512],
    [NaN, 512],
  ] as const) {
    page.getState().actions.setMemory(asked);
    expect(page.getState().memoryMiB).toBe(set);
    expect(visit(shelf).getState().memoryMiB).toBe(set);
  }
});
