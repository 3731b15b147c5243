import fc from "fast-check";
import { deflateSync, strToU8 } from "fflate";
import { expect, test } from "vitest";
import { edgeId, nodeId, type CompileOptions, type Step } from "../fusion";
import { decisionAt, findDecision } from "./decision";
import { decodeFile, encodeFile } from "./file";
import { limits } from "./limits";
import { decodeLink, encodeLink, LINK_PREFIX, toBase64Url } from "./link";
import { recordOf } from "./records";
import { deeperThan } from "./schema";
import type { SharedState } from "./types";
import type { SharedView } from "./view";

const options: CompileOptions = {
  granularity: "op",
  disabledPasses: ["row-groups"],
  strict: true,
  level: 2,
  policy: "cost",
  matmulPolicy: "threshold",
  libraryAbove: 64,
  groupSize: 2,
  profile: {
    name: "laptop",
    bandwidth: 1e11,
    l2Bytes: 4e6,
    peakFlops: 1e12,
    launchMicros: 5,
    multiprocessors: 16,
    registersPerMultiprocessor: 65536,
    maxBindings: 8,
    workgroupBytes: 16384,
    maxBindingBytes: 134217728,
    memoryLimitBytes: 4e9,
  },
  forced: [edgeId(nodeId("y/0"), nodeId("y"), 0)],
  forbidden: [],
  savedValues: { apart: true, policy: "cut", budgetBytes: 1024, choices: { [nodeId("h")]: "bits" } },
  knobs: { all: { threads: "128" }, kernels: { y: { rows: "again", tile: "64x128x16/8x8" } } },
};

const state: SharedState = {
  version: 1,
  document: {
    text: "x: f32[8]\ny = log(relu(x)) # é𝄞\n",
    positions: recordOf({ constructor: { x: 1, y: 2 }, "h1/block#0/t": { x: -3.5, y: 0 } }),
    options,
    example: null,
  },
  decision: { pass: "producer-consumer", rule: "edge", nodes: ["y/0", "y"], occurrence: 0, seq: 2, hash: "00c0ffee" },
};

const linkOf = (value: unknown): string => LINK_PREFIX + toBase64Url(deflateSync(strToU8(JSON.stringify(value))));
/** The state as JSON with values put at dotted paths. */
function changed(changes: Readonly<Record<string, unknown>>): unknown {
  const copy = JSON.parse(JSON.stringify(state)) as Record<string, unknown>;
  for (const [path, value] of Object.entries(changes)) {
    const keys = path.split(".");
    const last = keys.pop()!;
    let inner = copy;
    for (const key of keys) inner = inner[key] as Record<string, unknown>;
    inner[last] = value;
  }
  return copy;
}

async function link(value: SharedState): Promise<string> {
  const encoded = await encodeLink(value);
  if (!encoded.ok) throw new Error(encoded.text);
  return encoded.value;
}

test("a link restores the state, whatever stands before it", async () => {
  const text = await link(state);
  expect(text).toMatch(/^#f1=[\w-]+$/);
  for (const address of [text, `https://example.org/play/${text}`]) {
    const opened = await decodeLink(address);
    expect(opened).toEqual({ ok: true, value: { state, dropped: [] } });
  }
});

test("a link holds where its maker looked; what can't be read of it is named, and costs nothing else", async () => {
  const view: SharedView = {
    version: 1,
    tab: "traffic",
    pane: "kernels",
    inspector: true,
    kernel: "K2",
    selection: { kind: "edge", id: "h>y.0" },
    opened: ["constructor"],
    closed: ["h1/block#0", "é𝄞"],
    camera: { x: -12, y: 3.5, width: 400, height: 300 },
    naive: true,
    lesson: { id: "memory-is-the-cost", step: 2 },
  };
  const bare = await link(state);
  const whole = await link({ ...state, view });
  expect(await decodeLink(whole)).toEqual({ ok: true, value: { state: { ...state, view }, dropped: [] } });
  expect(whole.length - bare.length).toBeLessThan(400);
  const bad = { ...view, tab: "sideways", camera: { x: 0, y: 0, width: 0, height: 1 }, later: 1 };
  const opened = await decodeLink(linkOf({ ...state, view: bad }));
  const { tab: _t, camera: _c, ...rest } = view;
  expect(opened).toEqual({
    ok: true,
    value: { state: { ...state, view: rest }, dropped: ["view.tab", "view.camera", "view.later"] },
  });
  expect(await decodeLink(linkOf({ ...state, view: { ...view, version: 2 } }))).toEqual({
    ok: true,
    value: { state, dropped: ["the view"] },
  });
});

test("a link without a level, and one with a level that there is not", async () => {
  const { level: _, ...older } = options;
  const opened = await decodeLink(linkOf(changed({ "document.options": older })));
  expect(opened.ok && opened.value.state.document.options).toEqual(older);
  expect(await decodeLink(linkOf(changed({ "document.options.level": 4 })))).toMatchObject({ code: "bad-options" });
});

test("a file restores the state and is readable", () => {
  const text = encodeFile(state);
  expect(text).toContain('"version": 1');
  expect(decodeFile(text)).toEqual({ ok: true, value: { state, dropped: [] } });
});

test("every state that can be linked can be opened, and comes back the same", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: "binary", maxLength: 2000 }),
      fc.dictionary(fc.string({ minLength: 1, maxLength: 300 }), fc.record({ x: fc.double(), y: fc.double() })),
      async (text, positions) => {
        const wanted = { ...state, document: { ...state.document, text, positions } };
        const encoded = await encodeLink(wanted);
        if (!encoded.ok) return;
        const opened = await decodeLink(encoded.value);
        expect(opened.ok).toBe(true);
      },
    ),
    { numRuns: 200 },
  );
});

