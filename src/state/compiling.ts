/** @file Keeps the compilation in step with the document: waits for a pause, asks the worker, drops stale answers. */
import type { Compilation, CompileOptions } from "../fusion";
import { ENDED } from "../workers";
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

/** One question is with the worker at a time; while it thinks, only the newest request waits. */
export function startCompiling(environment: Environment, events: CompilerEvents): Compiler {
  let revision = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let waiting: Wanted | null = null;
  let busy = false;

  const next = (): void => {
    if (busy || !waiting) return;
    const asked = waiting;
    waiting = null;
    busy = true;
    void environment.compileWorker.ask({ kind: "compile", text: asked.text, options: asked.options }).then((answer) => {
      busy = false;
      if (asked.revision === revision) {
        if (answer.ok && answer.value.kind === "compiled") events.done(asked.revision, answer.value.compilation);
        else if (!answer.ok) events.failed(asked.revision, answer.text === ENDED ? null : answer.text);
      }
      next();
    });
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
      waiting = null;
      if (busy) environment.compileWorker.end();
      else events.failed(revision, null);
    },
    dispose() {
      clearTimeout(timer);
      revision++;
      waiting = null;
      environment.compileWorker.end();
    },
  };
}
