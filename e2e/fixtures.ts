/** @file The page under test. A test fails on an uncaught error, a policy violation or a request to another origin. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test as base, type BrowserContext, type Locator, type Page } from "@playwright/test";

export { expect };

interface Watch {
  /** Uncaught errors and policy violations so far. */
  readonly faults: string[];
  /** Requests that left the page's origin. */
  readonly strangers: string[];
  /** Faults that this test provokes: those whose text matches are left out. */
  readonly expected: RegExp[];
}

interface Fixtures {
  /** Nobody was here before: the page plays its first example, and the inspector is folded. */
  readonly newcomer: boolean;
  /** A browser of its own: after crashes of its GPU it lets no page use one for a while. */
  readonly apart: boolean;
  readonly watch: Watch;
  readonly play: Playground;
}

/** The page as a person uses it. Locators name what is seen and said, never classes. */
export class Playground {
  readonly page: Page;
  constructor(page: Page) {
    this.page = page;
  }

  /** Three elementwise ops and one kernel, unless the address says otherwise. */
  async open(address = "./?example=log-relu"): Promise<void> {
    await this.page.goto(address);
    await expect(this.run).toBeVisible();
  }

  /** The one button that runs, and cancels. */
  get run() {
    return this.page.getByRole("banner").getByRole("button", { name: /^(Run|Cancel)/ });
  }

  /** Puts the focus where single letters are keys: on nothing. */
  async leaveFields(): Promise<void> {
    await this.page.getByRole("banner").click({ position: { x: 2, y: 2 } });
  }

  region(name: "Program" | "Measured" | "Score" | "Graph" | "Steps" | "Kernels"): Locator {
    return this.page.getByRole("region", { name, exact: true });
  }

  /** An op, input or output on the graph, by what it is called: `add y/0/0`, `input x`, `output y`. */
  node(name: string | RegExp): Locator {
    return this.region("Graph").locator(".react-flow__node").and(this.page.getByRole("group", { name })).first();
  }

  /** Points at an op until it answers: the view may still be finding its place. */
  async point(name: string | RegExp): Promise<void> {
    const node = this.node(name);
    await expect(async () => {
      await this.page.mouse.move(2, 2);
      await node.hover();
      await expect(node.locator(".op-box")).toHaveAttribute("data-hovered", "true", { timeout: 500 });
    }).toPass();
  }

  /** A line of the graph, by its ends: `x to y/0/0`. */
  line(name: string | RegExp): Locator {
    return this.region("Graph").locator(".react-flow__edge").and(this.page.getByRole("group", { name })).first();
  }

  /** The open card over the graph. */
  get card() {
    return this.region("Graph").getByRole("article");
  }

  /** Whole px of every box on the graph, by its name. */
  boxes(): Promise<Record<string, readonly number[]>> {
    return this.region("Graph")
      .locator(".react-flow__node")
      .evaluateAll((nodes) =>
        Object.fromEntries(
          nodes.map((node) => {
            const { x, y, width, height } = node.getBoundingClientRect();
            return [node.getAttribute("data-id")!, [x, y, width, height].map(Math.round)];
          }),
        ),
      );
  }

  /** The same once the view has come to rest: it moves for a quarter of a second after a program opens or a step is taken. */
  async boxesAtRest(): Promise<Record<string, readonly number[]>> {
    let last = await this.boxes();
    await expect(async () => {
      const before = last;
      await this.page.waitForTimeout(300);
      last = await this.boxes();
      expect(last).toEqual(before);
    }).toPass();
    return last;
  }

