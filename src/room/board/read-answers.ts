/** @file What a teacher pastes or drops: links of laptops, the lines around them, files. Foreign things get a sentence. */
import { isLink, limits } from "../../document";
import { findLessonHead } from "../../course";
import { parseProgress } from "../../state";
import { decodeHandIn, encodeHandIn, HAND_IN_PREFIX } from "../hand-in";

export interface Reading {
  /** Fragments for the board, each of them readable. */
  readonly fragments: readonly string[];
  /** What was not understood: where, and what to do. */
  readonly faults: readonly string[];
}

const LINK = /#board=[\w-]*/g;
/** Where a line is quoted, this much of it. */
const QUOTED = 40;

const quoted = (line: string): string => `“${line.length > QUOTED ? `${line.slice(0, QUOTED)}…` : line}”`;

/** `ready · Chrome 142, Linux · …`: what stands above a link for people. */
const isForPeople = (line: string): boolean => line.includes(" · ");

const FOREIGN =
  "is not a result: ask for what “Copy result” or “Copy link” gives on the page “Check this laptop” (#check).";

async function readLine(line: string, known: ReadonlySet<string>): Promise<Reading | null> {
  const links = [...line.matchAll(LINK)].map(([fragment]) => fragment);
  if (links.length === 0) {
    if (isLink(line)) return { fragments: [], faults: [`${quoted(line)} is a link to a program: it holds no result.`] };
    return null;
  }
  const fragments: string[] = [];
  const faults: string[] = [];
  for (const link of links) {
    const read = await decodeHandIn(link);
    if (!read.ok) faults.push(`${quoted(link)}: ${read.text}`);
    else if (known.has(link)) faults.push(`${read.value.name || "A result without a name"} is on the board already.`);
    else fragments.push(link);
  }
  return { fragments, faults };
}

/** Every link in `text`; a line without one counts as a fault unless it stands for people above a link. */
export async function readText(text: string, board: readonly string[]): Promise<Reading> {
  const known = new Set(board);
  const fragments: string[] = [];
  const faults: string[] = [];
  let waiting: string | null = null;
  const missed = (): void => {
    if (waiting !== null)
      faults.push(`${quoted(waiting)} has no link with it: the line with ${HAND_IN_PREFIX}… is missing.`);
    waiting = null;
  };
  for (const line of text.split("\n").map((each) => each.trim())) {
    if (line === "") continue;
    const read = await readLine(line, known);
    if (read) {
      if (read.fragments.length + read.faults.length > 0) waiting = null;
      fragments.push(...read.fragments);
      faults.push(...read.faults);
      for (const fragment of read.fragments) known.add(fragment);
    } else {
      missed();
      if (isForPeople(line)) waiting = line;
      else faults.push(`${quoted(line)} ${FOREIGN}`);
    }
  }
  missed();
  return { fragments, faults };
}

/** Progress that was downloaded from “Lessons and puzzles”; null where the text is something else. */
function progressIn(text: string): ReturnType<typeof parseProgress> | null {
  const progress = new Map([...parseProgress(text)].filter(([id]) => findLessonHead(id) !== null));
  return progress.size > 0 ? progress : null;
}

/** A file: downloaded progress, named by the file, or a text with links in it. `when` is its date, ms since 1970. */
export async function readFile(name: string, text: string, when: number, board: readonly string[]): Promise<Reading> {
  if (text.length > limits.fileBytes) return { fragments: [], faults: [`${name} is too large to be a result.`] };
  const course = progressIn(text);
  if (course) {
    const encoded = await encodeHandIn({ name: name.replace(/\.\w+$/, ""), when, laptop: null, times: [], course });
    return encoded.ok ? readText(encoded.value, board) : { fragments: [], faults: [`${name}: ${encoded.text}`] };
  }
  if (!text.includes(HAND_IN_PREFIX))
    return {
      fragments: [],
      faults: [`${name} holds neither downloaded progress (fusion-course.json) nor a link from “Hand in”.`],
    };
  const { fragments, faults } = await readText(text, board);
  return { fragments, faults: faults.map((fault) => `${name}: ${fault}`) };
}
