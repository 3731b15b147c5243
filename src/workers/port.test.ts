import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ENDED, LOST, OLDER_MILLIS, workerPort } from "./port";

type Message = { readonly id: number; readonly body: string };

/** A worker that does what a test says; `lock` is granted when it dies. */
class FakeWorker extends EventTarget {
  static readonly all: FakeWorker[] = [];
  static dead = new Map<string, () => void>();
  readonly asked: Message[] = [];
  ended = false;
  constructor() {
    super();
    FakeWorker.all.push(this);
  }
  postMessage(message: Message): void {
    this.asked.push(message);
  }
  terminate(): void {
    this.ended = true;
  }
  say(data: unknown): void {
    this.dispatchEvent(Object.assign(new Event("message"), { data }));
  }
  greet(lock: string | null = null): void {
    this.say({ lock });
  }
  answer(at: number): void {
    const { id, body } = this.asked[at]!;
    this.say({ id, body: { ok: true, value: `${body}!` } });
  }
  fail(message?: string): void {
    this.dispatchEvent(Object.assign(new Event("error", { cancelable: true }), { message }));
  }
}
const last = (): FakeWorker => FakeWorker.all.at(-1)!;
const settle = (millis = 0) => vi.advanceTimersByTimeAsync(millis);

beforeEach(() => {
  vi.useFakeTimers();
  FakeWorker.all.length = 0;
  vi.stubGlobal("Worker", FakeWorker);
  vi.stubGlobal("location", new URL("http://localhost/"));
  vi.stubGlobal("navigator", {
    locks: {
      request: (name: string, granted: () => void) =>
        new Promise<void>((resolve) => {
          FakeWorker.dead.set(name, () => resolve(granted()));
        }),
    },
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test("a worker that ends in silence is told at once, and the next question starts a fresh one", async () => {
  const port = workerPort<string, string>("w.js");
  const answer = port.ask("a");
  last().greet("life");
  FakeWorker.dead.get("life")!();
  expect(await answer).toMatchObject({ ok: false, text: expect.stringContaining("ended without an answer") });
  void port.ask("b");
  expect(FakeWorker.all).toHaveLength(2);
});

test("a script that can't be had is asked for again with the same questions, and told when it stays away", async () => {
  const port = workerPort<string, string>("w.js");
  const first = port.ask("a");
  last().fail();
  await settle(500);
  expect(FakeWorker.all).toHaveLength(2);
  last().greet();
  last().answer(0);
  expect(await first).toEqual({ ok: true, value: "a!" });

  const gone = workerPort<string, string>("w.js");
  const second = gone.ask("b");
  for (const pause of [500, 2000, 0]) {
    last().fail();
    await settle(pause);
  }
  expect(await second).toEqual({ ok: false, text: LOST });
});

test("a worker that throws outside of a question says what it threw", async () => {
  const port = workerPort<string, string>("w.js");
  const answer = port.ask("a");
  last().greet();
  last().fail("boom");
  expect(await answer).toEqual({ ok: false, text: "boom" });
});

test("a browser that refuses workers is an answer, not an exception", async () => {
  vi.stubGlobal(
    "Worker",
    class {
      constructor() {
        throw new Error("refused");
      }
    },
  );
  const port = workerPort<string, string>("w.js");
  port.warm();
  expect(await port.ask("a")).toEqual({ ok: false, text: "refused" });
});

test("older questions get a moment beside one that the person waits for, then they are ended", async () => {
  const port = workerPort<string, string>("w.js");
  const old = port.ask("old");
  last().greet();
  const wanted = port.askFirst("new");
  await settle(OLDER_MILLIS);
  expect(await old).toEqual({ ok: false, text: ENDED });
  expect(FakeWorker.all[0]!.ended).toBe(true);
  expect(last().asked.map(({ body }) => body)).toEqual(["new"]);
  last().greet();
  last().answer(0);
  expect(await wanted).toEqual({ ok: true, value: "new!" });
});

test("a worker that is still starting is not started once more", async () => {
  const port = workerPort<string, string>("w.js");
  const old = port.ask("old");
  void port.askFirst("new");
  await settle(10 * OLDER_MILLIS);
  expect(FakeWorker.all).toHaveLength(1);
  last().greet();
  last().answer(0);
  expect(await old).toEqual({ ok: true, value: "old!" });
});