  /** Middle of the `nth` `word` in the program, from 0. */
  async word(word: string, nth = 0): Promise<{ x: number; y: number }> {
    // What was typed is drawn a moment later.
    const find = (): Promise<{ x: number; y: number } | null> =>
      this.editor.evaluate(
        (editor, [wanted, skip]) => {
          const top = (line: Element): number => line.getBoundingClientRect().top;
          const lines = [...editor.querySelectorAll(".view-line")].sort((a, b) => top(a) - top(b));
          let left = skip;
          for (const line of lines) {
            const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
            for (let node = walker.nextNode(); node; node = walker.nextNode()) {
              const text = node.nodeValue!.replaceAll("\u00a0", " ");
              for (let from = text.indexOf(wanted); from !== -1; from = text.indexOf(wanted, from + 1)) {
                if (left-- > 0) continue;
                const range = document.createRange();
                range.setStart(node, from);
                range.setEnd(node, from + wanted.length);
                const { x, y, width, height } = range.getBoundingClientRect();
                return { x: x + width / 2, y: y + height / 2 };
              }
            }
          }
          return null;
        },
        [word, nth] as const,
      );
    await expect.poll(find, { message: `${word} in the program` }).not.toBeNull();
    return (await find())!;
  }

  /** The program's lines as they are written, without the hints between the words. */
  async text(): Promise<string> {
    return this.editor.evaluate((editor) => {
      const top = (line: Element): number => line.getBoundingClientRect().top;
      const lines = [...editor.querySelectorAll(".view-line")].sort((a, b) => top(a) - top(b));
      const numbered = new Set([...editor.querySelectorAll(".line-numbers")].map((number) => Math.round(top(number))));
      const words = (line: Element): string => {
        const copy = line.cloneNode(true) as Element;
        for (const hint of copy.querySelectorAll('[class*="dyn-rule"]')) hint.remove();
        return copy.textContent.replaceAll("\u00a0", " ");
      };
      // A long line goes on below, indented and without a number of its own. Where it breaks at a space, the space stays
      // above; it may also break inside a word.
      return lines
        .map((line) => (numbered.has(Math.round(top(line))) ? `\n${words(line)}` : words(line).trimStart()))
        .join("")
        .replaceAll(/ +$/gm, "")
        .trim();
    });
  }

  /** Opens the counts that Measured shows before a run. */
  async openMeasured(): Promise<void> {
    await this.region("Measured")
      .getByRole("button", { name: /^Measured/, expanded: false })
      .click();
  }

  get steps() {
    return this.page.getByText(/^Step \d+ of \d+/).first();
  }

  /** The program in the editor, as one types it: everything is selected and replaced. */
  async type(text: string): Promise<void> {
    await this.editor.click();
    await this.page.keyboard.press("Control+a");
    await this.page.keyboard.insertText(text);
  }

  /** The same by way of the clipboard, as code from elsewhere comes. */
  async paste(text: string): Promise<void> {
    await this.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await this.page.evaluate((words) => navigator.clipboard.writeText(words), text);
    await this.editor.click();
    await this.page.keyboard.press("Control+a");
    await this.page.keyboard.press("Control+v");
  }

  get editor() {
    return this.page.getByRole("region", { name: "Program", exact: true }).locator(".monaco-editor").first();
  }

  async command(words: string): Promise<void> {
    await this.page.keyboard.press("F1");
    const field = this.page.getByRole("combobox", { name: "Find or do" });
    await field.fill(words);
    await expect(this.page.getByRole("dialog").getByRole("option").first()).toBeVisible();
    await field.press("Enter");
  }

  /** Opens an example of other ops by its title, as one does who is on the page already, and waits for its last step. */
  async example(title: string): Promise<void> {
    const ops = async (): Promise<string> => Object.keys(await this.boxes()).join();
    const before = await ops();
    await this.command(title);
    // Its name is there before its plan is.
    await expect.poll(ops).not.toBe(before);
    await expect(this.page.getByRole("button", { name: `Example: ${title}`, exact: true })).toBeVisible();
    await expect(this.page.getByText(/^Step (\d+) of \1/).first()).toBeVisible();
  }

