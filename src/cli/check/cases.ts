/** @file Finds and reads external cases: a model with inputs and expected outputs, in the layouts of the ONNX test suites, and lists of JAX functions. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import {
  dtypeOfJax,
  type HostTensor,
  type Jaxpr,
  jaxprIn,
  type JaxQuestion,
  type JaxTensor,
  readTensorFile,
  tensorOf,
  wholeTensor,
} from "../../import";
import type { ExternalCase, NamedTensor } from "./case";
import { readWebOps } from "./web-ops";

/** Lists of JAX functions in JSON: a jaxpr, inputs, and what JAX computed: results, derivatives in both modes, or a batch. */
interface JaxCase {
  readonly id?: string;
  readonly jaxpr?: unknown;
  readonly jaxpr_unbatched?: unknown;
  readonly in_axes?: readonly (number | null)[];
  readonly inputs?: readonly JaxTensor[];
  readonly outputs?: readonly JaxTensor[];
  readonly cotangents?: readonly JaxTensor[];
  readonly vjp?: readonly JaxTensor[];
  readonly tangents?: readonly JaxTensor[];
  readonly jvp?: readonly JaxTensor[];
  readonly rtol?: number;
  readonly atol?: number;
}

/** Where a list states no tolerance: what f32 keeps of sums in another order. */
const [RELATIVE, ABSOLUTE] = [1e-4, 1e-5];

/** Tensors named by a stem and their index; those of whole numbers have no derivative. */
function named(stem: string, list: readonly JaxTensor[] = [], derivative = false): NamedTensor[] {
  return list.flatMap((each, i) => {
    const tensor = tensorOf(each);
    if (derivative && (dtypeOfJax(each.dtype) ?? each.dtype) !== "f32" && dtypeOfJax(each.dtype) !== "f16") return [];
    return [{ name: `${stem}${i}`, dtype: each.dtype, tensor }];
  });
}

function caseOf(one: JaxCase, jaxpr: Jaxpr): ExternalCase {
  const { in_axes: axes, inputs = [] } = one;
  const derives = one.vjp !== undefined || one.jvp !== undefined;
  const question: JaxQuestion = axes ? { kind: "batch", axes, inputs } : { kind: derives ? "derivatives" : "results" };
  return {
    name: one.id ?? "a jaxpr",
    model: { jaxpr, question },
    inputs: [...named("x", inputs), ...named("g", one.cotangents, true), ...named("t", one.tangents, true)],
    expected: [...named("y", one.outputs, derives), ...named("vjp", one.vjp, true), ...named("jvp", one.jvp, true)],
    rtol: one.rtol ?? RELATIVE,
    atol: one.atol ?? ABSOLUTE,
    op: null,
    nodesAfter: null,
    hasData: one.outputs !== undefined || derives,
  };
}

/** Every case of one list; none where the file holds something else. */
function readJax(path: string): ExternalCase[] {
  const list: unknown = JSON.parse(readFileSync(path, "utf8"));
  return (Array.isArray(list) ? (list as readonly JaxCase[]) : []).flatMap((one) => {
    const jaxpr = typeof one === "object" && one !== null ? jaxprIn(one.jaxpr_unbatched ?? one.jaxpr) : null;
    return jaxpr ? [caseOf(one, jaxpr)] : [];
  });
}

/** Cases of one file or folder. Reading may throw: the files are anybody's. */
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
