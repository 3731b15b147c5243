/** @file A short text, character by character: what comes after the characters before it. */
import type { DataPart, DataSet } from "./define";

/** Every character that the text may hold; a character's number is its index here. */
export const ALPHABET = "\n abcdefghijklmnopqrstuvwxyz,.'-";

export const STORY = `a small chip lived at the edge of a wide memory. it could add and multiply faster than
anyone in the house, but it owned just a handful of registers, and whatever did not fit in
them had to go out to the memory and come back again.

every morning a list of work came in. take the row, said the first line. so the chip sent for
the row, and waited. the row came slowly, one long train of numbers after the other. add one
to each of them, said the line. the chip added one to each of them, which took a tiny, dizzy moment,
and sent the row back to the memory, and waited. now take the row, said the second line.

but i had it here a moment ago, said the chip. i didn't want to give it up. it was in my registers. i could have gone on.
the list does not say so, said the memory, and sent the row again. multiply it by two, said the
second line. the chip multiplied it by two, and sent the row back, and waited. now take the
row, said the third line.

so the day went by, half-empty. the chip was quick, and the road was slow, and most of the day the chip
stood at the edge of the memory and waited for the next train. at night it was tired, although
it had done almost nothing.

then a reader came to the house, who liked to look at a whole list before she began. she read
the first line, and the second line, and the third. these three want the same row, she said.
if you keep each number in your hand until all three lines are done with it, the row comes
once and goes once. may i do that, asked the chip. you may, said the reader, if you're sure that nobody else
has to see the numbers in between. the chip looked, and nobody else had to see them.

the next day at six the row came in, and each number was taken up once. the chip added one to it,
and multiplied it by two, and took the larger of it and nothing, and put it down for good. the
trains were few that day, and the work was done before noon.

but the list grew longer, and one line said, take the sum of the row, and take that sum from
every number in it. the chip began as it had learned, and stopped. i can not take the sum from
the first number, it said, before i have seen the last one. no, said the reader, here you must
look at the row twice. is the row short enough to stay in your hands. if it is, keep it there.
if it is not, send for it again, and do not be ashamed. to look twice is not the same as to
carry everything out and in again.

some lines wanted a number that two other lines wanted too. keep it, said the memory. make it
again, said the chip, for i am quick. and the reader counted. what is cheap to make is made
twice, she said, and what is dear is kept, and when you do not know, you measure.

so the chip and the memory and the reader lived together, and the well-read lists grew
longer every year, and the trains grew fewer. and when someone asked the chip for its secret,
it said, i do not work more than i did before. i only wait less.
`
  .replaceAll(/(?<!\n)\n(?!\n|$)/g, " ")
  .replaceAll("\n\n", "\n");

/** The numbers of the text's characters. */
const characters: readonly number[] = Array.from(STORY, (character) => ALPHABET.indexOf(character));

/** The number of the character at `at`; the text goes on at its beginning. */
const characterAt = (at: number): number =>
  characters[((at % characters.length) + characters.length) % characters.length]!;

/** Characters that a program usually reads before it answers. */
const CONTEXT = 8;

/** Example p is about position p of the text: `next` ends with its character, `characters` with the one before it. */
const part = (name: string, offset: number, least: number): DataPart => ({
  name,
  dtype: "i32",
  shapes: least === 0 ? "no axis, or [T] for the last T" : "[T] for the last T",
  usual: least === 0 ? [[], [CONTEXT]] : [[CONTEXT]],
  fits: (shape) => shape.length <= 1 && shape.length >= least,
  read(out, at, index, shape) {
    const length = shape[0] ?? 1;
    for (let i = 0; i < length; i++) out[at + i] = characterAt(index + offset - length + 1 + i);
  },
});

/** A short story of our own; an example is a position in it. */
export const story: DataSet = {
  name: "text",
  sentence: `A short story of ${characters.length.toLocaleString("en")} characters; the label is the next character.`,
  view: "text",
  examples: characters.length,
  classes: ALPHABET.length,
  parts: [part("characters", -1, 1), part("next", 0, 0)],
};
