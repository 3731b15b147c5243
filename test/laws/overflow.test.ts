/** @file Softmax without its maximum is warned of, and what is offered instead holds for any numbers. */
import { describe, expect, test } from "vitest";
import { compile, defaultOptions, nodeId, runReference } from "../../src/fusion";

const declared = "s: f32[4, 8] = uniform(80, 100)\n";
const warnings = (body: string) =>
  compile(declared + body, defaultOptions).diagnostics.filter(({ code }) => code === "overflow");

describe("a softmax without its maximum", () => {
  test.each([
    "e = exp(s)\ny = e / e.sum(dim=-1, keepdim=True)\nreturn y\n",
    "e = torch.exp(s * 2)\ny = e / torch.sum(e, dim=1, keepdim=True)\nreturn y\n",
    "y = s.exp() / s.exp().sum(1).unsqueeze(1)\nreturn y\n",
    "y = jnp.exp(s.T) / jnp.exp(s.T).sum(axis=0, keepdims=True)\nreturn y\n",
  ])("is warned of, and the stable one is a fix: %s", (body) => {
    const source = declared + body;
    const [warning] = warnings(body);
    // Where exp is written twice a person sees both.
    expect(warning!.fixes === undefined).toBe(body.match(/exp\(/g)!.length > 1);
    for (const { edits, title } of warning!.fixes ?? []) {
      expect(title).toBe("Subtract the maximum first");
      const [{ span, insert }] = edits as [(typeof edits)[0]];
      const stable = source.slice(0, span.from) + insert + source.slice(span.to);
      const { naive, diagnostics } = compile(stable, defaultOptions);
      expect(diagnostics).toEqual([]);
      const values = runReference(naive!.graph, new Map([[nodeId("s"), new Float64Array(32).fill(1000)]]));
      const { data } = values.get(naive!.graph.outputs[0]!)!;
      for (const value of data) expect(value).toBeCloseTo(1 / 8, 12);
    }
    expect(warning!.text).toContain("88.7");
  });

  test.each([
    "e = exp(s - s.max(dim=-1, keepdim=True))\ny = e / e.sum(dim=-1, keepdim=True)\nreturn y\n",
    "e = exp(s - s.max(dim=-1, keepdim=True).detach())\ny = e / e.sum(dim=-1, keepdim=True)\nreturn y\n",
    "e = exp(-s ** 2)\ny = e / e.sum(dim=-1, keepdim=True)\nreturn y\n",
    "e = exp(s.clamp(max=80))\ny = e / e.sum(dim=-1, keepdim=True)\nreturn y\n",
    "y = softmax(s, dim=-1)\nreturn y\n",
    "e = exp(s)\ny = e / 2\nreturn y\n",
  ])("is not where it can't overflow: %s", (body) => expect(warnings(body)).toEqual([]));
});
