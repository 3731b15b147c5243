/**
 * @file Follows the 45-minute plan of docs/teaching.md with the clock, as a person would: `node scripts/rehearse.mjs ROLE URL LOG.md`.
 * ROLE is teacher (1280×720), keyboard (1366×768, no mouse) or touch (390×844, taps only). Pictures are put beside the log.
 */
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { chromium } from "playwright-core";
import { cached } from "./bundle.mjs";
import { findBrowser } from "./ensure-browser.mjs";
import { readLesson } from "./lesson-files.mjs";

const [role, base, log] = process.argv.slice(2);
const SCREENS = {
  teacher: [1280, 720],
  keyboard: [1366, 768],
  touch: [390, 844],
};
const { classPlans } = await import(await cached("src/room/teach/plans.ts", "plans", ["src/room/teach"]));
const LESSONS = new URL("../src/course/lessons/", import.meta.url);
/** The course as it is written, in order. */
const COURSE = await Promise.all(
  (await readdir(LESSONS))
    .toSorted()
    .map(async (file) => readLesson(await readFile(new URL(file, LESSONS), "utf8"), file)),
);
/** The plan of 45 minutes, as the teacher's page and docs/teaching.md have it. */
const PLAN = classPlans(COURSE)[0].rows;
/** How long a person needs: words a minute, and seconds to think about a question and to do a task. */
const [WORDS, THINK, DO] = [180, 20, 90];
/** ms after which a person wonders whether anything happens. */
const SLOW = 2000;

const browserAt = await findBrowser();
const browser = await chromium.launch({
  executablePath: browserAt.path,
  args: ["--no-sandbox", "--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader", "--enable-features=Vulkan"],
});
const [width, height] = SCREENS[role];
const context = await browser.newContext({
  baseURL: base,
  viewport: { width, height },
  ...(role === "touch" ? { hasTouch: true, isMobile: true } : {}),
});
const page = await context.newPage();
const errors = [];
page.on("pageerror", ({ message }) => errors.push(message));

const began = Date.now();
const rows = [];
const findings = [];
/** Seconds that a person reads, thinks, works and waits for the class, which the script does not idle. */
let human = 0;
let pictures = 0;
const clock = (ms) => `${Math.floor(ms / 60_000)}:${String(Math.floor(ms / 1000) % 60).padStart(2, "0")}`;
/** ms since the class began: what the machine took and what a person takes, one after the other. */
const now = () => Date.now() - began + human * 1000;
/** @param {number | null} ms */
const note = (what, saw, ms = null) => {
  rows.push(
    `| ${new Date().toISOString().slice(11, 19)} | ${clock(now())} | ${what} | ${saw.replaceAll("\n", " ").replaceAll("|", "\\|").slice(0, 220)} | ${ms === null ? "" : ms} |`,
  );
  if (ms !== null && ms > SLOW) findings.push(`slow: ${what} took ${ms} ms`);
};
const picture = async (name) => {
  const file = `${basename(log, ".md")}-${String(++pictures).padStart(2, "0")}-${name}.jpg`;
  await page.screenshot({
    path: join(dirname(log), file),
    type: "jpeg",
    quality: 40,
  });
  rows.push(`| | | | ![${name}](${file}) | |`);
};
const timed = async (what, act, saw = async () => "") => {
  const at = Date.now();
  try {
    const answer = await act();
    const ms = Date.now() - at;
    note(what, (await saw()) || (typeof answer === "string" ? answer : ""), ms);
    return true;
  } catch (error) {
    findings.push(`did not work: ${what} (${String(error.message).split("\n")[0]})`);
    note(what, "DID NOT WORK", Date.now() - at);
    return false;
  }
};

// ---- hands ----------------------------------------------------------------------------------------------------------

/** Tab, or Shift and Tab, until it has the focus. Answers how many presses it took. */
async function tabTo(target, most = 60, key = "Tab") {
  for (let presses = 0; presses <= most; presses++) {
    if (await target.evaluate((one) => one === document.activeElement).catch(() => false)) return presses;
    await page.keyboard.press(key);
  }
  throw new Error(`no focus after ${most} presses of ${key}`);
}
async function press(target, what) {
  await target.waitFor({ timeout: 15_000 });
  if (role === "touch") return target.tap({ timeout: 15_000 });
  if (role === "teacher") return target.click({ timeout: 15_000 });
  const presses = await tabTo(target);
  if (presses > 25) findings.push(`far by keyboard: ${what} is ${presses} presses of Tab away`);
  await page.keyboard.press("Enter");
}
const lesson = page.getByRole("article", { name: /, step \d+$/ });
const words = async () => ((await lesson.innerText().catch(() => "")).match(/\S+/g) ?? []).length;

