import { afterEach, expect, test, vi } from "vitest";
import { compile, defaultOptions } from "../fusion";
import type { LayoutRequest } from "../picture";
import type { Answer } from "../workers";
import { PATIENCE_MILLIS, startLayout } from "./layout-sync";
import type { Layout } from "./types";
import type { Environment } from "./environment";

const compilation = compile("x: f32[8]\ny = relu(x)\n", defaultOptions);
const blank: Layout = { boxes: new Map(), bends: new Map(), width: 0, height: 0 };

afterEach(() => vi.useRealTimers());

test("a layout that takes too long is asked for again, of the linear engine, in a fresh worker", async () => {
  vi.useFakeTimers();
  const asked: LayoutRequest["engine"][] = [];
  let answerFirst: (answer: Answer<Layout>) => void = () => undefined;
  const layoutWorker = {
    ask(request: LayoutRequest): Promise<Answer<Layout>> {
      asked.push(request.engine);
      if (request.engine === "lanes") return Promise.resolve({ ok: true, value: blank });
      return new Promise((answer) => (answerFirst = answer));
    },
    end: () => answerFirst({ ok: false, text: "ended" }),
  };
  const seen: Layout[] = [];
  startLayout({ layoutWorker } as unknown as Environment, (layout) => seen.push(layout)).request(compilation);
  await vi.advanceTimersByTimeAsync(PATIENCE_MILLIS - 1);
  expect(asked).toEqual(["auto"]);
  await vi.advanceTimersByTimeAsync(1);
  expect([asked, seen]).toEqual([["auto", "lanes"], [blank]]);
});

test("the worker hears of boxes and lines, not of the plan", async () => {
  const asked: LayoutRequest[] = [];
  const layoutWorker = {
    ask(request: LayoutRequest): Promise<Answer<Layout>> {
      asked.push(request);
      return Promise.resolve({ ok: true, value: blank });
    },
    end: () => undefined,
  };
  startLayout({ layoutWorker } as unknown as Environment, () => undefined).request(compilation);
  await Promise.resolve();
  expect(Object.keys(asked[0]!).toSorted()).toEqual(["edges", "engine", "nodes"]);
  expect(asked[0]!.nodes.map(({ id }) => id)).toEqual(["x", "y", "y>out"]);
});
