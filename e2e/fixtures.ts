/** @file The page under test. A test fails on an uncaught error, a policy violation or a request to another origin. */
import { expect, test as base, type Page } from "@playwright/test";

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
  readonly watch: Watch;
  readonly play: Playground;
}

/** The page as a person uses it. Locators name what is seen and said, never classes. */
export class Playground {
  readonly page: Page;
  constructor(page: Page) {
    this.page = page;
  }

  async open(address = "./"): Promise<void> {
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

  get steps() {
    return this.page.getByText(/^Step \d+ of \d+/).first();
  }

  /** The program in the editor, as one types it: everything is selected and replaced. */
  async type(text: string): Promise<void> {
    await this.editor.click();
    await this.page.keyboard.press("Control+a");
    await this.page.keyboard.insertText(text);
  }

  get editor() {
    return this.page.getByRole("region", { name: "Program", exact: true }).locator(".monaco-editor").first();
  }

  async command(words: string): Promise<void> {
    await this.page.keyboard.press("F1");
    const field = this.page.getByRole("combobox", { name: "Find or do" });
    await field.fill(words);
    await expect(this.page.getByRole("option").first()).toBeVisible();
    await field.press("Enter");
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

const violations = (): void => {
  document.addEventListener("securitypolicyviolation", (event) => {
    console.error(`policy: ${event.effectiveDirective} refused ${event.blockedURI || event.sample}`);
  });
};

export const test = base.extend<Fixtures>({
  watch: [
    async ({ page, baseURL }, use) => {
      const watch: Watch = { faults: [], strangers: [], expected: [] };
      page.on("pageerror", (error) => watch.faults.push(error.message));
      page.on("console", (message) => {
        if (message.type() === "error") watch.faults.push(message.text());
      });
      page.on("request", (request) => {
        const url = new URL(request.url());
        const own = url.origin === new URL(baseURL!).origin || url.hostname === "playground.test";
        if (!own && url.protocol.startsWith("http")) watch.strangers.push(request.url());
      });
      await page.addInitScript(violations);
      await use(watch);
      const unexpected = watch.faults.filter((fault) => !watch.expected.some((pattern) => pattern.test(fault)));
      expect(unexpected, "uncaught errors and policy violations").toEqual([]);
      expect(watch.strangers, "requests to other origins").toEqual([]);
    },
    { auto: true },
  ],
  play: async ({ page }, use) => use(new Playground(page)),
});
