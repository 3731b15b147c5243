/** @file Pages for a class, each in a chunk of its own. */
import { late } from "../panels";

export const CheckPage = late(async () => (await import("./check/CheckPage")).CheckPage);
export { QrCode } from "./QrCode";
export const TeachPage = late(async () => (await import("./teach/TeachPage")).TeachPage);
export const BoardPage = late(async () => (await import("./board/BoardPage")).BoardPage);