test("the encoder refuses what the decoder would", async () => {
  const long = { ...state, document: { ...state.document, text: "y = x\n".repeat(limits.linkLines + 1) } };
  expect(await encodeLink(long)).toMatchObject({ ok: false, code: "too-many-lines" });
  expect(await decodeLink(linkOf(long))).toMatchObject({ ok: false, code: "too-many-lines" });
  let noise = "";
  for (let i = 0, seed = 1; i < 40_000; i++) {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    noise += String.fromCharCode(33 + ((seed >>> 16) % 90));
  }
  const dense = { ...state, document: { ...state.document, text: noise } };
  expect(await encodeLink(dense)).toMatchObject({ ok: false, code: "too-large" });
  expect(await decodeLink(linkOf(dense))).toMatchObject({ ok: false, code: "too-large" });
});

test("a bomb is stopped at the cap", async () => {
  const bomb = LINK_PREFIX + toBase64Url(deflateSync(new Uint8Array(24 << 20)));
  expect(bomb.length).toBeLessThan(limits.linkCharacters);
  const start = performance.now();
  expect(await decodeLink(bomb)).toMatchObject({ ok: false, code: "too-large" });
  expect(performance.now() - start).toBeLessThan(10_000); // a runaway; 0.1 s on a machine of its own
});

test("depth, version, type and damage are each refused with a reason", async () => {
  const nested = `{"version":1,"document":${"[".repeat(50)}${"]".repeat(50)}}`;
  const deep = LINK_PREFIX + toBase64Url(deflateSync(strToU8(nested)));
  expect(await decodeLink(deep)).toMatchObject({ ok: false, code: "too-deep" });
  expect(await decodeLink(linkOf({ ...state, version: 2 }))).toMatchObject({ ok: false, code: "newer-version" });
  expect(await decodeLink(linkOf({ document: state.document }))).toMatchObject({ ok: false, code: "no-version" });
  expect(await decodeLink(linkOf([]))).toMatchObject({ ok: false, code: "not-a-document" });
  expect(await decodeLink(linkOf(changed({ "document.text": 7 })))).toMatchObject({ code: "not-a-document" });
  expect(await decodeLink(linkOf(changed({ "document.options.policy": "all" })))).toMatchObject({
    code: "bad-options",
  });
  expect(await decodeLink(linkOf(changed({ "document.options.profile.bandwidth": -1 })))).toMatchObject({
    code: "bad-options",
  });
  expect(await decodeLink("#f1=%%%")).toMatchObject({ ok: false, code: "damaged" });
  expect(await decodeLink("#f1=")).toMatchObject({ ok: false, code: "damaged" });
  expect(await decodeLink("#f1=AAAA")).toMatchObject({ ok: false });
  expect(await decodeLink("#f2=AAAA")).toMatchObject({ ok: false, code: "not-a-link" });
});

test("a million nested arrays are measured without recursion", () => {
  let nested: unknown = [];
  for (let i = 0; i < 1_000_000; i++) nested = [nested];
  expect(deeperThan(nested, 32)).toBe(true);
  expect(deeperThan({ a: [{ b: 1 }] }, 32)).toBe(false);
});

test("one bad entry is dropped and named, the rest loads; unknown keys are named too", async () => {
  const value = changed({
    "document.positions": { a: { x: 1, y: 1 }, b: { x: "left", y: 1 }, c: { x: 1e300, y: 0 } },
    "document.colour": "red",
    later: true,
    decision: { pass: 3 },
  });
  const opened = await decodeLink(linkOf(value));
  if (!opened.ok) throw new Error(opened.text);
  expect(opened.value.state.document.positions).toEqual({ a: { x: 1, y: 1 } });
  expect(opened.value.state.decision).toBeNull();
  expect(opened.value.dropped).toEqual([
    "later",
    "document.colour",
    "position of b",
    "position of c",
    "the shown decision",
  ]);
});

test("choices of code generation that there are not are left out", async () => {
  const opened = await decodeLink(
    linkOf(
      changed({ "document.options.knobs": { all: { threads: "17", warp: "on" }, kernels: { y: { rows: "again" } } } }),
    ),
  );
  if (!opened.ok) throw new Error(opened.text);
  expect(opened.value.state.document.options.knobs).toEqual({ all: {}, kernels: { y: { rows: "again" } } });
});

