/** @file Records by node identity. A node may be called `constructor`, so they have no prototype. */

/** A fresh record without a prototype, with the entries of all `parts`; later ones win. */
export function recordOf<T>(...parts: readonly Readonly<Record<string, T>>[]): Record<string, T> {
  const record = Object.create(null) as Record<string, T>;
  for (const part of parts) for (const [key, value] of Object.entries(part)) record[key] = value;
  return record;
}
