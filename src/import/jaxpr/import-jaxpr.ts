/** @file jaxpr → typed language: a function of JAX as a program, by itself, with its derivatives, or of a batch. */
import type { TensorType } from "../../fusion";
import { Emitter, type Value } from "../onnx/emit";
import type { ImportedModel, UnsupportedOp } from "../onnx/import-model";
import { dtypeOf, tensorOf, type Jaxpr, type JaxEquation, type JaxTensor, type Operand, type Typed } from "./jaxpr";
import { programOf, type JaxQuestion, type Outputs } from "./questions";
import { Equation } from "./rule";
import { rules } from "./rules";

/** Equations that are written out at most, those of loops in every iteration. */
const MAX_EQUATIONS = 50_000;
/** Programs inside one another. */
const MAX_DEPTH = 32;

const RANDOM = /^(random_|rng_|threefry)/;

/** Names of inputs are `x0` … for operands, `g0` … for cotangents, `t0` … for tangents; of outputs `y0` …, `vjp0` …, `jvp0` …. */
export const importJaxpr = (jaxpr: Jaxpr, question: JaxQuestion): ImportedModel =>
  new JaxReader(jaxpr, question).read();

class JaxReader {
  private readonly emit = new Emitter(true);
  private readonly jaxpr: Jaxpr;
  private readonly question: JaxQuestion;
  private readonly inputs = new Map<string, string>();
  private refused: UnsupportedOp | null = null;
  private walked = 0;
  private depth = 0;

  constructor(jaxpr: Jaxpr, question: JaxQuestion) {
    this.jaxpr = jaxpr;
    this.question = question;
  }

  read(): ImportedModel {
    const { question, jaxpr } = this;
    const given = question.kind === "batch" ? question.inputs : jaxpr.in;
    const operands = given.map((each, i) => this.input(`x${i}`, each));
    const own = operands.map((value, i) =>
      this.emit.widened(value.name!, question.kind === "batch" ? this.example(value, question.axes[i] ?? null) : value),
    );
    const found = this.refused ? [] : this.inline(jaxpr, own);
    const why = this.emit.takeFailure();
    if (why !== null) this.refuse("jaxpr", why);
    const results = found.map((value, i) => this.emit.narrowed(`y${i}`, value, value.half ? "f16" : undefined));
    const outputs = new Map() as Outputs;
    const input = (hint: string, type: TensorType): Value => this.declare(hint, type);
    const text = this.refused ? "" : programOf({ emit: this.emit, operands, results, input }, question, outputs);
    return {
      text,
      inputs: this.inputs,
      inputOrder: [...this.inputs.keys()],
      openDims: [],
      overridable: [],
      outputs,
      draws: 0,
      data: this.emit.data,
      unsupported: this.refused ? [this.refused] : [],
      elsewhere: [],
      wanted: [],
      missing: [],
    };
  }

  private input(hint: string, { shape, dtype }: Typed): Value {
    const known = dtypeOf(dtype);
    if (!known) this.refuse(dtype, "dtype");
    return this.declare(hint, { dtype: known ?? "f32", shape });
  }

  private declare(hint: string, type: TensorType): Value {
    const value = this.emit.input(hint, type, "input");
    this.inputs.set(hint, value.name!);
    return value;
  }

  /** One example of a batch, under the same name. */
  private example(value: Value, axis: number | null): Value {
    if (axis === null) return value;
    const at = axis < 0 ? axis + value.type.shape.length : axis;
    return { ...value, type: { ...value.type, shape: value.type.shape.toSpliced(at, 1) } };
  }

  private refuse(op: string, why: string): void {
    this.refused ??= { op, count: 1, why: RANDOM.test(op) ? "random" : why, given: 0 };
  }

  /** The results of a program with these operands. */
  private inline(jaxpr: Jaxpr, operands: readonly Value[]): readonly Value[] {
    const { emit } = this;
    const values = new Map(jaxpr.in.map(({ name }, i) => [name, operands[i]!]));
    for (const { name, value } of jaxpr.consts) values.set(name, this.constant(value));
    const of = (operand: Operand): Value =>
      (typeof operand === "string" ? values.get(operand) : this.constant(operand.lit)) ??
      emit.fail("a name without a value");
    if (++this.depth > MAX_DEPTH) this.refuse("call", `more than ${MAX_DEPTH} programs inside one another`);
    for (const equation of jaxpr.eqns) {
      if (++this.walked > MAX_EQUATIONS)
        this.refuse(equation.prim, `more than ${MAX_EQUATIONS} equations once loops are written out`);
      const results = this.refused ? [] : this.equation(equation, equation.in.map(of));
      equation.out.forEach(({ name }, i) => values.set(name, results[i] ?? emit.fail(`its output ${i + 1}`)));
    }
    this.depth--;
    return jaxpr.out.map(of);
  }

  private equation(equation: JaxEquation, args: readonly Value[]): readonly Value[] {
    const rule = Object.hasOwn(rules, equation.prim) ? rules[equation.prim] : undefined;
    if (!rule) {
      this.refuse(equation.prim, "no rule");
      return [];
    }
    const answer = rule(new Equation(this.emit, equation, args, (inner, operands) => this.inline(inner, operands)));
    const why = this.emit.takeFailure();
    if (why !== null) this.refuse(equation.prim, why);
    return Array.isArray(answer) ? (answer as readonly Value[]) : [answer as Value];
  }

  private constant(tensor: JaxTensor | undefined): Value {
    const host = tensor && tensorOf(tensor);
    if (!host) this.refuse(tensor?.dtype ?? "constant", tensor ? "dtype" : "a constant without its numbers");
    return this.emit.host(host ?? { dtype: "f32", dims: [], data: new Float64Array(1), wide: false });
  }
}