  /** The link that Share makes. */
  async share(): Promise<string> {
    await this.command("Share");
    const field = this.page.getByRole("textbox", { name: "Link" });
    await expect(field).toHaveValue(/#f1=/);
    const link = await field.inputValue();
    await this.page.keyboard.press("Escape");
    return link;
  }
}

/** How many times slower the page's own thread is than this machine's: `PW_SLOW=5` finds what assumes speed. */
const slowness = Number(process.env.PW_SLOW ?? 1);

const violations = (): void => {
  document.addEventListener("securitypolicyviolation", (event) => {
    console.error(`policy: ${event.effectiveDirective} refused ${event.blockedURI || event.sample}`);
  });
};

/** Somebody who was here before and left the inspector open. */
const returning = (): void => {
  const key = "fusion-playground.preferences";
  try {
    if (localStorage.getItem(key) === null) localStorage.setItem(key, JSON.stringify({ inspector: true }));
  } catch {
    // A browser that keeps nothing.
  }
};

/**
 * The stories of a worker share one profile, whose browser keeps the page's code compiled: a quarter of what a start
 * costs. From story to story it forgets all else: pages, what they stored and what they were allowed.
 */
async function forget(profile: BrowserContext): Promise<void> {
  const used = profile.pages();
  const next = await profile.newPage();
  for (const page of used) await page.close();
  await profile.setOffline(false);
  await profile.clearPermissions();
  await profile.unrouteAll();
  const session = await profile.newCDPSession(next);
  await session.send("Storage.clearDataForOrigin", { origin: "*", storageTypes: "all" });
  await session.detach();
}

export const test = base.extend<Fixtures>({
  newcomer: [false, { option: true }],
  apart: [false, { option: true }],
  browser: [
    async ({ playwright, browserName }, use, { project }) => {
      const folder = mkdtempSync(join(tmpdir(), "playground-profile-"));
      const { baseURL, viewport, serviceWorkers } = project.use;
      const profile = await playwright[browserName].launchPersistentContext(folder, {
        baseURL,
        viewport,
        serviceWorkers,
      });
      await use(profile.browser()!);
      await profile.close();
      rmSync(folder, { recursive: true, force: true });
    },
    { scope: "worker", timeout: 0 },
  ],
  context: async (
    { playwright, browserName, browser, baseURL, viewport, hasTouch, serviceWorkers, apart },
    use,
    { project },
  ) => {
    if (apart) {
      const own = await playwright[browserName].launch();
      await use(await own.newContext({ baseURL, viewport, hasTouch, serviceWorkers }));
      await own.close();
      return;
    }
    if (viewport === project.use.viewport && serviceWorkers === project.use.serviceWorkers && !hasTouch) {
      const profile = browser.contexts()[0]!;
      await use(profile);
      await forget(profile);
      return;
    }
    const context = await browser.newContext({ baseURL, viewport, hasTouch, serviceWorkers });
    await use(context);
    await context.close();
  },
  // The profile holds one page, which no story has used.
  page: async ({ context }, use) => use(context.pages()[0] ?? (await context.newPage())),
  watch: [
    async ({ page, baseURL, newcomer }, use) => {
      const watch: Watch = { faults: [], strangers: [], expected: [] };
      page.on("pageerror", (error) => watch.faults.push(error.message));
      page.on("console", (message) => {
        if (message.type() === "error") watch.faults.push(message.text());
      });
      page.on("request", (request) => {
        const url = new URL(request.url());
        // The page's own server, and those that a test starts on this machine.
        const own =
          url.origin === new URL(baseURL!).origin || /^(playground\.test|(.+\.)?localhost)$/.test(url.hostname);
        if (!own && url.protocol.startsWith("http")) watch.strangers.push(request.url());
      });
      await page.addInitScript(violations);
      if (!newcomer) await page.addInitScript(returning);
      if (slowness > 1) {
        const session = await page.context().newCDPSession(page);
        await session.send("Emulation.setCPUThrottlingRate", { rate: slowness });
      }
      await use(watch);
      const unexpected = watch.faults.filter((fault) => !watch.expected.some((pattern) => pattern.test(fault)));
      expect(unexpected, "uncaught errors and policy violations").toEqual([]);
      expect(watch.strangers, "requests to other origins").toEqual([]);
    },
    { auto: true },
  ],
  play: async ({ page }, use) => use(new Playground(page)),
});
