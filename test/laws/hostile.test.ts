/** @file Mutated texts, links, documents and models: each is answered, none throws, none reaches a prototype. */
import { expect, test } from "vitest";
import { decodeFile, decodeLink, encodeFile, encodeLink, type Document } from "../../src/document";
import { compile, defaultOptions, edgeId, nodeId } from "../../src/fusion";
import { importOnnx } from "../../src/import";
import { examples } from "../../src/lessons";
import { smallModel } from "./small-model";

/** Mutants of each kind; HOSTILE=count:seed says otherwise. */
const [COUNT, SEED] = (process.env["HOSTILE"] ?? "40:7").split(":").map(Number) as [number, number];
/** Processor ms above which an answer is called slow. */
const SLOW_MILLIS = 1000;

const texts = examples.map(({ text }) => text).filter((text) => text.length < 1200);
const odd = [
  "\u2028",
  "\0",
  "é𝄞",
  "__proto__",
  "constructor",
  "(",
  "]",
  "1e999",
  "2**31",
  "-1",
  "f32[0]",
  "=",
  "\n",
  "𝟙",
];

/** Numbers below `n`, the same for the same seed. */
function drawer(seed: number): (n: number) => number {
  let state = (seed * 2654435761) >>> 0;
  return (n) => {
    state = (Math.imul(state ^ (state >>> 15), 2246822519) + 3266489917) >>> 0;
    return (state >>> 8) % n;
  };
}

function mutatedText(text: string, draw: (n: number) => number): string {
  let mutant = text;
  for (let i = draw(4); i >= 0; i--) {
    const [at, length] = [draw(mutant.length + 1), draw(12)];
    const other = texts[draw(texts.length)]!;
    const from = draw(other.length);
    const put = [odd[draw(odd.length)]!, other.slice(from, from + length), "", mutant.slice(at, at + length).repeat(2)];
    mutant = mutant.slice(0, at) + put[draw(put.length)]! + mutant.slice(at + length);
  }
  return mutant;
}

function mutatedBytes(bytes: Uint8Array, draw: (n: number) => number): Uint8Array {
  const mutant = Uint8Array.from(bytes);
  for (let i = draw(8); i >= 0; i--) mutant[draw(mutant.length)] = draw(256);
  return draw(4) === 0 ? mutant.slice(0, draw(mutant.length)) : mutant;
}

const document: Document = {
  text: texts[0]!,
  positions: {},
  options: { ...defaultOptions, forced: [edgeId(nodeId("x"), nodeId("y"), 0)] },
  example: null,
};
const state = { version: 1 as const, document, decision: null };

async function linkOf(): Promise<string> {
  const link = await encodeLink(state);
  if (!link.ok) throw new Error(link.text);
  return link.value;
}

const model = smallModel();

/** What is asked of one mutant of each kind. */
const kinds: Readonly<Record<string, (draw: (n: number) => number, link: string) => unknown>> = {
  texts: (draw) => compile(mutatedText(texts[draw(texts.length)]!, draw), defaultOptions),
  links: (draw, link) => decodeLink(mutatedText(link, draw)),
  documents: (draw) => decodeFile(mutatedText(encodeFile(state), draw)),
  models: (draw) => importOnnx(mutatedBytes(model, draw)),
};

test("whole, the model is read", () => expect(importOnnx(model)).toMatchObject({ ok: true }));

test.each(Object.keys(kinds))(
  "mutants of %s are answered, none throws",
  async (kind) => {
    const link = await linkOf();
    const prototype = Object.getOwnPropertyNames(Object.prototype).length;
    let [slowest, slowSeed] = [0, 0];
    const fallen: string[] = [];
    for (let i = 0; i < COUNT; i++) {
      const seed = SEED * 1_000_003 + i;
      const begin = process.cpuUsage();
      try {
        const answer = await kinds[kind]!(drawer(seed), link);
        if (typeof answer !== "object" || answer === null) fallen.push(`${seed}: no answer`);
      } catch (thrown) {
        fallen.push(
          `${seed}: ${thrown instanceof Error ? (thrown.stack ?? "").split("\n").slice(0, 4).join(" | ") : ""}`,
        );
      }
      const { user, system } = process.cpuUsage(begin);
      const millis = (user + system) / 1000;
      if (millis > slowest) [slowest, slowSeed] = [millis, seed];
    }
    const slow = slowest > SLOW_MILLIS ? ", slow" : "";
    console.info(
      `${kind}: ${COUNT} mutants, slowest ${slowest.toFixed(0)} ms of processor time (seed ${slowSeed})${slow}`,
    );
    expect(fallen.slice(0, 5)).toEqual([]);
    expect(Object.getOwnPropertyNames(Object.prototype).length).toBe(prototype);
  },
  600_000,
);
