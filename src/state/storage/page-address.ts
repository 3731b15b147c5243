/** @file Where a link to this page leads. */

/** The address that the build was given; empty without one. */
const published = import.meta.env.PUBLIC_URL as string;

/**
 * The address before a link's `#`. A page that is a file on a disk answers with the address that the build was given
 * as PUBLIC_URL, a folder's with its slash; without one, `local` says that the link opens on this computer only.
 */
export function pageAddress(): { readonly base: string; readonly local: boolean } {
  const { protocol, origin, pathname } = location;
  if (protocol !== "file:") return { base: origin + pathname, local: false };
  return published ? { base: published, local: false } : { base: `file://${pathname}`, local: true };
}

/** The page of an example that chats show with its picture; null where the build was told of no address for it. */
export const sharePage = (id: string): string | null => (published ? `${published}share/${id}/` : null);
