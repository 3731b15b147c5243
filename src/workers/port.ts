/** @file Asking a worker: one question, one answer. Workers start on the first question and are replaced after `end`. */
import { startWorker } from "./trusted";

/** What a worker answers; a failure of ours inside it arrives as text. */
export type Answer<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly text: string };

export interface Port<Question, Reply> {
  /** After `end`, every open question is answered "ended". */
  ask(question: Question): Promise<Answer<Reply>>;
  /** The same for what the person waits for: questions before it get a moment more, then they are ended. */
  askFirst(question: Question): Promise<Answer<Reply>>;
  /** Starts the worker ahead of a question that is sure to come. */
  warm(): void;
  /** Ends the worker, whatever it does; the next question starts a fresh one. */
  end(): void;
}

interface Envelope<T> {
  readonly id: number;
  readonly body: T;
}

/** What a worker says once, before any answer: the lock that it has for as long as it lives; null where there are no locks. */
interface Greeting {
  readonly lock: string | null;
}

interface Open<Question, Reply> {
  readonly question: Question;
  readonly answer: (answer: Answer<Reply>) => void;
}

export const ENDED = "ended";
/** The worker's script can't be had: the server may have a newer version by now. */
export const LOST = "A part of the page could not be loaded. Your program is safe: reload the page.";
const DIED = "The worker ended without an answer.";

/** How long older questions may keep one that the person waits for, ms. */
export const OLDER_MILLIS = 300;
/** Pauses before a script that could not be loaded is asked for again, ms. */
const RETRIES = [500, 2_000];

/** A port to the module worker at `url` (from a `?worker&url` import). */
export function workerPort<Question, Reply>(url: string): Port<Question, Reply> {
  let worker: Worker | null = null;
  let asked = 0;
  let greeted = false;
  let retried = 0;
  const open = new Map<number, Open<Question, Reply>>();

  const fail = (ids: readonly number[], text: string): void => {
    for (const id of ids) {
      const failed = open.get(id);
      open.delete(id);
      failed?.answer({ ok: false, text });
    }
  };
  const stop = (): void => {
    worker?.terminate();
    worker = null;
  };
  const end = (text: string): void => {
    stop();
    fail([...open.keys()], text);
  };
  const post = (id: number, body: Question): void => worker?.postMessage({ id, body } satisfies Envelope<Question>);
  /** A fresh worker for the questions that are open. */
  const again = (): void => {
    stop();
    if (open.size === 0) return;
    worker = start();
    for (const [id, { question }] of open) post(id, question);
  };
  const greet = (started: Worker, { lock }: Greeting): void => {
    greeted = true;
    retried = 0;
    if (lock === null) return;
    // Granted when the worker is no more: one that closes or is ended by the browser sends no event.
    void navigator.locks.request(lock, () => {
      if (worker === started) end(DIED);
    });
  };
  const start = (): Worker => {
    greeted = false;
    const started = startWorker(url);
    started.addEventListener("message", ({ data }: MessageEvent<Envelope<Answer<Reply>> | Greeting>) => {
      if (worker !== started) return;
      if ("lock" in data) return greet(started, data);
      const found = open.get(data.id);
      open.delete(data.id);
      found?.answer(data.body);
    });
    started.addEventListener("error", (event) => {
      event.preventDefault();
      if (worker !== started) return;
      if (greeted || event.message) return end(event.message || DIED);
      const pause = RETRIES[retried++];
      if (pause === undefined) {
        retried = 0;
        end(LOST);
      } else setTimeout(() => worker === started && again(), pause);
    });
    return started;
  };

  const ask = (question: Question): Promise<Answer<Reply>> =>
    new Promise((answer) => {
      try {
        worker ??= start();
        const id = ++asked;
        open.set(id, { question, answer });
        post(id, question);
      } catch (error) {
        answer({ ok: false, text: error instanceof Error ? error.message : String(error) });
      }
    });
  return {
    ask,
    askFirst(question) {
      const older = [...open.keys()];
      const answer = ask(question);
      const endOlder = (): void => {
        const left = older.filter((id) => open.has(id));
        if (left.length === 0) return;
        // A worker that is only starting answers no sooner when it is started once more.
        if (!greeted) return void setTimeout(endOlder, OLDER_MILLIS);
        fail(left, ENDED);
        again();
      };
      if (older.length > 0) setTimeout(endOlder, OLDER_MILLIS);
      return answer;
    },
    warm() {
      try {
        worker ??= start();
      } catch {
        // The first question will tell.
      }
    },
    end: () => end(ENDED),
  };
}

/** Takes a lock that nobody else asks for while this worker lives. */
async function lifeLock(): Promise<string | null> {
  try {
    const name = `worker ${crypto.randomUUID()}`;
    await new Promise<void>((taken, refused) => {
      navigator.locks
        .request(name, () => {
          taken();
          return new Promise<never>(() => undefined);
        })
        .catch(refused);
    });
    return name;
  } catch {
    return null;
  }
}

/** The worker's side: answers every question with what `reply` gives, or with the text of what it threw. */
export function serve<Question, Reply>(
  reply: (question: Question) => Reply | Promise<Reply>,
  transferOf: (reply: Reply) => readonly Transferable[] = () => [],
): void {
  void lifeLock().then((lock) => globalThis.postMessage({ lock } satisfies Greeting));
  globalThis.addEventListener("message", ({ data }: MessageEvent<Envelope<Question>>) => {
    void answerTo(reply, data.body).then((body) =>
      globalThis.postMessage({ id: data.id, body }, { transfer: body.ok ? [...transferOf(body.value)] : [] }),
    );
  });
}

async function answerTo<Question, Reply>(
  reply: (question: Question) => Reply | Promise<Reply>,
  question: Question,
): Promise<Answer<Reply>> {
  try {
    return { ok: true, value: await reply(question) };
  } catch (error) {
    // Shown by the page: a mistake of ours must not leave a question open for ever.
    return { ok: false, text: error instanceof Error ? error.message : String(error) };
  }
}

/** A port that answers in this thread: for tests and for browsers that refuse workers. */
export function localPort<Question, Reply>(
  reply: (question: Question) => Reply | Promise<Reply>,
): Port<Question, Reply> {
  const ask = (question: Question): Promise<Answer<Reply>> => Promise.resolve().then(() => answerTo(reply, question));
  return { ask, askFirst: ask, warm: () => undefined, end: () => undefined };
}
