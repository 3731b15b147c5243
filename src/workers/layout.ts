/** @file The layout worker: boxes and lines in, places and bends out. */
import { layoutGraph, type LayoutRequest } from "../picture";
import { serve } from "./port";

serve((request: LayoutRequest) => layoutGraph(request));
