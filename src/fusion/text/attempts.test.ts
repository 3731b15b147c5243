/** @file `try`: what Python raises where the text shows it is caught by what catches it there. */
import { describe, expect, test } from "vitest";
import { outputValues } from "../../../test/output-values";
import { problems } from "./testing";

const X = "x: f32[1] = ones()\n";

describe("what is raised", () => {
  test.each([
    ["a key that is missing", 'd = {"a": 2}\ntry:\n  s = d["b"]\nexcept KeyError:\n  s = 3', 3],
    ["an entry behind the last", "try:\n  s = [1, 2][5]\nexcept LookupError:\n  s = 4", 4],
    ["a field that no object has", "class A: pass\ntry:\n  s = A().b\nexcept AttributeError:\n  s = 5", 5],
    ["a text that is no number", 'try:\n  s = int("x")\nexcept (TypeError, ValueError) as e:\n  s = 6', 6],
    ["shapes that do not fit", "try:\n  s = (x @ torch.ones(4, 4)).sum()\nexcept RuntimeError:\n  s = 7", 7],
    ["an iterator at its end", "try:\n  s = next(iter([]))\nexcept StopIteration:\n  s = 8", 8],
    ["what does not hold", "try:\n  assert x.ndim == 2\n  s = 1\nexcept AssertionError:\n  s = 9", 9],
    [
      "a function's own",
      'def f(n):\n  if n > 2: raise ValueError("n")\n  return n\ntry:\n  s = f(3)\nexcept ValueError:\n  s = 10\nelse:\n  s = 11\nfinally:\n  s = s + 0.5',
      10.5,
    ],
    [
      "past a handler of something else",
      'd = {}\ns = 1\ntry:\n  try:\n    s = s + 1\n    d["a"]\n    s = 50\n  except IndexError:\n    s = 60\nexcept KeyError:\n  s = s * 5',
      10,
    ],
    [
      "in each iteration by itself",
      's = 0\nfor k in ["a", "b", "c"]:\n  try:\n    s = s + {"a": 1, "c": 10}[k]\n  except KeyError:\n    s = s + 100',
      111,
    ],
    ["nothing", "try:\n  s = 1\nexcept KeyError:\n  s = 2\nelse:\n  s = 3", 3],
  ])("%s", (_, text, value) => {
    expect(outputValues(`${X}${text}\nreturn x * s\n`)[0]!.data).toEqual([value]);
  });

  test("what nobody catches, and what is not known here, stays a mistake", () => {
    const missing = 'd = {}\ntry:\n  y = d["a"]\nexcept IndexError:\n  y = x\nreturn y\n';
    expect(problems(X + missing).join("\n")).toContain("The dictionary has no entries");
    const unknown = "try:\n  y = fancy(x)\nexcept Exception:\n  y = x\nreturn y\n";
    expect(problems(X + unknown).join("\n")).toContain("No op is called `fancy`");
  });
});
