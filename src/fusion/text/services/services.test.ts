import { describe, expect, test } from "vitest";
import { applyTextEdits } from "../edits/apply";
import { parseProgram } from "../program";
import { completionsAt } from "./complete";
import { hoverAt, inlayHints, signatureAt } from "./hover";
import { definitionAt, renameEdits, symbolAt } from "./symbols";

/** The text without its cursor mark, and where that was. */
function at(marked: string) {
  const offset = marked.indexOf("|");
  const text = marked.slice(0, offset) + marked.slice(offset + 1);
  return { parsed: parseProgram(text), offset, text };
}
const X = "x: f32[1024, 1536]\n";

describe("completion", () => {
  const labels = (marked: string): string[] => {
    const { parsed, offset } = at(marked);
    return completionsAt(parsed, offset).map(({ label }) => label);
  };

  test("offers ops, names and, inside a call, its arguments", () => {
    expect(labels(`${X}y = rel|`)).toEqual(expect.arrayContaining(["relu", "softmax", "x"]));
    expect(labels(`${X}y = softmax(x, |`)).toEqual(expect.arrayContaining(["dim=", "axis="]));
    expect(labels(`${X}y = softmax(x, dim=-1, |`)).not.toContain("dim=");
    expect(labels(`${X}|y = relu(x)`)).not.toContain("y");
  });

  test("knows members, prefixes, types and sources", () => {
    expect(labels(`${X}y = x.|`)).toEqual(expect.arrayContaining(["T", "shape", "mean"]));
    expect(labels(`${X}y = torch.|`)).not.toContain("shape");
    expect(labels("x: |")).toEqual(["f32", "f16", "i32", "bool"]);
    expect(labels("x: f32[4] = |")).toContain("param");
    expect(labels(`${X}# rel|`)).toEqual([]);
  });

  test("replaces the word and leaves fields for the operands", () => {
    const { parsed, offset } = at(`${X}y = matm|`);
    const item = completionsAt(parsed, offset).find(({ label }) => label === "matmul")!;
    expect(item.span).toEqual({ from: offset - 4, to: offset });
    expect(item.insert).toBe("matmul(${1:a}, ${2:b})$0");
  });
});

describe("hover, signature, hints", () => {
  test("a name says its type and bytes and names its node", () => {
    const { parsed, offset } = at(`${X}h = relu(x)\ny = exp(|h)\n`);
    expect(hoverAt(parsed, offset)).toMatchObject({
      node: "h",
      markdown: expect.stringContaining("`f32[1024, 1536]` · 6 MiB"),
    });
  });

  test("an op says its formula, and the node it is there", () => {
    const { parsed, offset } = at(`${X}y = log(re|lu(x))\n`);
    const hover = hoverAt(parsed, offset)!;
    expect(hover.node).toBe("y/0");
    expect(hover.markdown).toContain("max(x, 0)");
  });

  test("the signature follows the cursor", () => {
    const active = (marked: string): string | undefined => {
      const { parsed, offset } = at(marked);
      const help = signatureAt(parsed, offset);
      return (
        help?.params[help.active] && help.label.slice(help.params[help.active]!.from, help.params[help.active]!.to)
      );
    };
    expect(active(`${X}y = softmax(x, |`)).toBe("axis=-1");
    expect(active(`${X}y = x.mean(|`)).toMatch(/^axes/);
    expect(active(`${X}y = layer_norm(x, eps=|`)).toMatch(/^eps/);
    expect(active(`${X}def f(a, b):\n  return a\ny = f(relu(x), |`)).toBe("b");
    expect(active(`${X}y = relu(x)|`)).toBeUndefined();
  });

  test("assertions are offered where a statement begins, explained, and their arguments followed", () => {
    const offered = (marked: string): string[] => {
      const { parsed, offset } = at(marked);
      return completionsAt(parsed, offset).flatMap(({ label }) => (label.startsWith("assert_") ? label : []));
    };
    expect(offered(`${X}y = relu(x)\nass|`)).toEqual(["assert_fused", "assert_kernels", "assert_bytes", "assert_peak"]);
    expect(offered(`${X}y = ass|`)).toEqual([]);
    const { parsed, offset } = at(`${X}y = relu(x)\nassert_f|used(x, y)`);
    expect(hoverAt(parsed, offset)?.markdown).toContain("`assert_fused(a, b, ...)`");
    const help = (marked: string) => {
      const open = at(marked);
      const found = signatureAt(open.parsed, open.offset)!;
      const { from, to } = found.params[found.active]!;
      return found.label.slice(from, to);
    };
    expect(help(`${X}assert_fused(|`)).toBe("a");
    expect(help(`${X}y = relu(x)\nassert_fused(x, |`)).toBe("b");
    expect(help(`${X}y = relu(x)\nassert_fused(x, y, x, |`)).toBe("...");
    expect(help(`${X}assert_kernels(|`)).toBe("n");
  });

  test("inferred types stand behind names", () => {
    const parsed = parseProgram(`${X}y = x.mean(dim=-1)\nz = add(y, ...)\n`);
    expect(inlayHints(parsed).map(({ text }) => text)).toEqual([": f32[1024]"]);
  });
});

describe("names", () => {
  test("lead to their definition and are renamed together", () => {
    const { parsed, offset, text } = at(`${X}def f(p):\n  return p * 2\ny = f(p=|x)\nx = y\n`);
    expect(definitionAt(parsed, offset)).toEqual({ from: 0, to: 1 });
    expect(symbolAt(parsed, offset)?.symbol.uses).toHaveLength(1);
    const edited = renameEdits(parsed, offset, "data");
    expect(edited.ok && applyTextEdits(text, edited.edits)).toBe(
      "data: f32[1024, 1536]\ndef f(p):\n  return p * 2\ny = f(p=data)\nx = y\n",
    );
    const inner = renameEdits(parsed, text.indexOf("p * 2"), "q");
    expect(inner.ok && applyTextEdits(text, inner.edits)).toContain("def f(q):\n  return q * 2\ny = f(q=x)");
  });
});
