/** @file Lists of operator cases in JSON with comments: one operator, its attributes, and inputs with the outputs they give. */
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { wholeTensor, type HostTensor, type OnnxAttribute, type OnnxModel } from "../../import";
import type { ExternalCase, NamedTensor } from "./case";

interface JsonTensor {
  readonly data: readonly (number | string | boolean)[] | null;
  readonly dims?: readonly number[];
  readonly type: string;
}
interface JsonAttribute {
  readonly name: string;
  readonly data: unknown;
  readonly type: string;
}
interface JsonTest {
  readonly name: string;
  readonly operator: string;
  readonly opset?: { readonly domain: string; readonly version: number };
  readonly attributes?: readonly JsonAttribute[];
  readonly cases: readonly {
    readonly name: string;
    readonly inputs: readonly (JsonTensor | null)[];
    readonly outputs: readonly (JsonTensor | null)[];
  }[];
}

/** The opset that is meant where none is named. */
const OPSET = 21;
/** Tolerances of the suite that these lists belong to; halves have their own. */
const ABSOLUTE = 1e-4;
const RELATIVE = 1e-3;
const HALVES = 1e-2;

/** Comments and commas before a closing bracket are allowed in these files; strings are left alone. */
export function stripComments(text: string): string {
  return text
    .replaceAll(/("(?:\\.|[^"\\])*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (_, string: string | undefined) => string ?? "")
    .replaceAll(/("(?:\\.|[^"\\])*")|,(?=\s*[\]}])/g, (_, string: string | undefined) => string ?? "");
}

const TYPES: ReadonlyMap<
  string,
  { readonly dtype: HostTensor["dtype"]; readonly data: number; readonly short: string }
> = new Map([
  ["float32", { dtype: "f32", data: 1, short: "f32" }],
  ["float16", { dtype: "f16", data: 10, short: "f16" }],
  ["int32", { dtype: "i32", data: 6, short: "i32" }],
  ["int64", { dtype: "i32", data: 7, short: "i64" }],
  ["bool", { dtype: "bool", data: 9, short: "bool" }],
]);
/** Names of dtypes that are none of ours, as data type numbers. */
const OTHERS: ReadonlyMap<string, number> = new Map([
  ["uint8", 2],
  ["int8", 3],
  ["uint16", 4],
  ["int16", 5],
  ["string", 8],
  ["float64", 11],
  ["uint32", 12],
  ["uint64", 13],
]);

function tensorOf({ data, dims, type }: JsonTensor, name: string): NamedTensor {
  const known = TYPES.get(type);
  const numbers = Float64Array.from(data ?? [], (value) => Number(value));
  if (!known) {
    // `uint8` is u8.
    const short = type.replace(/^(u?)int(\d+)$/, (_, sign: string, bits: string) => `${sign || "i"}${bits}`);
    return { name, dtype: short, tensor: wholeTensor(short, dims ?? [numbers.length], numbers) };
  }
  const tensor = { dtype: known.dtype, dims: dims ?? [numbers.length], data: numbers, wide: type === "int64" };
  return { name, dtype: known.short, tensor };
}

/** One attribute; numbers, lists of numbers and texts. */
function attributeOf({ name, data, type }: JsonAttribute): OnnxAttribute {
  const empty = { name, refersTo: "", floats: [] as number[], ints: [] as number[], strings: [] as string[] };
  switch (type) {
    case "int":
      return { ...empty, i: Number(data) };
    case "float":
      return { ...empty, f: Number(data) };
    case "string":
      return { ...empty, s: String(data) };
    case "ints":
      return { ...empty, ints: data as number[] };
    case "floats":
      return { ...empty, floats: data as number[] };
    default:
      return { ...empty, strings: data as string[] };
  }
}

/** A model of one node. */
function modelOf({ operator, opset, attributes = [] }: JsonTest, one: JsonTest["cases"][number]): OnnxModel {
  const given = (tensor: JsonTensor | null): tensor is JsonTensor => tensor !== null && tensor.data !== null;
  const inputs = one.inputs.map((tensor, i) => (given(tensor) ? `input_${i}` : ""));
  const outputs = one.outputs.map((tensor, i) => (tensor ? `output_${i}` : ""));
  const values = (list: readonly (JsonTensor | null)[], names: readonly string[]): OnnxModel["graph"]["inputs"] =>
    list.flatMap((tensor, i) =>
      names[i] === "" || !tensor
        ? []
        : [
            {
              name: names[i]!,
              dataType: TYPES.get(tensor.type)?.data ?? OTHERS.get(tensor.type) ?? 0,
              dims: tensor.dims ?? null,
            },
          ],
    );
  const domain = opset?.domain ?? "";
  return {
    opsets: new Map([
      ["", domain === "" ? (opset?.version ?? OPSET) : OPSET],
      [domain, opset?.version ?? OPSET],
    ]),
    functions: [],
    graph: {
      name: operator,
      nodes: [
        {
          op: operator,
          domain,
          overload: "",
          name: operator,
          inputs,
          outputs,
          attributes: new Map(attributes.map((attribute) => [attribute.name, attributeOf(attribute)])),
        },
      ],
      initializers: [],
      sparse: 0,
      inputs: values(one.inputs, inputs),
      outputs: values(one.outputs, outputs),
      valueInfo: [],
    },
  };
}

/** Every case of one list. */
export function readWebOps(path: string): ExternalCase[] {
  const tests = JSON.parse(stripComments(readFileSync(path, "utf8"))) as readonly JsonTest[];
  return tests.flatMap((test) =>
    test.cases.map((one): ExternalCase => {
      const halves = [...one.inputs, ...one.outputs].some((tensor) => tensor?.type === "float16");
      const named = (list: readonly (JsonTensor | null)[], stem: string): NamedTensor[] =>
        list.flatMap((tensor, i) => (tensor && tensor.data !== null ? [tensorOf(tensor, `${stem}_${i}`)] : []));
      return {
        name: `${basename(path, ".jsonc")}: ${test.name}: ${one.name}`,
        model: modelOf(test, one),
        inputs: named(one.inputs, "input"),
        expected: named(one.outputs, "output"),
        rtol: halves ? HALVES : RELATIVE,
        atol: halves ? HALVES : ABSOLUTE,
        op: test.operator,
        nodesAfter: null,
        hasData: true,
      };
    }),
  );
}
