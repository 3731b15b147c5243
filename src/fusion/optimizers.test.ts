/** @file Optimizers of PyTorch: twelve steps end where PyTorch's own do; loops, models, groups, gradients that add up, mistakes. */
import { describe, expect, test } from "vitest";
import { trainedFor } from "./testing";
import { parseProgram } from "./text/program";
import { errors } from "./text/objects/testing";

const near = (got: readonly number[], want: readonly number[], within = 2e-5): void =>
  got.forEach((value, i) => expect(Math.abs(value - want[i]!)).toBeLessThanOrEqual(within));

const toy = (call: string): string => `w: f32[3] = param(ones())
k: f32[3] = arange()
opt = torch.optim.${call}
for step in range(500):
    opt.zero_grad()
    loss = ((k + 1) * (w - k * 0.7 - 0.2) ** 2).sum() + (0.1 * w ** 3).sum()
    loss.backward()
    opt.step()
return loss
`;

/** By PyTorch 2.13. */
test.each<readonly [call: string, want: readonly number[]]>([
  ["SGD([w], lr=0.05)", [0.386517, 0.853369, 1.485955]],
  ["SGD([w], lr=0.05, momentum=0.9)", [-0.109559, 0.925951, 1.404358]],
  ["SGD([w], lr=0.02, momentum=0.9, dampening=0.3)", [0.014278, 0.764267, 1.673555]],
  ["SGD([w], lr=0.02, momentum=0.9, nesterov=True, weight_decay=0.1)", [-0.085454, 0.786307, 1.459059]],
  ["SGD([w], lr=0.01, maximize=True)", [1.264316, 1.108993, 0.426594]],
  ["Adam([w], lr=0.1)", [0.020052, 0.897322, 1.674592]],
  ["Adam([w], lr=0.1, betas=(0.8, 0.95), weight_decay=0.1)", [0.078814, 0.836861, 1.54514]],
  ["Adam([w], lr=0.3, amsgrad=True)", [0.209234, 0.862653, 1.315658]],
  ["AdamW([w], lr=0.1, weight_decay=0.2)", [-0.025093, 0.891304, 1.573813]],
  ["RMSprop([w], lr=0.05)", [0.194398, 0.846286, 1.489125]],
  ["RMSprop([w], lr=0.02, centered=True, momentum=0.5, weight_decay=0.01)", [0.184845, 0.841613, 1.484819]],
  ["Adagrad([w], lr=0.3)", [0.210876, 0.846287, 1.48911]],
  ["Adagrad([w], lr=0.3, lr_decay=0.1, initial_accumulator_value=0.2)", [0.260177, 0.846285, 1.488015]],
])("twelve steps of %s", (call, want) => near(trainedFor(toy(call), 12).get("w")!, want));

const MODEL = `class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(64, 16)
        self.blocks = nn.ModuleList([nn.Linear(16, 16) for _ in range(2)])
        self.scale = nn.Parameter(torch.ones(16))
        self.unused = nn.Linear(4, 4)
    def forward(self, x):
        x = torch.relu(self.fc1(x))
        for block in self.blocks:
            x = torch.relu(block(x))
        return x * self.scale

x: f32[8, 64] = data("digits", "images")
model = Net()
head = nn.Linear(16, 10)
`;
const replaced = (text: string): readonly string[] => {
  expect(errors(text)).toEqual([]);
  return parseProgram(text)
    .updates.map(({ input }) => input)
    .toSorted();
};

