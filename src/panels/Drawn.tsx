/** @file Shapes of a picture as React draws them. */
import { createElement, type ReactNode } from "react";
import { propsOf, type Shape } from "../picture";

function drawn(shape: Shape | string, key: number): ReactNode {
  return typeof shape === "string"
    ? shape
    : createElement(shape.name, { key, ...propsOf(shape) }, ...shape.inside.map(drawn));
}

/** They come in a fixed order, so that their place is their key. */
export const Drawn = ({ shapes }: { readonly shapes: readonly Shape[] }) => <>{shapes.map(drawn)}</>;
