/** @file Links: `#f1=` + base64url(deflate-raw(JSON)). Nothing is uploaded; the address is the document. */
import type { Checked } from "../fusion";
import { parseState } from "./file";
import { limits } from "./limits";
import { type Opened, readState } from "./schema";
import type { SharedState } from "./types";

/** Bytes that are made text at once: the engine takes no more arguments of a call. */
const PIECE = 0x8000;

/** Bytes as text that survives an address: base64 with `-` and `_`, no padding. */
export function toBase64Url(bytes: Uint8Array): string {
  let binary = "";
  for (let i = 0; i < bytes.length; i += PIECE) binary += String.fromCharCode(...bytes.subarray(i, i + PIECE));
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** The bytes, or null when the text has other characters or an impossible length. */
function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[A-Za-z0-9_-]*$/.test(text) || text.length % 4 === 1) return null;
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

export const LINK_PREFIX = "#f1=";

const refuse = (code: string, text: string): Checked<never> => ({ ok: false, code, text });

const linesOf = (text: string): number => text.split("\n").length;

const tooManyLines = (text: string): Checked<never> | null =>
  linesOf(text) > limits.linkLines
    ? refuse(
        "too-many-lines",
        `The program has ${linesOf(text)} lines; a link carries at most ${limits.linkLines}. Use a file.`,
      )
    : null;

/** Every program that opening the state would read. */
async function tooLarge({ document, view }: SharedState): Promise<Checked<never> | null> {
  for (const text of [document.text, ...(view?.compare?.worlds ?? []).map((world) => world.text ?? "")]) {
    const refused = await tooLargeFor(text);
    if (refused) return refused;
  }
  return null;
}

async function tooLargeFor(text: string): Promise<Checked<never> | null> {
  const long = tooManyLines(text);
  if (long) return long;
  // A page that is opened without a link reads no program itself.
  const { sourceCounts } = await import("./source-counts");
  const { ops, edges } = sourceCounts(text);
  if (ops <= limits.linkOps && edges <= limits.linkEdges) return null;
  const most = `at most ${limits.linkOps} and ${limits.linkEdges}`;
  return refuse(
    "too-many-ops",
    `The program has ${ops} ops with ${edges} operands; a link carries ${most}. Use a file.`,
  );
}

/** A text as an address can carry it: deflated, in base64 of the kind that addresses take. Refused above 1 MiB. */
export async function packText(text: string): Promise<Checked<string>> {
  // Loaded when the first link is made: opening the page needs only the browser's own inflate.
  const { deflateSync, strToU8 } = await import("fflate");
  const bytes = strToU8(text);
  if (bytes.length > limits.linkBytes) return refuse("too-large", "The program is too large for a link. Use a file.");
  return { ok: true, value: toBase64Url(deflateSync(bytes, { level: 9 })) };
}

/** The text that `packText` packed. Never throws; refused where it is longer than a link may be or damaged. */
export async function unpackText(packed: string): Promise<Checked<string>> {
  if (packed.length > limits.linkCharacters) {
    return refuse("too-large", `The link has more than ${limits.linkCharacters} characters.`);
  }
  const bytes = fromBase64Url(packed.trim());
  if (!bytes || bytes.length === 0) return refuse("damaged", "The link is damaged: part of it is missing or changed.");
  const blob = await inflateCapped(bytes, limits.linkBytes);
  if (blob === "damaged") return refuse("damaged", "The link is damaged: part of it is missing or changed.");
  if (blob === "too-large") return refuse("too-large", "The link expands to more than 1 MiB.");
  return { ok: true, value: await blob.text() };
}

/**
 * The fragment of a link, `#f1=…`. Refused where the decoder would refuse it: above 32,768 characters,
 * 1 MiB of JSON, 2,000 lines, 500 ops or 2,000 operands; a file carries more.
 */
export async function encodeLink(state: SharedState): Promise<Checked<string>> {
  const large = await tooLarge(state);
  if (large) return large;
  const packed = await packText(JSON.stringify(state));
  if (!packed.ok) return packed;
  // What the schema would drop or refuse must not be promised to the person who opens it.
  const readable = readState(JSON.parse(JSON.stringify(state)));
  if (!readable.ok) return readable;
  const link = LINK_PREFIX + packed.value;
  return link.length > limits.linkCharacters
    ? refuse(
        "too-large",
        `The link would have ${link.length} characters; at most ${limits.linkCharacters} work. Use a file.`,
      )
    : { ok: true, value: link };
}

async function inflateCapped(bytes: Uint8Array<ArrayBuffer>, cap: number): Promise<Blob | "too-large" | "damaged"> {
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (let size = 0; ;) {
    // Rejects on anything that is not a deflate stream.
    const piece = await reader.read().catch(() => null);
    if (!piece) return "damaged";
    if (piece.done) return new Blob(parts);
    size += piece.value.length;
    if (size > cap) {
      await reader.cancel().catch(() => undefined);
      return "too-large";
    }
    parts.push(piece.value);
  }
}

/** Whether an address or fragment looks like one of our links. */
export const isLink = (text: string): boolean => text.includes(LINK_PREFIX);

/** Reads a link: a whole address or its fragment. Never throws, whatever the text; nothing in it is run. */
export async function decodeLink(text: string): Promise<Checked<Opened>> {
  const at = text.indexOf(LINK_PREFIX);
  if (at === -1) return refuse("not-a-link", "This is not a playground link: it has no #f1= part.");
  const unpacked = await unpackText(text.slice(at + LINK_PREFIX.length));
  if (!unpacked.ok) return unpacked;
  const opened = parseState(unpacked.value);
  if (!opened.ok) return opened;
  return (await tooLarge(opened.value.state)) ?? opened;
}
