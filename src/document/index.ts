export type * from "./types";
export * from "./boxes";
