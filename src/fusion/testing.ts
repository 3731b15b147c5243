/** @file What tests of programs that train ask: what inputs hold after some steps. */
import { compile, defaultOptions, fusionAt } from "./compile";
import { targetOf } from "./cost";
import { trainingOf, trainOnCpu } from "./training";

/** What inputs hold after so many steps of a program without mistakes, by what they are called. */
export function trainedFor(text: string, steps: number): ReadonlyMap<string, readonly number[]> {
  const compilation = compile(text, defaultOptions);
  const [wrong] = compilation.diagnostics.filter(({ severity }) => severity === "error");
  if (wrong) throw new Error(`line ${wrong.line}: ${wrong.text}`);
  const { naive, updates, symbols } = compilation;
  const source = naive!.graph;
  const training = trainingOf({ graph: source, updates, symbols })!;
  const program = { source, fusion: fusionAt(compilation, compilation.steps.length), training };
  const trainer = trainOnCpu(program, targetOf(defaultOptions.profile), defaultOptions.profile, 0);
  for (let step = 0; step < steps; step++) trainer.step();
  return new Map([...trainer.values].map(([id, data]) => [source.nodes.get(id)?.label ?? id, [...data]]));
}
