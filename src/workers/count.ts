/** @file The count worker: the traffic of kernels that a person wrote. */
import { countTraffic } from "../wgsl";
import { serve } from "./port";

serve(countTraffic);
