/** Gradients of tensors for which the text does not ask. */
import { expect, test } from "vitest";
import { applyTextEdits } from "../edits/apply";
import { parseProgram } from "../program";

const text = (w: string, more = ""): string =>
  `import torch\nx: f32[8, 4]\nw = ${w}\n${more}loss = (x @ w).sum()\nloss.backward()\ng = w.grad\n`;
const warned = (of: string): string[] =>
  parseProgram(of)
    .diagnostics.filter(({ code }) => code === "no-gradient")
    .map(({ line, severity, text: said }) => `${severity} ${line}: ${said}`);

test("a drawn tensor of PyTorch without requires_grad has a gradient here only, which is said", () => {
  const plain = text("torch.randn(4, 2)");
  expect(warned(plain)).toEqual([
    "warning 6: In PyTorch `w` has no gradient: make it with requires_grad=True. It is computed here all the same.",
  ]);
  expect(parseProgram(plain).complete).toBe(true);
  const { fixes } = parseProgram(plain).diagnostics.find(({ code }) => code === "no-gradient")!;
  expect(applyTextEdits(plain, fixes![0]!.edits)).toBe(text("torch.randn(4, 2, requires_grad=True)"));
});

test.each([
  text("torch.randn(4, 2, requires_grad=True)"),
  text("torch.randn(4, 2).requires_grad_()"),
  text("torch.randn(4, 2)", "w.requires_grad = True\n"),
  text("nn.Parameter(torch.randn(4, 2))"),
  text("torch.randn(4, 2)").replace("w = torch.randn(4, 2)", "w: f32[4, 2]"),
])("nothing is said of what asks for it, or of a declared input: %#", (of) => expect(warned(of)).toEqual([]));
