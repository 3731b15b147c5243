/** @file From FILE to a program text with its options. */
import { defaultOptions } from "../fusion";
import type { Checked, CompileOptions } from "../fusion";
import { decodeFile, decodeLink, isLink } from "../document";
import type { Opened } from "../document";
import type { World } from "./world";

export interface Loaded {
  readonly text: string;
  readonly options: CompileOptions;
  /** What was left out while it was opened, in words. */
  readonly dropped: readonly string[];
}

const opened = (state: Checked<Opened>): Checked<Loaded> =>
  state.ok ? { ok: true, value: { ...pick(state.value.state.document), dropped: state.value.dropped } } : state;

const pick = ({ text, options }: Opened["state"]["document"]) => ({ text, options });

/** A share link (as FILE itself or as the file's contents), a saved document, or a program. */
export async function load(file: string, world: World): Promise<Checked<Loaded>> {
  if (isLink(file)) return opened(await decodeLink(file));
  let text: string;
  try {
    text = await world.read(file);
  } catch (refused) {
    return { ok: false, code: "unreadable", text: `${file} can't be read: ${(refused as Error).message}` };
  }
  if (file.endsWith(".json") || /^\s*\{/.test(text)) return opened(decodeFile(text));
  const first = text.trim();
  if (isLink(first) && !first.includes("\n")) return opened(await decodeLink(first));
  return { ok: true, value: { text, options: defaultOptions, dropped: [] } };
}
