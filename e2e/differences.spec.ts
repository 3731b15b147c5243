import { expect, test } from "./fixtures";

test("numbers are told apart: two forms of GELU, and elements by their distance from the reference", async ({
  play,
}) => {
  await play.open();
  await test.step("both forms of GELU are drawn against one another where the chapter writes one of them", async () => {
    await play.command("Bias + GELU");
    await play.region("Measured").getByRole("button", { name: "tanh form" }).click();
    await play.openMeasured();
    await play.region("Measured").getByText("Compared with lecture notes").click();
    const curve = play.region("Measured").getByRole("img", { name: /by tanh − by erf/ });
    await expect(curve).toHaveAccessibleName(/from -6 to 6: at most 4\.7e-4, at -?2\.\d/);
  });
  await test.step("after a run: elements by their distance from the reference, for both plans and between them", async () => {
    await play.type("x: f32[64, 64]\ny = log(exp(x) + 1)\n");
    await expect(play.region("Score").getByRole("img", { name: /^Kernels: naive 3, now 1/ })).toBeVisible();
    await play.run.click();
    const measured = play.region("Measured");
    await measured.getByText("Error details").click({ timeout: 120_000 });
    const table = measured.getByRole("table", { name: "Elements of y by distance" });
    await expect(table.getByRole("columnheader")).toHaveText(["ULP", "naive", "fused", "fused − naive"]);
    await expect(table.getByRole("row", { name: /^0 [\d,]+ [\d,]+ [\d,]+$/ })).toBeVisible();
  });
});
