/** @file The graph as it is drawn now, to take along. */
import { useCanvas } from "./canvas-store";
import { svgOf } from "../../picture";

/** SVG in the page's own colours, called `title`; null before anything is drawn. */
export function graphPicture(title: string): string | null {
  const { shown } = useCanvas.getState();
  if (!shown) return null;
  const style = getComputedStyle(document.documentElement);
  return svgOf(shown, title, (token) => style.getPropertyValue(`--${token}`).trim());
}
