/** @file What a program says of derivatives for the statements that follow: `torch.no_grad()`, `torch.set_grad_enabled(…)`. */
import type { Interpreter, StatementRun } from "../interpreter";
import { bare, type Expr, lastNameOf } from "../reading/syntax";
import { truthOf } from "../values/constants";

/** Whether a mode such as `torch.set_grad_enabled(phase == "train")` leaves derivatives on. */
export function isOn(interpreter: Interpreter, run: StatementRun, mode: Expr): boolean {
  const word = lastNameOf(mode);
  const call = bare(mode);
  const [argument] = call.kind === "call" ? call.args : [];
  const said = argument ? truthOf(interpreter.valueOf(run, argument.value, `${run.root}/mode`)) : true;
  if (word === "set_grad_enabled") return said ?? true;
  return word === "enable_grad" || (word === "inference_mode" && said === false);
}