async function answer() {
  const card = page.getByRole("region", { name: "Predict first" });
  const radios = card.getByRole("radio");
  const field = card.getByRole("textbox");
  if ((await radios.count()) > 0) {
    if (role === "keyboard") {
      await tabTo(radios.first());
      await page.keyboard.press("Space");
    } else await press(card.locator("label").first(), "a choice");
    await press(card.getByRole("button", { name: "Lock in" }), "Lock in");
  } else if ((await field.count()) > 0) {
    if (role === "keyboard") await tabTo(field);
    else await press(field, "the answer's field");
    await page.keyboard.type("3");
    if (role === "keyboard") await page.keyboard.press("Enter");
    else await press(card.getByRole("button", { name: /^Lock in/ }), "Lock in");
  } else await press(card.getByRole("button", { name: "I cannot tell" }), "I cannot tell");
  await card.getByRole("status").waitFor({ timeout: 15_000 });
}

async function task(solution) {
  const card = page.getByRole("region", { name: "Your turn" });
  await press(card.getByRole("button", { name: "Give me a hint" }), "a hint");
  if (role === "keyboard") {
    // As a person would: F6 from part to part until the program is reached, then everything is replaced.
    const program = page.getByRole("region", { name: "Program", exact: true });
    for (let i = 0; i < 10; i++) {
      if (await program.evaluate((one) => one.contains(document.activeElement))) break;
      await page.keyboard.press("F6");
    }
    const editor = program.getByRole("textbox").first();
    note("from the task to the program", `F6, then ${await tabTo(editor, 20)} presses of Tab`);
    await page.keyboard.press("Control+A");
    await page.keyboard.insertText(solution);
  } else {
    await press(card.getByRole("button", { name: "Show a solution" }), "Show a solution");
    await press(card.getByRole("button", { name: "Really show it?" }), "Really show it?");
    await press(card.getByRole("button", { name: "Put it into the program" }), "Put it into the program");
  }
  await card.getByText("Done.").waitFor({ timeout: 20_000 });
  if (role !== "keyboard") return;
  // In the program Tab indents: F6 leads back, and on to the lesson.
  for (let i = 0; i < 10; i++) {
    await page.keyboard.press("F6");
    if (await lesson.evaluate((one) => one.parentElement.closest("[data-pane]").contains(document.activeElement)))
      return;
  }
  findings.push("no way back from the program to the lesson in 10 presses of F6");
}

async function takeLesson(row, nth) {
  const { id, title: name, steps } = row.what;
  const late = now() / 1000 - row.from * 60;
  // Who is early waits for the class.
  if (late < 0) human -= late;
  else if (late > 60) findings.push(`late: ${id} begins ${clock(late * 1000)} after its time in the plan`);
  const start = now();
  await timed(
    `open ${id}`,
    async () => {
      if (nth === 0 || role === "teacher") await page.goto(`./#lesson=${id}/1`);
      else {
        // From the end of the lesson before, through the list.
        await press(page.getByRole("dialog").getByRole("button", { name }), "the next lesson");
      }
      await lesson.waitFor({ timeout: 20_000 });
    },
    () => lesson.getByRole("heading").first().innerText(),
  );
  for (let step = 1; step <= steps.length; step++) {
    await page.getByRole("article", { name: new RegExp(`, step ${step}$`) }).waitFor({ timeout: 15_000 });
    const title = await lesson
      .getByRole("heading")
      .nth(1)
      .innerText()
      .catch(() => "");
    const ready = lesson.locator(".lesson-go:enabled, section.lesson-card");
    await ready.first().waitFor({ timeout: 15_000 });
    await page.waitForTimeout(150);
    human += ((await words()) / WORDS) * 60;
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    if (overflow > 0) findings.push(`${id} step ${step}: the page is ${overflow} px too wide`);
    if (await page.getByRole("region", { name: "Predict first" }).count()) {
      human += THINK;
      await timed(`${id} ${step}: predict`, answer, () =>
        page.getByRole("region", { name: "Predict first" }).getByRole("status").innerText(),
      );
      if (step === 2 && nth % 3 === 0) await picture(`${id}-answer`);
    } else if (await page.getByRole("region", { name: "Your turn" }).count()) {
      human += DO;
      await timed(
        `${id} ${step}: task`,
        async () => task(steps[step - 1].task.solution),
        () => page.getByRole("region", { name: "Your turn" }).locator("[data-done]").innerText(),
      );
      if (nth % 3 === 2) await picture(`${id}-task`);
    } else note(`${id} ${step}: ${title}`, "read");
    if (role === "teacher" && step === 1) {
      await timed("presenter view (V)", async () => {
        await page.getByRole("banner").click({ position: { x: 2, y: 2 } });
        await page.keyboard.press("v");
        await page.getByRole("main", { name: "Presenter view" }).waitFor({ timeout: 10_000 });
      });
      for (const key of ["ArrowRight", "ArrowRight", "1"]) await page.keyboard.press(key);
      await page.waitForTimeout(400);
      if (nth === 3) await picture(`${id}-presenter`);
      await page.keyboard.press("Escape");
      await lesson.waitFor({ timeout: 10_000 });
    }
    if (step === steps.length) break;
    if (
      !(await timed(`${id} ${step}: Next`, async () => {
        await press(page.getByRole("button", { name: "Next", exact: true }), "Next");
        await page.getByRole("article", { name: new RegExp(`, step ${step + 1}$`) }).waitFor({ timeout: 15_000 });
      }))
    )
      await page.goto(`./#lesson=${id}/${step + 1}`);
  }
  note(`end of ${id}`, `took ${clock(now() - start)}; the plan gives ${row.minutes} min`);
  if (role !== "teacher") await press(page.getByRole("button", { name: "All lessons" }), "All lessons").catch(() => {});
}

