/** @file Where a link to this page leads. */

/**
 * The address before a link's `#`. A page that is a file on a disk answers with the address that the build was given
 * as PUBLIC_URL, a folder's with its slash; without one, `local` says that the link opens on this computer only.
 */
export function pageAddress(): { readonly base: string; readonly local: boolean } {
  const { protocol, origin, pathname } = location;
  if (protocol !== "file:") return { base: origin + pathname, local: false };
  const published = import.meta.env.PUBLIC_URL as string;
  return published ? { base: published, local: false } : { base: `file://${pathname}`, local: true };
}
