/** @file Collects the user's mistakes: each once, in text order, with line and column. */
import type { Diagnostic, NodeId, Span } from "../../ir";
import { linesOf } from "./lines";

const MAX_MISTAKES = 200;

type Fix = NonNullable<Diagnostic["fixes"]>[number];
export interface DiagnosticDetail {
  readonly severity?: Diagnostic["severity"];
  readonly nodes?: readonly NodeId[];
  readonly fixes?: readonly Fix[];
  /** What Python would raise here, one of these: a `try` may catch it. */
  readonly raises?: readonly string[];
}

/** Names are quoted in full up to 60 characters. */
const shortened = (text: string): string =>
  text.replaceAll(/\S{60,}/g, (word) => `${word.slice(0, 40)}…${word.slice(-8)}`);

type Problem = Omit<Diagnostic, "line" | "column">;

/** The same mistake seen through several calls or iterations is one mistake. */
export class Diagnostics {
  private readonly found = new Map<string, Problem & Pick<DiagnosticDetail, "raises">>();
  private readonly harmless = new Set<string>();
  private readingClaim = false;
  private dropped = 0;
  private lastSyntax = -10;

  add(code: string, span: Span, text: string, detail: DiagnosticDetail = {}): void {
    // The parser's recovery often stumbles twice over one mistake.
    if (code === "syntax" && span.from - this.lastSyntax <= 3 && span.from >= this.lastSyntax) return;
    if (code === "syntax") this.lastSyntax = span.to;
    const key = `${code} ${span.from} ${span.to}`;
    if (this.found.has(key)) return;
    if (this.found.size >= MAX_MISTAKES) {
      this.dropped++;
      return;
    }
    if (this.readingClaim) this.harmless.add(key);
    this.found.set(key, { code, severity: detail.severity ?? "error", span, text: shortened(text), ...detail });
  }

  /** Says this instead of everything so far: what was found are consequences of it. */
  only(code: string, span: Span, text: string): void {
    this.found.clear();
    this.dropped = 0;
    this.add(code, span, text);
  }

  /** Changes what is said of a mistake. */
  change(code: string, to: (problem: Problem) => Partial<Problem>): void {
    for (const [key, problem] of this.found)
      if (problem.code === code) this.found.set(key, { ...problem, ...to(problem) });
  }

  /** Mistakes in a claim about the plan: told like others, but the program is as clear as without it. */
  inClaim(read: () => void): void {
    this.readingClaim = true;
    read();
    this.readingClaim = false;
  }

  /** A mistake leaves open what the program computes. */
  get hasErrors(): boolean {
    for (const [key, { severity }] of this.found) if (severity === "error" && !this.harmless.has(key)) return true;
    return false;
  }

  /** Whether something of this kind was said. */
  has(code: string): boolean {
    return [...this.found.values()].some((each) => each.code === code);
  }

  /** How many mistakes were found. */
  get errorCount(): number {
    return [...this.found.values()].filter(({ severity }) => severity === "error").length;
  }

  /** How much was found so far. */
  mark(): number {
    return this.found.size;
  }

  /** Whether a mistake was found after `mark`. */
  errorsSince(mark: number): boolean {
    return [...this.found.values()].slice(mark).some(({ severity }) => severity === "error");
  }

  /** What Python would raise for the first mistake found after `mark`; null where there is none, or where Python would go on. */
  raisedSince(mark: number): readonly string[] | null {
    const first = [...this.found.values()].slice(mark).find((each) => each.severity === "error" || each.raises);
    return first?.raises ?? null;
  }

  /** Takes the mistakes found after `mark` out, for somebody who may tell them later. */
  takeErrors(mark: number): readonly Problem[] {
    const taken = [...this.found].slice(mark).filter(([, { severity }]) => severity === "error");
    for (const [key] of taken) this.found.delete(key);
    return taken.map(([, problem]) => problem);
  }

  /** Forgets what was found after `mark`. */
  backTo(mark: number): void {
    for (const key of [...this.found.keys()].slice(mark)) {
      this.found.delete(key);
      this.harmless.delete(key);
    }
  }

  /** Sorted by line; a last entry says how many were left out. */
  list(source: string): Diagnostic[] {
    const lines = linesOf(source);
    const all = [...this.found.values()].sort((a, b) => a.span.from - b.span.from || a.span.to - b.span.to);
    const last = all.at(-1);
    if (last && this.dropped > 0) {
      all.push({
        code: "more-errors",
        severity: "info",
        span: last.span,
        text: `${this.dropped} more problems are not listed.`,
      });
    }
    return all.map((each) => {
      const { raises: _, ...problem } = each;
      const { from } = problem.span;
      return { ...problem, line: lines.lineAt(from), column: lines.columnAt(from) };
    });
  }
}
