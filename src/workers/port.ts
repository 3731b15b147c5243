/** @file Asking a worker: one question, one answer. Workers start on the first question and are replaced after `end`. */
import { sameOriginScript } from "./trusted";

/** What a worker answers; a failure of ours inside it arrives as text. */
export type Answer<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly text: string };

export interface Port<Question, Reply> {
  /** Buffers in `transfer` are given away. After `end`, every open question is answered "ended". */
  ask(question: Question, transfer?: readonly Transferable[]): Promise<Answer<Reply>>;
  /** Starts the worker ahead of a question that is sure to come. */
  warm(): void;
  /** Ends the worker, whatever it does; the next question starts a fresh one. */
  end(): void;
}

interface Envelope<T> {
  readonly id: number;
  readonly body: T;
}

export const ENDED = "ended";

/** A port to the module worker at `url` (from a `?worker&url` import). */
export function workerPort<Question, Reply>(url: string): Port<Question, Reply> {
  let worker: Worker | null = null;
  let asked = 0;
  const open = new Map<number, (answer: Answer<Reply>) => void>();

  const failAll = (text: string): void => {
    const answers = [...open.values()];
    open.clear();
    for (const answer of answers) answer({ ok: false, text });
  };
  const end = (text: string): void => {
    worker?.terminate();
    worker = null;
    failAll(text);
  };
  const start = (): Worker => {
    const started = new Worker(sameOriginScript(url), { type: "module" });
    started.addEventListener("message", ({ data }: MessageEvent<Envelope<Answer<Reply>>>) => {
      const answer = open.get(data.id);
      open.delete(data.id);
      answer?.(data.body);
    });
    started.addEventListener("error", (event) => {
      event.preventDefault();
      if (worker === started) end(event.message || "The worker could not be started.");
    });
    return started;
  };

  return {
    ask: (body, transfer = []) =>
      new Promise((answer) => {
        worker ??= start();
        const id = ++asked;
        open.set(id, answer);
        worker.postMessage({ id, body } satisfies Envelope<Question>, [...transfer]);
      }),
    warm: () => void (worker ??= start()),
    end: () => end(ENDED),
  };
}

/** The worker's side: answers every question with what `reply` gives, or with the text of what it threw. */
export function serve<Question, Reply>(
  reply: (question: Question) => Reply | Promise<Reply>,
  transferOf: (reply: Reply) => readonly Transferable[] = () => [],
): void {
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
export const localPort = <Question, Reply>(
  reply: (question: Question) => Reply | Promise<Reply>,
): Port<Question, Reply> => ({
  ask: (question) => Promise.resolve().then(() => answerTo(reply, question)),
  warm: () => undefined,
  end: () => undefined,
});
