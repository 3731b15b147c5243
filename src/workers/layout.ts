/** @file The layout worker: a compilation in, boxes and bends out. */
import type { Compilation } from "../fusion";
import { layoutGraph } from "./layout-graph";
import { layoutRequest } from "./layout-request";
import { serve } from "./port";

serve((compilation: Compilation) => layoutGraph(layoutRequest(compilation)));
