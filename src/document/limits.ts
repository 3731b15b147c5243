/** @file How much a link or a file may hold. The encoder refuses what the decoder would. */

export const limits = {
  /** Characters of a link's fragment. */
  linkCharacters: 32_768,
  /** Bytes of JSON that a link may unfold to. */
  linkBytes: 1 << 20,
  /** Lines of program in a link. */
  linkLines: 2_000,
  /** Ops and operands as written in a link's program: a call counts once, whatever it expands to. */
  linkOps: 500,
  linkEdges: 2_000,
  /** Bytes of a file: more than a browser's storage holds, so that what was saved can be opened. */
  fileBytes: 16 << 20,
  /** Characters of a kernel that was written by hand. */
  kernel: 100_000,
  /** Nesting of the JSON. */
  depth: 32,
  /** Length of a node's identity or another name. A person's names have no limit of their own, so this one only stops nonsense. */
  name: 100_000,
  /** Entries of positions, choices or pins. */
  entries: 100_000,
  /** Coordinates, in px. */
  coordinate: 1e9,
} as const;
