/** @file What the compile worker is asked beside the page's own program. Whoever asks it for more than that asks here. */
import { ENDED, type Answer, type CompileReply, type CompileRequest } from "../workers";
import type { SliceContext } from "./slices/slice-context";
import type { PlaygroundState } from "./types";

/** Whether the page's own program is planned. */
export const planned = ({ derived }: PlaygroundState): boolean => derived.status !== "compiling";

/**
 * What the worker says of a program beside the page's own, which goes first. Where the page's own question ends it, it is
 * asked again; not once it is idle, when nobody waits for the answer any more.
 */
export async function askBeside(
  context: SliceContext,
  request: CompileRequest,
  idle: () => boolean = () => false,
): Promise<Answer<CompileReply>> {
  const { signal } = new AbortController();
  for (;;) {
    await context.until(planned, signal);
    if (idle()) return { ok: false, text: ENDED };
    const reply = await context.environment.compileWorker.ask(request);
    if (reply.ok || reply.text !== ENDED) return reply;
  }
}
