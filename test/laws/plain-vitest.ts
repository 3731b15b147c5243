/** @file As much of vitest as the laws use, for machines with nothing but Node: `npm run soak -- --bundle` uses it instead of vitest. */
import { JestChaiExpect } from "@vitest/expect";
import * as chai from "chai";

type Body = (...args: readonly unknown[]) => unknown;

interface Told {
  readonly title: string;
  readonly message: string;
}

interface Group {
  readonly name: string;
  readonly before: Body[];
  readonly after: Body[];
  readonly tests: { readonly name: string; readonly body: Body }[];
  readonly groups: Group[];
}

const newGroup = (name: string): Group => ({ name, before: [], after: [], tests: [], groups: [] });
let open = newGroup("");
const root = open;

chai.use(JestChaiExpect);
chai.config.truncateThreshold = 0;
export const { expect } = chai;

export const beforeAll = (body: Body): unknown => open.before.push(body);
export const afterAll = (body: Body): unknown => open.after.push(body);

/** A title as test reports spell it, near enough. */
const titleOf = (name: string, args: readonly unknown[]): string =>
  args.reduce<string>((title, arg) => title.replace(/%[sdfj]/, String(arg)), name);
const listed = (row: unknown): readonly unknown[] => (Array.isArray(row) ? row : [row]);
const bodyOf = (rest: readonly unknown[]): Body => rest.find((each) => typeof each === "function") as Body;

type TestMaker = ((name: string, ...rest: readonly unknown[]) => void) & {
  each: (rows: readonly unknown[]) => (name: string, ...rest: readonly unknown[]) => void;
  skipIf: (skip: unknown) => TestMaker;
};

/** `test` and `describe` differ in what they make of a name and a body. */
function maker(make: (name: string, body: Body) => void): TestMaker {
  const plain = (name: string, ...rest: readonly unknown[]): void => make(name, bodyOf(rest));
  const each =
    (rows: readonly unknown[]) =>
    (name: string, ...rest: readonly unknown[]) => {
      for (const row of rows) {
        const args = listed(row);
        make(titleOf(name, args), () => bodyOf(rest)(...args));
      }
    };
  const idle = (): TestMaker => maker(() => {});
  return Object.assign(plain, { each, skipIf: (skip: unknown): TestMaker => (skip ? idle() : maker(make)) });
}

export const test = maker((name, body) => void open.tests.push({ name, body }));
export const describe = maker((name, body) => {
  const outer = open;
  open = newGroup(name);
  outer.groups.push(open);
  body();
  open = outer;
});

/** Runs what was declared, one after the other. @param only part of the titles of tests to run; all when left out */
export async function runAll(only = ""): Promise<{ readonly ran: number; readonly failures: readonly Told[] }> {
  const failures: Told[] = [];
  let ran = 0;
  const attempt = async (title: string, body: Body): Promise<void> => {
    try {
      await body();
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? `\n${error.cause.message}` : "";
      failures.push({ title, message: error instanceof Error ? `${error.message}${cause}` : String(error) });
    }
  };
  const groups = [root];
  for (const group of groups) {
    groups.push(...group.groups);
    const mine = group.tests.filter(({ name }) => name.includes(only));
    if (mine.length === 0) continue;
    for (const body of group.before) await attempt(group.name, body);
    for (const { name, body } of mine) {
      ran++;
      await attempt(`${group.name} ${name}`, body);
    }
    for (const body of group.after) await attempt(group.name, body);
  }
  return { ran, failures };
}
