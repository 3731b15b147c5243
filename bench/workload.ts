/** @file One program of the bench, and what some rows of its answers must be. */

export type Arrays = ReadonlyMap<string, Float32Array>;

export interface Workload {
  /** Short and stable, whatever the sizes are divided by: `1`, `12a`, `8-1024`. */
  readonly id: string;
  readonly title: string;
  readonly text: string;
  /** Length of an output row for the check. */
  readonly columns: number;
  /** The expected row `row` of the output; `got` is what came, for ops that draw. */
  expectedRow(inputs: Arrays, row: number, got: Float32Array): Float64Array;
  /** Allowed |got − want| / (1 + |want|) ; the reason is beside it. */
  readonly tolerance: number;
  /** Set for contractions: FLOP, so that TFLOP/s is the headline. */
  readonly flops?: number;
}

export type Row = (row: number, columns: number, inputs: Arrays, got: Float32Array) => (column: number) => number;

export const of = (inputs: Arrays, name: string): Float32Array => {
  const data = inputs.get(name);
  if (!data) throw new Error(`the workload has no input ${name}`);
  return data;
};

export const workload = (
  id: string,
  title: string,
  text: string,
  columns: number,
  row: Row,
  tolerance: number,
  flops?: number,
): Workload => ({
  id,
  title,
  text,
  columns,
  tolerance,
  ...(flops === undefined ? {} : { flops }),
  expectedRow(inputs, at, got) {
    const element = row(at, columns, inputs, got);
    return Float64Array.from({ length: columns }, (_, column) => element(column));
  },
});

export const sum = (count: number, term: (i: number) => number): number => {
  let total = 0;
  for (let i = 0; i < count; i++) total += term(i);
  return total;
};
