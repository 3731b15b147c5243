/** @file The one Trusted Types policy of ours: script addresses, of this origin only. Monaco's and the service worker's go through it too. */

interface TrustedPolicy {
  createScriptURL(url: string): string;
}
interface TrustedFactory {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): TrustedPolicy;
}

const ownOrigin = (url: string): string => {
  const { origin, href } = new URL(url, globalThis.location.href);
  if (origin !== globalThis.location.origin) throw new TypeError(`a script of another origin: ${href}`);
  return href;
};

let policy: TrustedPolicy | null = null;

/** The address as the policy wants it for `new Worker` and `serviceWorker.register`; throws a TypeError for another origin. */
export function sameOriginScript(url: string): string {
  const factory = (globalThis as { trustedTypes?: TrustedFactory }).trustedTypes;
  policy ??= factory?.createPolicy("kf-worker", { createScriptURL: ownOrigin }) ?? { createScriptURL: ownOrigin };
  return policy.createScriptURL(url);
}
