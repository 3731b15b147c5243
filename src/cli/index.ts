/** @file The command line: plan, explain, wgsl, run, train, export, picture and report on program texts, saved documents and share links. */
import { compile, PATIENCE } from "../fusion";
import type { Compilation, Diagnostic } from "../fusion";
import { checkCases } from "./check/command";
import { readArgs, usageText } from "./args";
import type { Request } from "./args";
import { load, loadProfile } from "./load";
import { diagnosticText, explainJson, explainText, planJson, planText, wgslJson, wgslText } from "./report";
import type { Planned } from "./report";
import { optimum } from "./optimum";
import { run } from "./run";
import { train } from "./train";
import { exportModule, picture, report } from "./export";
import type { Environment } from "./environment";

export { nodeEnvironment } from "./environment";
export type { Environment } from "./environment";

/** Answers the exit code: 0, or 1 when something was wrong or a result did not agree. */
export async function main(args: readonly string[], environment: Environment): Promise<number> {
  const request = readArgs(args);
  if (!request.ok) {
    environment.complain(`${request.text}\n\n${usageText}`);
    return 1;
  }
  if (!request.value) {
    environment.print(usageText);
    return 0;
  }
  if (request.value.command === "check") return checkCases(request.value, environment);
  const planned = await planOf(request.value, environment);
  if (!planned) return 1;
  const code = await answer(request.value, planned, environment);
  return errorsOf(planned.compilation).length > 0 ? 1 : code;
}

const errorsOf = ({ diagnostics }: Compilation): Diagnostic[] =>
  diagnostics.filter(({ severity }) => severity === "error");

/** The compiled FILE, or null after it has been told why there is no plan. A claim that does not hold is told, and the plan is as it is. */
async function planOf(request: Request, environment: Environment): Promise<Planned | null> {
  const { file, changes, profileFile } = request;
  const loaded = await load(request, environment);
  if (!loaded.ok) {
    environment.complain(loaded.text);
    return null;
  }
  const { text, options, dropped, remarks, given } = loaded.value;
  for (const remark of remarks) environment.complain(remark);
  for (const what of dropped) environment.complain(`Ignored while opening: ${what}`);
  const profile = profileFile === null ? null : await loadProfile(profileFile, environment);
  if (profile && !profile.ok) {
    environment.complain(profile.text);
    return null;
  }
  const asked = { ...options, ...changes, ...(profile ? { profile: profile.value } : {}) };
  const compilation = compile(text, asked, undefined, PATIENCE);
  const name = file.length > 80 ? `${file.slice(0, 77)}...` : file;
  const tell = (diagnostic: Diagnostic) => environment.complain(diagnosticText(name, diagnostic));
  const errors = errorsOf(compilation);
  errors.forEach(tell);
  const { naivePlan, fusedPlan } = compilation;
  if (!naivePlan || !fusedPlan) {
    if (errors.length > 0) return null;
    const isEmpty = !compilation.naive || compilation.naive.graph.nodes.size === 0;
    const why = isEmpty ? "computes nothing yet" : "has an operand that is not connected yet (...)";
    const way = isEmpty ? " Call what it defines, and end with `return` and the results." : "";
    environment.complain(`${name} ${why}, so there is no plan.${way}`);
    return null;
  }
  compilation.diagnostics.filter(({ severity }) => severity === "warning").forEach(tell);
  return { compilation, naive: naivePlan, fused: fusedPlan, given };
}

async function answer(request: Request, planned: Planned, environment: Environment): Promise<number> {
  const show = (json: unknown, text: string) => environment.print(request.json ? JSON.stringify(json, null, 2) : text);
  switch (request.command) {
    case "plan":
      show(planJson(planned), planText(planned));
      return 0;
    case "explain":
      show(explainJson(planned), explainText(planned));
      return 0;
    case "wgsl":
      show(wgslJson(planned), wgslText(planned));
      return 0;
    case "run":
      return run(request, planned, environment);
    case "train":
      return train(request, planned, environment);
    case "export":
      return exportModule(request, planned, environment);
    case "picture":
      return picture(request, planned, environment);
    case "report":
      return report(request, planned, environment);
    case "optimum":
      return optimum(request, planned, environment);
  }
}
