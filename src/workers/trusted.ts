/** @file The one Trusted Types policy of ours: script addresses, of this origin only. Monaco's and the service worker's go through it too. */

interface TrustedPolicy {
  createScriptURL(url: string): string;
}
interface TrustedFactory {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): TrustedPolicy;
}

/** A file has no origin to name, and the blobs that it makes say so too. */
const originOf = ({ protocol, origin }: URL): string => (protocol === "file:" ? "null" : origin);

const ownOrigin = (url: string): string => {
  const { href: page } = globalThis.location;
  const script = new URL(url, page);
  const { href } = script;
  if (originOf(script) !== originOf(new URL(page))) throw new TypeError(`a script of another origin: ${href}`);
  return href;
};

let policy: TrustedPolicy | null = null;

/** The address as the policy wants it for `new Worker` and `serviceWorker.register`; throws a TypeError for another origin. */
export function sameOriginScript(url: string): string {
  const factory = (globalThis as { trustedTypes?: TrustedFactory }).trustedTypes;
  policy ??= factory?.createPolicy("kf-worker", { createScriptURL: ownOrigin }) ?? { createScriptURL: ownOrigin };
  return policy.createScriptURL(url);
}

/** Starts the worker whose script is at `url`; throws as `sameOriginScript`. A blob is a whole script: a page opened from a disk may load no modules. */
export const startWorker = (url: string, name?: string): Worker =>
  new Worker(sameOriginScript(url), { type: url.startsWith("blob:") ? "classic" : "module", ...(name && { name }) });
