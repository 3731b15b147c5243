/** @file A disk: what becomes of a value until the backward pass. */
import type { SavedMark } from "../../../fusion";
import { DISK, savedSign } from "../../../picture";

export function SavedSign({ mark }: { readonly mark: SavedMark }) {
  const { fill, lines } = savedSign[mark];
  return (
    <svg className="saved-sign" data-mark={mark} width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
      <path className="saved-body" d={DISK.body} data-fill={fill || undefined} />
      <path d={`${DISK.rim}${lines}`} data-fill={fill || undefined} />
    </svg>
  );
}
