/** @file The traffic of a kernel's text: every invocation of its dispatch, followed through its addresses. */
import { Var, WgslParser } from "wgsl_reflect/wgsl_reflect.module.js";
import type { Statement } from "wgsl_reflect";
import type { Access, Kernel } from "../../fusion";
import { isFault, tokensOf } from "../scan";
import { MAX_STEPS, Program } from "./program";
import { BufferTrace, Log, NotCounted } from "./trace";
import { elementOf } from "./types";

/** What a kernel reads and writes, by the rules of docs/traffic.md; or why nobody knows. */
export type Counted =
  | {
      readonly ok: true;
      readonly reads: readonly Access[];
      readonly writes: readonly Access[];
      /** Accesses outside, elements that nobody writes: sentences. */
      readonly problems: readonly string[];
    }
  | { readonly ok: false; readonly text: string; readonly line: number | null };

/** What of a kernel the count needs. */
export type CountedKernel = Pick<
  Kernel,
  "name" | "bindings" | "reads" | "writes" | "workgroups" | "workgroupSize" | "wgsl"
>;

const BYTES: Readonly<Record<string, number>> = { f16: 2 };
const sizeOf = (shape: readonly number[]): number => shape.reduce((all, extent) => all * extent, 1);

/** Names that the reader takes for words of the language. */
const TAKEN =
  /^(?:block|type|function|private|read|write|read_write|storage|uniform|workgroup|immediate|fallthrough|static_assert|[rgba]+\d+\w*)$/;

/** The text with names that the reader can take. An address space or access mode stands in `var<…>` or `ptr<…>`. */
function readable(wgsl: string): string {
  const tokens = tokensOf(wgsl);
  if (isFault(tokens)) throw new NotCounted("The text can't be read", tokens.line);
  let [text, at] = ["", 0];
  for (const [i, token] of tokens.entries()) {
    const [before, earlier] = [tokens[i - 1]?.text, tokens[i - 2]?.text];
    const space = before === "<" && (earlier === "var" || earlier === "ptr");
    const mode = before === "," && /^(?:storage|private|function|workgroup|uniform)$/.test(earlier ?? "");
    const mended = TAKEN.test(token.text) && !space && !mode ? ownName(token.text) : token.text;
    text += wgsl.slice(at, token.start) + mended;
    at = token.end;
  }
  return text + wgsl.slice(at);
}

const ownName = (name: string): string => (TAKEN.test(name) ? `${name}_own` : name);

function parsed(wgsl: string): Statement[] {
  const text = readable(wgsl);
  try {
    return new WgslParser().parse(text);
  } catch (refused) {
    const message = refused instanceof Error ? refused.message : String(refused);
    const line = Number(/Line: (\d+)/.exec(message)?.[1] ?? 0);
    throw new NotCounted("The text can't be read", line > 0 ? line : null);
  }
}

/** Slots of the built-in values; the numbers are written before each invocation. */
const BUILTINS = new Map([
  ["global_invocation_id", { slot: 0, lanes: 3 }],
  ["workgroup_id", { slot: 3, lanes: 3 }],
  ["local_invocation_id", { slot: 6, lanes: 3 }],
  ["num_workgroups", { slot: 9, lanes: 3 }],
  ["local_invocation_index", { slot: 12, lanes: 1 }],
]);

function tracesOf(statements: readonly Statement[], kernel: CountedKernel, problems: Set<string>) {
  const traces: BufferTrace[] = [];
  const names = new Map<string, number>();
  const arrays: string[] = [];
  for (const each of statements) {
    if (!(each instanceof Var)) continue;
    const number = each.attributes?.find(({ name }) => name === "binding")?.value;
    if (number === undefined) continue;
    const binding = kernel.bindings.find((own) => own.binding === Number(number));
    const element = elementOf(each.type);
    if (!binding || !element) throw new NotCounted(`The type of ${each.name} is not supported`, each.line);
    const { dtype, shape } = binding.type;
    const units = element.bytes / (BYTES[dtype] ?? 4);
    if (!Number.isInteger(units)) throw new NotCounted(`${each.name} is read in parts of an element`, each.line);
    names.set(each.name, traces.length);
    if (element.isArray) arrays.push(each.name);
    traces.push(new BufferTrace(binding, sizeOf(shape), units, element.lanes, problems));
  }
  return { traces, names, arrays };
}

/** Runs every invocation of the dispatch. */
function everyInvocation(program: Program, run: () => number, { workgroups, workgroupSize }: CountedKernel): void {
  const { slots } = program;
  const [gx, gy, gz] = workgroups;
  const [lx, ly, lz] = workgroupSize;
  const threads = lx * ly * lz;
  slots.set(workgroups, 9);
  for (let group = 0; group < gx * gy * gz; group++) {
    const [wx, wy, wz] = [group % gx, Math.floor(group / gx) % gy, Math.floor(group / (gx * gy))];
    slots[3] = wx;
    slots[4] = wy;
    slots[5] = wz;
    for (let local = 0; local < threads; local++) {
      const [x, y, z] = [local % lx, Math.floor(local / lx) % ly, Math.floor(local / (lx * ly))];
      slots[0] = wx * lx + x;
      slots[1] = wy * ly + y;
      slots[2] = wz * lz + z;
      slots[6] = x;
      slots[7] = y;
      slots[8] = z;
      slots[12] = local;
      if (++program.steps > MAX_STEPS) throw new NotCounted("The kernel takes too many steps to follow here", null);
      program.begun = program.steps;
      run();
    }
  }
}

function count(kernel: CountedKernel): Counted {
  const statements = parsed(kernel.wgsl);
  const problems = new Set<string>();
  const { traces, names, arrays } = tracesOf(statements, kernel, problems);
  const program = new Program(statements, names, new Log(traces));
  program.arrays(arrays);
  everyInvocation(program, program.compile(ownName(kernel.name), BUILTINS), kernel);
  const known = new Map([...kernel.reads, ...kernel.writes].map((access) => [access.value, access]));
  const reads: Access[] = [];
  const writes: Access[] = [];
  for (const trace of traces) {
    const { value, type, access, name, begins } = trace.binding;
    const { read, written, passes } = trace.summary();
    const bytes = BYTES[type.dtype] ?? 4;
    const { fullSize = false, rereads: planned = 0 } = known.get(value) ?? {};
    // A tensor much smaller than the largest is used several times and counted once, unless its kernel walks it again.
    const rereads = fullSize || planned > 0 ? passes - 1 : 0;
    if (read > 0) reads.push({ value: begins ?? value, bytes: read * bytes, rereads, fullSize });
    if (written > 0) writes.push({ value, bytes: written * bytes, rereads: 0, fullSize });
    if (access === "read_write" && written < trace.elements)
      problems.add(`${trace.elements - written} of ${trace.elements} elements of ${name} are never written.`);
  }
  return { ok: true, reads, writes, problems: [...problems] };
}

/** Counts what `kernel` moves, exactly and for any data. Never throws. */
export function countTraffic(kernel: CountedKernel): Counted {
  try {
    return count(kernel);
  } catch (refused) {
    if (refused instanceof NotCounted)
      return {
        ok: false,
        text: /[.?]$/.test(refused.message) ? refused.message : `${refused.message}.`,
        line: refused.line,
      };
    return {
      ok: false,
      text: `The text is not understood (${refused instanceof Error ? refused.message : String(refused)}).`,
      line: null,
    };
  }
}
