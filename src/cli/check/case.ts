/** @file One external case, whatever it was read from. */
import type { HostTensor, Jaxpr, JaxQuestion, OnnxModel } from "../../import";

/** One function and what is asked of it. */
export interface JaxFunction {
  readonly jaxpr: Jaxpr;
  readonly question: JaxQuestion;
}

export interface NamedTensor {
  readonly name: string;
  readonly dtype: string;
  readonly tensor: HostTensor | null;
}

export interface ExternalCase {
  readonly name: string;
  /** Bytes of a file, or a model or function that is read already. */
  readonly model: Uint8Array | OnnxModel | JaxFunction;
  /** By position; names are empty where the files carry none. */
  readonly inputs: readonly NamedTensor[];
  readonly expected: readonly NamedTensor[];
  readonly rtol: number;
  readonly atol: number;
  /** The op the case is about, where it says so. */
  readonly op: string | null;
  /** Nodes that another compiler was left with, where the case says so: our kernels may not be more. */
  readonly nodesAfter: number | null;
  readonly hasData: boolean;
}