describe("a program is one step", () => {
  const step = "loss = (head(model(x)) ** 2).mean()\nopt.zero_grad()\nloss.backward()\nopt.step()\n";

  test("parameters of models, lists of them and groups; what no loss depends on stays", () => {
    const weights = ["fc1", "blocks.0", "blocks.1"].flatMap((name) => [`model.${name}.bias`, `model.${name}.weight`]);
    expect(replaced(`${MODEL}opt = torch.optim.SGD(model.parameters(), lr=0.1)\n${step}`)).toEqual(
      [...weights, "model.scale"].toSorted(),
    );
    const groups = '[{"params": model.parameters()}, {"params": head.parameters()}]';
    const all = replaced(`${MODEL}opt = torch.optim.SGD(${groups}, lr=0.1, momentum=0.9)\n${step}`);
    expect(all).toContain("head.weight");
    expect(all).toContain("blocks.1.weight.momentum_buffer");
    expect(all.length).toBe(2 * (weights.length + 3));
  });

  test("a loop whose turn steps is the training: nested, while, and with a step every fourth turn", () => {
    const body = (at: string): string =>
      `${at}opt.zero_grad()\n${at}loss = (w * x).sum()\n${at}loss.backward()\n${at}opt.step()\n`;
    const head = "x: f32[4]\nw: f32[4] = param()\nopt = torch.optim.SGD([w], lr=0.1)\n";
    const once = parseProgram(`${head}${body("")}return loss\n`).graph.nodes.size;
    for (const loop of ["for epoch in range(3):\n    for i in range(5):\n", "i = 0\nwhile i < 7:\n    if True:\n"])
      expect(parseProgram(`${head}${loop}${body("        ")}return loss\n`).graph.nodes.size).toBe(once);
    const fourth = `${head}opt.zero_grad()\nfor i in range(100):\n    loss = (w * x).sum()\n    loss.backward()\n    if (i + 1) % 4 == 0:\n        opt.step()\n        opt.zero_grad()\nreturn loss\n`;
    // 4 gradients of x, at a rate of 0.1.
    const [before, now] = [trainedFor(fourth, 0), trainedFor(fourth, 1)];
    near(
      now.get("w")!,
      before.get("w")!.map((w, i) => w - 0.4 * before.get("x")![i]!),
    );
  });

  test("what is read after a step is the next value; a second step goes on from there", () => {
    const text = "w: f32[2] = param(ones())\nopt = torch.optim.SGD([w], lr=0.5)\nSTEP\nSTEP\nreturn loss\n".replaceAll(
      "STEP",
      "opt.zero_grad()\nloss = (w * w).sum() / 2\nloss.backward()\nopt.step()",
    );
    near(trainedFor(text, 1).get("w")!, [0.25, 0.25]);
  });

  test("a group moves by its own options, else by the optimizer's", () => {
    const text = `a: f32[2] = param(ones())
b: f32[2] = param(ones())
c: f32[2] = param(ones())
opt = torch.optim.CALL
opt.zero_grad()
loss = (a * 2).sum() + (b * 2).sum() + (c * 2).sum()
loss.backward()
opt.step()
return loss
`;
    const step = (call: string, steps = 1) => trainedFor(text.replace("CALL", call), steps);
    const sgd = step(
      'SGD([{"params": [a]}, {"params": [b], "lr": 0.5}, {"params": [c], "weight_decay": 1.0}], lr=0.1)',
    );
    near(sgd.get("a")!, [0.8, 0.8]);
    near(sgd.get("b")!, [0, 0]);
    near(sgd.get("c")!, [0.7, 0.7]);
    // Momentum is carried for the group that has it alone.
    const carried = step('SGD([{"params": [a, c]}, {"params": b, "momentum": 0.5}], lr=0.1)', 2);
    expect([...carried.keys()].filter((key) => key.includes("momentum"))).toEqual(["b.momentum_buffer"]);
    near(carried.get("a")!, [0.6, 0.6]);
    near(carried.get("b")!, [0.5, 0.5]);
    const adam = step('Adam([{"params": [a, c]}, {"params": [b], "lr": 0.25, "betas": (0.5, 0.5)}], lr=0.1)', 2);
    near(adam.get("a")!, [0.8, 0.8]);
    near(adam.get("b")!, [0.5, 0.5]);
  });

  test("two optimizers each move their own", () => {
    const text = `a: f32[2] = param(ones())
b: f32[2] = param(ones())
one = torch.optim.SGD([a], lr=0.1)
two = torch.optim.SGD([b], lr=0.2)
one.zero_grad()
two.zero_grad()
loss = (a * b).sum()
loss.backward()
one.step()
two.step()
return loss
`;
    const values = trainedFor(text, 1);
    near(values.get("a")!, [0.9, 0.9]);
    near(values.get("b")!, [0.8, 0.8]);
  });
});

test("mistakes are said where they are", () => {
  const head = "x: f32[4]\nw: f32[4] = param()\nopt = torch.optim.SGD([w], lr=0.1)\nloss = (w * x).sum()\n";
  const said = (text: string): string[] => parseProgram(text).diagnostics.map(({ code, line }) => `${line} ${code}`);
  expect(said(`${head}opt.step()\nreturn loss\n`)).toContain("5 no-gradients");
  expect(said(`${head}loss.backward()\nopt.step()\nreturn loss\n`)).toEqual(["6 not-zeroed"]);
  expect(said(`${head}loss.backward()\nopt.zero_grad()\nopt.step()\nreturn loss\n`)).toContain("7 no-gradients");
  expect(
    said(`${head.replace("[w]", "[w * 2]").replace("(w * x)", "(w * x)")}loss.backward()\nopt.step()\nreturn loss\n`),
  ).toContain("6 no-gradients");
});

