/** @file The intermediate representation: graph, types, regions, steps, plans. Bottom floor of the compiler. */
export * from "./bug";
export * from "./diagnostic";
export * from "./graph";
export * from "./hash";
export * from "./id-spelling";
export * from "./ids";
export * from "./knobs";
export * from "./own-entry";
export * from "./patch";
export * from "./plan";
export * from "./profile";
export * from "./region";
export * from "./saved";
export * from "./text-order";
export * from "./types";
export * from "./units";
export * from "./verdict";
