/** @file The door to the workers: their addresses, their questions and answers, and how to ask. */
import checkUrl from "./check?worker&url";
import countUrl from "./count?worker&url";
import compileUrl from "./compile?worker&url";
import layoutUrl from "./layout?worker&url";

export * from "./messages";
export { ENDED, LOST, OLDER_MILLIS, localPort, workerPort, type Answer, type Port } from "./port";
export { sameOriginScript, startWorker } from "./trusted";

/** Addresses for `workerPort`. */
export const workerUrls = { check: checkUrl, compile: compileUrl, count: countUrl, layout: layoutUrl } as const;