test("no key reaches a prototype", async () => {
  const json = JSON.stringify(state).replace(
    /"positions":\{[^}]*\}/,
    '"positions":{"__proto__":{"x":1,"y":2},"constructor":{"x":3,"y":4}',
  );
  const opened = await decodeLink(LINK_PREFIX + toBase64Url(deflateSync(strToU8(json))));
  if (!opened.ok) throw new Error(opened.text);
  const { positions } = opened.value.state.document;
  expect(({} as { x?: number }).x).toBeUndefined();
  expect(Object.getPrototypeOf(positions)).toBeNull();
  expect(Object.keys(positions)).toContain("constructor");
  expect(positions["toString"]).toBeUndefined();
});

test("mutated links and JSON never throw, never pollute, and end soon", async () => {
  const good = await link(state);
  const json = JSON.stringify(state);
  const before = Object.getOwnPropertyNames(Object.prototype).length;
  const mutate = (text: string, edits: readonly (readonly [number, number, string])[]): string => {
    let out = text;
    for (const [at, cut, insert] of edits) {
      const from = at % (out.length + 1);
      out = out.slice(0, from) + insert + out.slice(from + cut);
    }
    return out;
  };
  const edits = fc.array(
    fc.tuple(fc.nat(5000), fc.nat(4), fc.constantFrom("", "A", "{", "[", '"', "__proto__", "1e999", "null", "-1", "�")),
    { minLength: 1, maxLength: 6 },
  );
  await fc.assert(
    fc.asyncProperty(edits, fc.boolean(), async (list, inside) => {
      const text = inside ? LINK_PREFIX + toBase64Url(deflateSync(strToU8(mutate(json, list)))) : mutate(good, list);
      const start = performance.now();
      const opened = await decodeLink(text);
      expect(performance.now() - start).toBeLessThan(5000);
      const said = opened.ok ? `opened ${typeof opened.value.state.document.text}` : opened.text;
      expect(said).toMatch(/^opened string$|\w/);
      expect(said).not.toBe("opened undefined");
    }),
    { numRuns: 5000 },
  );
  expect(Object.getOwnPropertyNames(Object.prototype).length).toBe(before);
}, 120_000);

const step = (seq: number, pass: string, nodes: string[], hash = String(seq)): Step =>
  ({ seq, pass, rule: "r", nodes: nodes.map(nodeId), hash, accepted: true }) as unknown as Step;

test("a decision is found again: exactly, as the same one elsewhere, or as the nearest", () => {
  const steps = [step(1, "a", ["x", "y"]), step(2, "b", ["y", "z"]), step(3, "b", ["y", "z"]), step(4, "c", ["z"])];
  const ref = decisionAt(steps, 3)!;
  expect(ref).toMatchObject({ occurrence: 1, seq: 3 });
  expect(findDecision(steps, ref)).toEqual({ cursor: 3, exact: true, isSame: true, notice: null });
  const moved = [step(1, "b", ["y", "z"], "q"), step(2, "a", ["x"], "r"), step(3, "b", ["y", "z"], "s")];
  expect(findDecision(moved, ref)).toMatchObject({ cursor: 3, exact: false });
  expect(findDecision([step(1, "a", ["q"], "k"), step(2, "d", ["y"], "m")], ref)).toMatchObject({ cursor: 2 });
  expect(findDecision([], ref)).toMatchObject({ cursor: 0, exact: false });
  expect(decisionAt(steps, 4)).toBeNull();
  expect(decisionAt(steps, 0)).toBeNull();
});

test("500 written ops fit into a link, one more is refused both ways; what a call expands to does not count", async () => {
  const chain = (ops: number, op: string): string =>
    ["x: f32[8, 8]", ...Array.from({ length: ops }, (_, i) => `v${i} = ${op}(${i === 0 ? "x" : `v${i - 1}`})`)].join(
      "\n",
    );
  const withText = (text: string): SharedState => ({ ...state, document: { ...state.document, text } });
  expect((await encodeLink(withText(chain(limits.linkOps, "relu")))).ok).toBe(true);
  expect((await encodeLink(withText(chain(limits.linkOps, "softmax")))).ok).toBe(true);
  const large = withText(chain(limits.linkOps + 1, "relu"));
  expect(await encodeLink(large)).toMatchObject({ ok: false, code: "too-many-ops" });
  expect(await decodeLink(linkOf(large))).toMatchObject({ ok: false, code: "too-many-ops" });
});

test("a device without registers is none: no kernel's time would be finite", () => {
  const written = (registers: number) =>
    JSON.stringify({
      version: 1,
      document: {
        text: "",
        options: { ...options, profile: { ...options.profile, registersPerMultiprocessor: registers } },
      },
    });
  const read = (registers: number) => {
    const opened = decodeFile(written(registers));
    return opened.ok ? opened.value.state.document.options.profile.registersPerMultiprocessor : null;
  };
  expect(read(1024)).toBe(1024);
  expect(read(0)).not.toBe(0);
});
