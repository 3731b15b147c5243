import { expect, test } from "./fixtures";

test("a typed program is planned on the pause, and read kernel by kernel", async ({ page, play }) => {
  await play.open();
  await play.type("N = 256\nx: f32[N, 128]\nw: f32[128]\n\nh = x.mean(dim=-1, keepdim=True)\ny = gelu((x - h) * w)\n");
  const score = page.getByRole("region", { name: "Score", exact: true });
  const graph = page.getByRole("region", { name: "Graph", exact: true });
  await expect(graph.getByRole("group", { name: /gelu/ }).first()).toBeAttached();
  await expect(score).toContainText("→");
  await expect(page.getByRole("region", { name: "Kernels", exact: true })).toContainText("@compute");
});

test("a mistake keeps the last good graph, names its line, and goes away with the mistake", async ({ page, play }) => {
  await play.open();
  await expect(play.steps).toBeVisible();
  await play.type("x: f32[64, 64]\ny = gelo(x)\n");
  await expect(page.getByText(/did you mean/i).first()).toBeVisible();
  await expect(page.getByRole("region", { name: "Score", exact: true })).toContainText(/last good graph/i);
  await play.type("x: f32[64, 64]\ny = gelu(x)\n");
  await expect(page.getByRole("region", { name: "Score", exact: true })).not.toContainText(/last good graph/i);
});

test("an empty program offers examples", async ({ page, play }) => {
  await play.open();
  await expect(play.steps).toBeVisible();
  await play.type(" ");
  await page.getByRole("button", { name: /^Matmul \+ bias \+ ReLU/ }).click();
  await expect(page.getByRole("button", { name: "Example: Matmul + bias + ReLU" })).toBeVisible();
});

test("undo takes typing back by pauses, drawing by gestures", async ({ page, play }) => {
  await play.open();
  await expect(play.steps).toBeVisible();
  await play.type("x: f32[64, 64]\none = exp(x)\n");
  await page.waitForTimeout(900);
  await play.command("Add relu");
  const program = page.getByRole("region", { name: "Program", exact: true });
  await expect(program).toContainText("relu(");
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(program).not.toContainText("relu(");
  await expect(program).toContainText("one");
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(program).toContainText("log");
  await page.getByRole("button", { name: "Redo" }).click();
  await expect(program).toContainText("one");
});