describe("schedules and clipping", () => {
  /** How far `w` went in each step: the rate, where every gradient is 1. */
  const rates = (schedule: string, steps: number): readonly number[] => {
    const text = `w: f32[1] = param(zeros())
opt = torch.optim.SGD([w], lr=0.5)
scheduler = ${schedule}
for step in range(100):
    opt.zero_grad()
    loss = w.sum()
    loss.backward()
    opt.step()
    scheduler.step()
return loss
`;
    const at = Array.from({ length: steps + 1 }, (_, step) => trainedFor(text, step).get("w")![0]!);
    return at.slice(1).map((value, i) => at[i]! - value);
  };
  const halves = (...powers: readonly number[]): number[] => powers.map((power) => 0.5 ** power);

  test.each<readonly [schedule: string, want: readonly number[]]>([
    ["torch.optim.lr_scheduler.StepLR(opt, step_size=2, gamma=0.5)", halves(1, 1, 2, 2, 3, 3, 4)],
    ["torch.optim.lr_scheduler.MultiStepLR(opt, milestones=[1, 4], gamma=0.5)", halves(1, 2, 2, 2, 3, 3)],
    ["torch.optim.lr_scheduler.ExponentialLR(opt, gamma=0.5)", halves(1, 2, 3, 4)],
    ["torch.optim.lr_scheduler.LinearLR(opt, start_factor=0.5, total_iters=2)", [0.25, 0.375, 0.5, 0.5]],
    ["torch.optim.lr_scheduler.LambdaLR(opt, lr_lambda=lambda epoch: 0.5 ** epoch)", halves(1, 2, 3, 4)],
    [
      "torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=4, eta_min=0.1)",
      Array.from({ length: 9 }, (_, t) => 0.1 + 0.2 * (1 + Math.cos((Math.PI * t) / 4))),
    ],
  ])("%s", (schedule, want) => near(rates(schedule, want.length), want));

  test("each group's own rate is scheduled; schedules follow one another", () => {
    const text = `a: f32[1] = param(zeros())
b: f32[1] = param(zeros())
opt = torch.optim.SGD([{"params": [a]}, {"params": [b], "lr": 1.0}], lr=0.5)
first = torch.optim.lr_scheduler.ExponentialLR(opt, 0.5)
second = torch.optim.lr_scheduler.StepLR(opt, 2, gamma=0.1)
opt.zero_grad()
loss = (a + b).sum()
loss.backward()
opt.step()
first.step()
second.step()
return loss
`;
    near(trainedFor(text, 3).get("a")!, [-(0.5 + 0.25 + 0.0125)]);
    near(trainedFor(text, 3).get("b")!, [-(1 + 0.5 + 0.025)]);
  });

  /** One step at a rate of 1 with gradients (3, 4) and 12, of norm 13. */
  const moved = (clip: string): readonly number[] => {
    const text = `a: f32[2] = param(zeros())
b: f32[1] = param(zeros())
k: f32[2] = const([3, 4])
opt = torch.optim.SGD([a, b], lr=1.0)
opt.zero_grad()
loss = (a * k).sum() + 12 * b.sum()
loss.backward()
norm = loss
${clip}
opt.step()
return loss, norm
`;
    const values = trainedFor(text, 1);
    return [...values.get("a")!, ...values.get("b")!].map((x) => -x);
  };

  test.each<readonly [clip: string, want: readonly number[]]>([
    ["norm = torch.nn.utils.clip_grad_norm_([a, b], max_norm=6.5)", [1.5, 2, 6]],
    ["torch.nn.utils.clip_grad_norm_([a, b], 100.0)", [3, 4, 12]],
    ["torch.nn.utils.clip_grad_norm_([a], 1)", [0.6, 0.8, 12]],
    ["torch.nn.utils.clip_grad_norm_([a, b], 9.5, norm_type=1.0)", [1.5, 2, 6]],
    ["torch.nn.utils.clip_grad_value_([a, b], clip_value=3.5)", [3, 3.5, 3.5]],
    ["torch.nn.utils.clip_grad_value_([a, b], 3.5)\ntorch.nn.utils.clip_grad_norm_([b], 0.35)", [3, 3.5, 0.35]],
  ])("%s", (clip, want) => near(moved(clip), want));

  test("gradients that are not there yet can't be clipped", () => {
    const text = "w: f32[4] = param()\ntorch.nn.utils.clip_grad_norm_([w], 1.0)\nreturn w.sum()\n";
    expect(parseProgram(text).diagnostics.map(({ code, line }) => `${line} ${code}`)).toContain("2 no-gradients");
  });
});
