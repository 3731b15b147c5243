/** @file What a step computes for itself and for the next one is computed once, where the next one waits for this one's result. */
import { expect, test } from "vitest";
import { fusionAt } from "../../src/fusion";
import { compiled } from "./pass-harness";
import { graphOf } from "../random-graph";

const STEPS = 5;

const cell = `x: f32[${STEPS}, 64, 1024]
w: f32[256, 1024]
h = zeros(64, 256)
c = zeros(64, 256)
for t in range(${STEPS}):
    i, f, o, u = (x[t] + h @ w).chunk(4, dim=-1)
    c = sigmoid(f) * c + sigmoid(i) * tanh(u)
    h = sigmoid(o) * tanh(c)
`;

test("a recurrent cell stores its state from the kernel that goes on to its output", () => {
  const done = compiled(graphOf(`${cell}return h`));
  const { regions } = fusionAt(done, done.steps.length);
  expect(done.steps.at(-1)!.totals.kernels).toBe(2 * STEPS);
  const states = [...regions.values()].map(({ members }) => members.filter((id) => /^t#\d+\/c$/.test(id)));
  expect(states.filter((own) => own.length > 1)).toEqual([]);
});
