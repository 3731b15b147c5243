/** @file The layout worker: boxes and lines in, places and bends out. */
import { layoutGraph } from "./layout-graph";
import type { LayoutRequest } from "./layout-request";
import { serve } from "./port";

serve((request: LayoutRequest) => layoutGraph(request));
