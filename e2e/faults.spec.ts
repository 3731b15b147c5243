import { expect, test, type Playground } from "./fixtures";

// What goes wrong on the machine, provoked from outside: the page has no switch for it.

// A software adapter takes its time, more so beside other work.
const LONG = { timeout: 150_000 };

const program = "x: f32[64, 64]\nb: f32[64, 64]\n\ny = exp(x + b)\n";
/** In the fused kernel alone: the sum stays in it, and its exponential is what it stores. */
const FUSED_LINE = "exp(add)";

async function openProgram(play: Playground, text = program): Promise<void> {
  await play.open();
  await expect(play.steps).toBeVisible();
  await expect(play.editor).toBeVisible();
  await play.type(text);
  await expect(play.node(/^exp y/)).toBeVisible();
}

/** What is wrong with the machine: set on the page's window, and gone when it is null. */
type Fault = { readonly from: string; readonly to: string } | "memory" | null;

/** From then on the page's machine has the fault that `setFault` sets. */
async function provoke({ page }: Playground): Promise<void> {
  await page.addInitScript(() => {
    const fault = (): Fault => (window as { fault?: Fault }).fault ?? null;
    const shader = Object.getOwnPropertyDescriptor(GPUDevice.prototype, "createShaderModule")!.value as (
      how: GPUShaderModuleDescriptor,
    ) => GPUShaderModule;
    GPUDevice.prototype.createShaderModule = function (this: GPUDevice, how) {
      const wrong = fault();
      // As if the compiler had written that.
      const code = wrong && wrong !== "memory" ? how.code.replace(wrong.from, wrong.to) : how.code;
      return shader.call(this, { ...how, code });
    };
    const buffer = Object.getOwnPropertyDescriptor(GPUDevice.prototype, "createBuffer")!.value as (
      how: GPUBufferDescriptor,
    ) => GPUBuffer;
    GPUDevice.prototype.createBuffer = function (this: GPUDevice, how) {
      // A buffer of exactly the adapter's maximum is what this browser never has the memory for.
      const size = fault() !== "memory" || how.size < 16_384 ? how.size : this.limits.maxBufferSize;
      return buffer.call(this, { ...how, size });
    };
  });
}

const setFault = ({ page }: Playground, fault: Fault): Promise<unknown> =>
  page.evaluate((wrong) => Object.assign(window, { fault: wrong }), fault);

/** Everything but the run goes on. */
async function restWorks(play: Playground): Promise<void> {
  await play.leaveFields();
  await play.page.keyboard.press("Home");
  await expect(play.region("Score").getByRole("img", { name: /^Kernels: naive 2, now 2/ })).toBeVisible();
  await expect(play.region("Program")).toContainText("exp(x + b)");
}

async function runsWell(play: Playground): Promise<void> {
  await expect(play.run).toHaveText(/Run both/, LONG);
  await play.run.click();
  await expect(play.region("Measured").getByText("Same result.")).toBeVisible(LONG);
  await expect(play.run).toHaveText(/Run both/, LONG);
}

test("what goes wrong on the machine is told with its words and numbers, the rest goes on, and the next run works", async ({
  play,
}) => {
  await provoke(play);
  await openProgram(play);
  await test.step("a shader that the GPU's compiler refuses is told with its position and its words; the next run works", async () => {
    await setFault(play, { from: FUSED_LINE, to: `nosuch${FUSED_LINE}` });
    await play.run.click();
    const measured = play.region("Measured");
    await expect(measured).toContainText(
      /The GPU's compiler refused K1 \(add_exp\) at line \d+, column \d+: .*nosuchexp/,
      LONG,
    );
    await expect(measured).toContainText(/The line reads: let y_i = exp\(add\);/);
    // The same position in the code itself.
    const kernels = play.region("Kernels");
    await expect(kernels.getByText(/^Refused by the GPU's compiler at line \d+, column \d+\.$/)).toBeVisible();
    await expect(kernels.locator(".wgsl-refused-words").first()).toBeVisible();
    await restWorks(play);
    await setFault(play, null);
    await runsWell(play);
  });
  await test.step("memory that runs out in the middle is told, and a run works when there is some again", async () => {
    await setFault(play, "memory");
    await play.run.click();
    await expect(play.region("Score")).toContainText("The GPU has no memory left for both plans.", LONG);
    await expect(play.region("Score").getByRole("button", { name: "Run fused only" })).toBeVisible();
    // News takes nothing from the numbers of a plan that is ready.
    await expect(play.region("Score").getByRole("img", { name: /^Kernels/ })).toBeVisible();
    await play.region("Score").getByRole("button", { name: "Close this news" }).click();
    await restWorks(play);
    await setFault(play, null);
    await runsWell(play);
  });
  await test.step("a program too large for the device is refused with both numbers and a way on", async () => {
    await play.type("x: f32[20000, 20000]\nb: f32[20000, 20000]\ny = exp(x + b)\n");
    await expect(play.node(/^exp y, f32\[20000, 20000\]/)).toBeVisible();
    await play.run.click();
    await expect(play.region("Measured")).toContainText(
      /takes 1,526 MiB \(1600000000 bytes\); this device binds at most [\d,.]+ MiB \(\d+\)\. Choose a smaller size\./,
      LONG,
    );
    await play.type(program);
    await expect(play.region("Score").getByRole("img", { name: /^Kernels: naive 2, now \d, end 1/ })).toBeVisible();
    await runsWell(play);
  });
  await test.step("a kernel that computes something else is found out, with its worst element", async () => {
    // Of another size: kernels that were compiled before are known.
    await play.type(program.replaceAll("64, 64", "32, 64"));
    await expect(play.node(/^exp y, f32\[32, 64\]/)).toBeVisible();
    await setFault(play, { from: FUSED_LINE, to: `1.5 * ${FUSED_LINE}` });
    await play.run.click();
    const measured = play.region("Measured");
    await expect(measured.getByText("Not the same.")).toBeVisible(LONG);
    await expect(measured).toContainText(
      /y of the fused plan at \[\d+, \d+\] is [\d.e+-]+, should be [\d.e+-]+, limit [^.]+/,
    );
    await expect(measured).toContainText("Times are shown once both plans agree.");
    await expect(measured.getByRole("img", { name: /^Median time/ })).toHaveCount(0);
    await restWorks(play);
  });
});

test.describe("a browser of its own", () => {
  test.use({ apart: true });

  test("after a second crash of the GPU the page offers to reload, and the text is there again", async ({
    page,
    play,
    context,
  }) => {
    const session = await context.browser()!.newBrowserCDPSession();
    const crash = (): void => void session.send("Browser.crashGpuProcess" as "Browser.close").catch(() => undefined);
    await openProgram(play);
    for (const time of ["first", "second"]) {
      await test.step(`the ${time} crash`, async () => {
        await play.run.click();
        await expect(play.run).toHaveText(/Cancel/);
        await page.waitForTimeout(700);
        crash();
        await expect(page.getByText(/GPU went away/).first()).toBeVisible(LONG);
        await expect(play.run).toHaveText(/Run both/, LONG);
      });
    }
    await play.run.click();
    const reload = page.getByRole("button", { name: /^Reload/ }).first();
    await expect(reload).toBeVisible(LONG);
    await expect(play.region("Program")).toContainText("exp(x + b)");
    await Promise.all([page.waitForEvent("load"), reload.click()]);
    await expect(play.region("Program")).toContainText("exp(x + b)");
    await expect(play.node(/^exp y/)).toBeVisible();
  });
});
