/** @file The laws of whole plans on the schedule that a software adapter gets. */
import { test } from "vitest";
import { planned as plan, runFaults } from "./plan-laws";
import { everyPlan, planned } from "./plan-property";

test(`the CPU's kernels: ${planned}`, { timeout: 300_000 }, () => {
  everyPlan((one) => runFaults(plan(one), "cpu", one.text.length));
});
