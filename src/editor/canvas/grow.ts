/** @file The one animation: a hull grows from what it was to what it is. 250 ms, none where people ask for less motion. */

export interface Extent {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

const MILLIS = 250;
const EASING = "cubic-bezier(.2, .7, .2, 1)";

const lessMotion = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Reveals `element`, whose box is `now`, starting from the part that `before` covered. */
export function growFrom(element: Element, before: Extent | null, now: Extent): void {
  element.setAttribute("data-changed", "true");
  if (lessMotion() || typeof element.animate !== "function") return;
  if (!before) {
    element.animate([{ opacity: 0 }, { opacity: 1 }], { duration: MILLIS, easing: EASING });
    return;
  }
  const inset = [
    Math.max(0, before.top - now.top),
    Math.max(0, now.right - before.right),
    Math.max(0, now.bottom - before.bottom),
    Math.max(0, before.left - now.left),
  ];
  const from = `inset(${inset.map((px) => `${px}px`).join(" ")} round 14px)`;
  element.animate([{ clipPath: from }, { clipPath: "inset(0px 0px 0px 0px round 14px)" }], {
    duration: MILLIS,
    easing: EASING,
  });
}
