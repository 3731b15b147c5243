/**
 * @file What an injected bug is: another text instead of one that stands in the source. The test runner builds the
 * compiler with both (`plugin.ts`), and a test says when the wrong one runs. The product has only the right one.
 */

/**
 * A file, the text to find there with the part that goes wrong between « and », and what stands there instead.
 * An expression becomes another expression, statements (up to a `;`) other statements or none; `«»` alone is where
 * statements come in. White space may differ, and where the text stands several times, each is replaced.
 */
export type Replacement = readonly [file: string, text: string, wrong: string];
export type Bugs<Name extends string> = Readonly<Record<Name, readonly Replacement[]>>;

/** The bugs of one folder; their files are named from it. */
export const bugsIn = <Name extends string>(folder: string, bugs: Bugs<Name>): Bugs<Name> =>
  Object.fromEntries(
    Object.entries<readonly Replacement[]>(bugs).map(([name, replacements]) => [
      name,
      replacements.map(([file, text, wrong]) => [`${folder}/${file}`, text, wrong]),
    ]),
  ) as unknown as Bugs<Name>;

interface Spot {
  readonly from: number;
  readonly to: number;
  /** Asks whether this bug is switched on. */
  readonly asks: string;
  readonly wrong: string;
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Where the replacement applies in a file's text; throws when the text is no longer there. */
function spotsOf(name: string, [file, text, wrong]: Replacement, source: string): Spot[] {
  const parts = /^([^«»]*)«([^«»]*)»([^«»]*)$/s.exec(text)?.slice(1);
  if (!parts) throw new Error(`bug ${name}: mark one part of “${text}” with « and »`);
  const pattern = parts.map((part) => `(${part.trim().split(/\s+/).map(escaped).join("\\s+")})`).join("\\s*");
  const found = [...source.matchAll(new RegExp(pattern, "dg"))];
  if (found.length === 0) throw new Error(`bug ${name}: ${file} no longer has “${text}”`);
  return found.map(({ indices }) => {
    const [from, to] = indices![2]!;
    return { from, to, asks: name === ANY ? "injected.any()" : `injected.on(${JSON.stringify(name)})`, wrong };
  });
}

/** The name of what is replaced while any bug is switched on. */
export const ANY = "*";

/** The text of a file with its bugs beside what is right, on the same lines; as it is where it has none. */
export function withBugs(bugs: Bugs<string>, file: string, source: string, switches: string): string {
  const spots = Object.entries(bugs)
    .flatMap(([name, all]) => all.filter(([of]) => of === file).flatMap((each) => spotsOf(name, each, source)))
    .toSorted((a, b) => a.from - b.from);
  if (spots.length === 0) return source;
  let [text, done] = ["", 0];
  for (const { from, to, asks, wrong } of spots) {
    if (from < done) throw new Error(`${file}: two bugs overlap at “${source.slice(from, to)}”`);
    text += source.slice(done, from) + chosen(asks, source.slice(from, to), wrong);
    done = to;
  }
  return `import * as injected from ${JSON.stringify(switches)}; ${text}${source.slice(done)}`;
}

function chosen(asks: string, right: string, wrong: string): string {
  if (right === "") return `if (${asks}) { ${wrong} } `;
  return right.endsWith(";") ? `if (${asks}) { ${wrong} } else { ${right} }` : `(${asks} ? (${wrong}) : (${right}))`;
}
