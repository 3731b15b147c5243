/** @file The bench as one file for a machine that has nothing but Node and Dawn beside it. */
import { create } from "webgpu";
import { main } from "./main";

process.exit(await main(process.argv.slice(2), create(["disable-dawn-features=timestamp_quantization"])));
