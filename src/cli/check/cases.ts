/** @file Finds and reads external cases: a model with inputs and expected outputs, in the layouts of the ONNX test suites, and lists of JAX functions. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { readTensorFile, wholeTensor, type HostTensor } from "../../import";
import type { ExternalCase, NamedTensor } from "./case";
import { readJax } from "./jax";
import { readWebOps } from "./web-ops";

/** Cases that stand in one place. Reading may throw: the files are anybody's. */
export interface CaseSource {
  readonly name: string;
  readonly read: () => ExternalCase[];
}

/** Every case below the given paths; a file is a case list of its own, a folder with `model.onnx` one case. */
export function* findCases(paths: readonly string[]): Generator<CaseSource> {
  for (const path of paths) {
    if (!statSync(path).isDirectory()) {
      if (path.endsWith(".jsonc")) yield { name: basename(path), read: () => readWebOps(path) };
      if (path.endsWith(".json")) yield { name: basename(path), read: () => readJax(path) };
      continue;
    }
    if (existsSync(join(path, "model.onnx"))) {
      yield { name: basename(path), read: () => [readFolder(path)] };
      continue;
    }
    yield* findCases(
      readdirSync(path)
        .sort()
        .map((entry) => join(path, entry)),
    );
  }
}

interface JsonTensor {
  readonly name?: string;
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data: readonly (number | string | boolean | null)[];
}

const DTYPES: Readonly<Record<string, HostTensor["dtype"]>> = {
  f32: "f32",
  f64: "f32",
  f16: "f16",
  i32: "i32",
  i64: "i32",
  u64: "i32",
  bool: "bool",
};

/** NaN and infinities are written as words in JSON. */
const numberOf = (value: number | string | boolean | null): number =>
  typeof value === "string"
    ? Number(value.replace(/^([+-]?)inf(inity)?$/i, "$1Infinity"))
    : value === null
      ? Number.NaN
      : Number(value);

function fromJson({ name = "", dtype, shape, data }: JsonTensor): NamedTensor {
  const numbers = Float64Array.from(data, numberOf);
  const known = DTYPES[dtype];
  const tensor = known
    ? { dtype: known, dims: shape, data: numbers, wide: dtype === "i64" || dtype === "u64" }
    : wholeTensor(dtype, shape, numbers);
  return { name, dtype, tensor };
}

/** A file may hold a sequence or a map, which have another layout. */
function tensorIn(bytes: Uint8Array): NamedTensor {
  try {
    return readTensorFile(bytes);
  } catch {
    return { name: "", dtype: "no tensor", tensor: null };
  }
}

function fromFiles(folder: string, stem: string): NamedTensor[] {
  const numbered = readdirSync(folder).flatMap((file) => {
    const found = new RegExp(`^${stem}_(\\d+)\\.pb$`).exec(file);
    return found ? [{ at: Number(found[1]), file }] : [];
  });
  return numbered
    .sort((a, b) => a.at - b.at)
    .map(({ file }) => {
      return tensorIn(readFileSync(join(folder, file)));
    });
}

function readFolder(folder: string): ExternalCase {
  const json = (file: string): Record<string, unknown> =>
    existsSync(join(folder, file))
      ? (JSON.parse(readFileSync(join(folder, file), "utf8")) as Record<string, unknown>)
      : {};
  const facts = { ...json("info.json"), ...json("case.json") };
  const expect = json("expect.json") as {
    ort_1_30_ops_after?: { extended?: Record<string, number> };
    ort_tests_share_models?: boolean;
    negative?: boolean;
  };
  const data = readdirSync(folder)
    .filter((entry) => entry.startsWith("test_data_set_"))
    .map((entry) => join(folder, entry))
    .find((entry) => readdirSync(entry).some((file) => file.endsWith(".pb")));
  const list = (key: string): NamedTensor[] =>
    Array.isArray(facts[key]) ? (facts[key] as JsonTensor[]).map(fromJson) : [];
  const inputs = data ? fromFiles(data, "input") : list("inputs");
  const expected = data ? fromFiles(data, "output") : list("expected");
  const after = expect.ort_1_30_ops_after?.extended;
  return {
    name: basename(folder),
    model: readFileSync(join(folder, "model.onnx")),
    inputs,
    expected,
    rtol: typeof facts["rtol"] === "number" ? facts["rtol"] : 1e-3,
    atol: typeof facts["atol"] === "number" ? facts["atol"] : 1e-5,
    op: typeof facts["op"] === "string" ? facts["op"] : null,
    nodesAfter: after && expect.negative !== true ? Object.values(after).reduce((sum, count) => sum + count, 0) : null,
    hasData: expected.length > 0,
  };
}
