/** Sentences of a syntax tree, in the order of the source. */
export function stringsOf(tree: unknown): readonly string[];
/** docs/strings.md as it should be now. */
export function stringsPage(): string;