// ---- the hour -------------------------------------------------------------------------------------------------------

await mkdir(dirname(log), { recursive: true });
if (role === "teacher") {
  await timed(
    "teacher's page (#teach)",
    async () => {
      await page.goto("./#teach");
      await page.getByRole("heading", { level: 1 }).waitFor();
    },
    () => page.getByRole("heading", { level: 1 }).innerText(),
  );
  await picture("teach");
  await timed("the board with the QR code (#board)", async () => {
    await page.goto("./#board");
    await page.getByRole("heading", { level: 1 }).waitFor();
  });
  await picture("board");
} else {
  await timed("first visit", async () => {
    await page.goto("./");
    await page.getByRole("banner").getByRole("button", { name: /^Run/ }).waitFor();
  });
  await picture("first");
}
for (const [nth, row] of PLAN.entries())
  await takeLesson(row, nth).catch(async ({ message }) => {
    findings.push(`did not work: ${row.what.id} ended early (${message.split("\n")[0]})`);
    await picture(`${row.what.id}-stuck`);
  });
if (role === "teacher") {
  await timed("look inside the kernel (I)", async () => {
    await page.keyboard.press("Escape");
    await page.getByRole("banner").click({ position: { x: 2, y: 2 } });
    await page.keyboard.press("i");
    await page
      .getByRole("main", { name: "Inside a kernel" })
      .getByText(/Moment/)
      .waitFor({ timeout: 20_000 });
  });
  await picture("inside");
  await page.keyboard.press("Escape");
  await timed("race (R)", async () => {
    await page.keyboard.press("r");
    await page.getByRole("main", { name: "Race" }).waitFor({ timeout: 20_000 });
  });
  await page.keyboard.press("End");
  await picture("race");
}
if (errors.length > 0) findings.push(...errors.map((text) => `error in the page: ${text}`));
const head = [
  `# Rehearsal, ${role}, ${width}×${height}`,
  "",
  `${new Date(began).toISOString().slice(0, 16).replace("T", " ")} UTC, Chromium ${browser.version()}, a software adapter on a shared machine with two cores: times of the machine say nothing about speed elsewhere. Driven by \`scripts/rehearse.mjs ${role}\`. The clock counts what the machine took, and a person who reads ${WORDS} words a minute, thinks ${THINK} s about a question, needs ${DO} s for a task and waits where the plan says so: that time is added, the script does not idle.`,
  "",
  `${PLAN.length} lessons took ${clock(now())}; the plan gives ${clock((PLAN.at(-1).from + PLAN.at(-1).minutes) * 60_000)}. The machine was at work for ${clock(Date.now() - began)} of it.`,
  "",
  "## Found",
  "",
  ...(findings.length > 0 ? findings.map((text) => `- ${text}`) : ["- Nothing."]),
  "",
  "## Log",
  "",
  "| UTC | clock | did | saw | ms |",
  "| --- | --- | --- | --- | --- |",
  ...rows,
  "",
];
await writeFile(log, head.join("\n"));
console.log(head.slice(4, head.indexOf("## Log")).join("\n"));
await browser.close();
