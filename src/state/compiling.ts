/** @file Keeps the compilation in step with the document: waits for a pause, asks the worker, drops stale answers. */
import type { Compilation, CompileOptions } from "../fusion";
import { ENDED, OLDER_MILLIS } from "../workers";
import type { Environment } from "./environment";

/** A pause in typing this long starts a compilation. */
export const COMPILE_PAUSE_MILLIS = 120;

export interface Compiler {
  /** The newest text and options; compiled after `delay` ms, or as soon as the worker is free. */
  request(text: string, options: CompileOptions, delay: number): void;
  cancel(): void;
  dispose(): void;
}

interface Wanted {
  readonly revision: number;
  readonly text: string;
  readonly options: CompileOptions;
}

export interface CompilerEvents {
  started(revision: number): void;
  done(revision: number, compilation: Compilation): void;
  /** The compiler itself failed, or was ended. */
  failed(revision: number, text: string | null): void;
}

/** While the worker thinks only the newest request waits, and not for long. */
export function startCompiling(environment: Environment, events: CompilerEvents): Compiler {
  let revision = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let impatient: ReturnType<typeof setTimeout> | undefined;
  let waiting: Wanted | null = null;
  let open = 0;

  const ask = (): void => {
    clearTimeout(impatient);
    if (!waiting) return;
    const asked = waiting;
    const { text, options } = asked;
    waiting = null;
    open++;
    void environment.compileWorker.askFirst({ kind: "compile", text, options }).then((answer) => {
      open--;
      if (asked.revision === revision) {
        if (answer.ok && answer.value.kind === "compiled") events.done(asked.revision, answer.value.compilation);
        else if (!answer.ok) events.failed(asked.revision, answer.text === ENDED ? null : answer.text);
      }
      if (open === 0) ask();
    });
  };
  const next = (): void => {
    if (open === 0) return ask();
    // The plan of an older text gets a moment more; then this one is asked for all the same, and the older one ended.
    clearTimeout(impatient);
    impatient = setTimeout(ask, OLDER_MILLIS);
  };

  return {
    request(text, options, delay) {
      const wanted = { revision: ++revision, text, options };
      clearTimeout(timer);
      events.started(revision);
      timer = setTimeout(() => {
        waiting = wanted;
        next();
      }, delay);
    },
    cancel() {
      clearTimeout(timer);
      clearTimeout(impatient);
      waiting = null;
      if (open > 0) environment.compileWorker.end();
      else events.failed(revision, null);
    },
    dispose() {
      clearTimeout(timer);
      clearTimeout(impatient);
      revision++;
      waiting = null;
      environment.compileWorker.end();
    },
  };
}
