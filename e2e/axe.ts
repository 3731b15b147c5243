/** @file axe, asked for what breaks its rules and nothing else: what passes is not described, which is most of its work. */
import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";

/** What WCAG 2.2 asks at levels A and AA. */
export const STANDARD: readonly string[] = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa"];

/** Rules whose answer depends on colours: between two themes nothing else differs. */
const COLOURS = ["color-contrast", "link-in-text-block"];

/** @param rules tags of the rules to ask; all that axe asks by itself when absent. `colours` asks those of colours alone. */
export function axe(page: Page, rules?: readonly string[] | "colours"): AxeBuilder {
  // Legacy mode prepares its answer in the page, and so leaves out what passes; it can: the page holds no frames.
  const builder = new AxeBuilder({ page }).setLegacyMode(true).options({ resultTypes: ["violations"] });
  if (rules === "colours") return builder.withRules(COLOURS);
  return rules ? builder.withTags([...rules]) : builder;
}
