/** @file Records keyed by a person's names, which may be `constructor` or `__proto__`. */

/** What `record` itself has under `key`; nothing of its prototype. */
export const ownEntry = <T>(record: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined;
