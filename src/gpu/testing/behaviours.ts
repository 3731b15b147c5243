/** @file What the kernels of plans.ts compute, for the fake GPU. */
import type { FakeGpu } from "./fake-gpu";

export function teach(fake: FakeGpu): FakeGpu {
  fake.behaviours.set("add", ([x, b, s]) => s!.forEach((_, i) => (s![i] = x![i]! + b![i]!)));
  fake.behaviours.set("relu_mul", ([s, x, y]) => y!.forEach((_, i) => (y![i] = Math.max(s![i]!, 0) * x![i]!)));
  fake.behaviours.set("fused", ([x, b, y]) =>
    y!.forEach((_, i) => (y![i] = Math.max(Math.fround(x![i]! + b![i]!), 0) * x![i]!)),
  );
  return fake;
}
