/** @file Bugs of what is counted: bytes that a kernel moves and the totals leave out. */
import { bugsIn } from "./bug.ts";

export const countBugs = bugsIn("src/fusion", {
  "small-reads-free": [
    [
      "kernel/count/traffic.ts",
      "for (const { bytes, rereads, fullSize: full } of «reads») {",
      "reads.filter((read) => read.fullSize)",
    ],
  ],
  "rereads-free": [
    ["kernel/count/traffic.ts", "access(value, elements * dtypeBytes(node(graph, value).type.dtype), «rereads»),", "0"],
  ],
  "partials-free": [["kernel/count/traffic.ts", "const partials = «schedule.temporaryBytes»;", "0"]],
  "second-output-free": [
    [
      "kernel/count/traffic.ts",
      "const writes = «region.outputs».map((value) => access(value, bytesOf(node(graph, value).type), 0));",
      "region.outputs.slice(0, 1)",
    ],
  ],
  "partials-once": [["kernel/count/traffic.ts", "let bytesRead = «partialsRead»;", "0"]],
});
