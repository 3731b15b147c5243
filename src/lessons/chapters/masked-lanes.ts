/** @file A task: the kernel of chapter 000 for whole rows, written as a program, with the fault that it has at most widths. */
import type { Example } from "../example";

const program = (width: number, diff: string): string => `# One workgroup of 1024 lanes for each row of ${width}
H = ${width}
z: f32[8, H] = randn()

x = z + 3
row = pad(x, (0, 1024 - H))
mean = sum(row, dim=-1, keepdim=True) / H
diff = ${diff}
var = sum(diff * diff, dim=-1, keepdim=True) / H
y = diff / sqrt(var + 1e-5)
right = x.var(dim=-1, keepdim=True, correction=0)
return y, var, right
`;

const faulty = "row - mean";

export const maskedLanes: Example = {
  id: "masked-lanes",
  chapter: "bandwidth",
  title: "Find the masked-lane bug",
  sentence: "Rows of 768 in workgroups of 1024: the spare lanes hold zeros, and yet the variance is wrong.",
  text: program(768, faulty),
  granularity: "primitive",
  sizes: null,
  claims: [{ row: "000-11", says: "masked lanes load 0" }],
  task: {
    question: "One line adds the spare lanes to the variance. Which one?",
    solved: "mended",
    lines: [
      {
        code: "row = pad(x, (0, 1024 - H))",
        right: false,
        says: "Spare lanes must hold something, and a zero adds nothing to a sum.",
      },
      {
        code: "mean = sum(row, dim=-1, keepdim=True) / H",
        right: false,
        says: "The zeros add nothing, and the sum is divided by H, not by 1024: this mean is right.",
      },
      {
        code: "diff = row - mean",
        right: true,
        says: "In a spare lane this is 0 − mean, not 0. Its square is added to the variance 1024 − H times.",
      },
      {
        code: "var = sum(diff * diff, dim=-1, keepdim=True) / H",
        right: false,
        says: "It sums its input and divides by H, which is right. Its input is wrong.",
      },
    ],
  },
  variants: [
    {
      id: "1000",
      title: "width 1000",
      sentence: "With 24 spare lanes instead of 256, the error is small enough to look like rounding.",
      text: program(1000, faulty),
    },
    {
      id: "1024",
      title: "width 1024",
      sentence: "No lane is spare, so the same code is right. A test at this width finds nothing.",
      text: program(1024, faulty),
    },
    {
      id: "mended",
      title: "fixed",
      sentence: "Spare lanes are masked once more, after the subtraction.",
      text: program(768, "where(iota(1024) < H, row - mean, 0.0)"),
    },
  ],
};
