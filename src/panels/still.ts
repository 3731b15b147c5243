/** @file What the panels need of the canvas to draw a plan that is looked at. It comes with the shell, since the panels do not see the canvas. */
import type { ComponentType, ReactNode } from "react";
import type { Compilation, EdgeId, NodeId, Plan, RegionId } from "../fusion";
import type { Position } from "../document";
import type { Layout } from "../state";

/** A mark over the picture that can be pressed. */
export interface Mark {
  readonly key: string;
  readonly title: string;
  readonly sign: string;
  readonly pressed: boolean;
  readonly edges: readonly EdgeId[];
  readonly nodes: readonly NodeId[];
}

/** As much of a picture as can be drawn over. */
export interface DrawnPlan {
  readonly scene: {
    readonly nodes: readonly { readonly id: NodeId; readonly kernel: { readonly region: RegionId } | null }[];
  };
  readonly boxes: ReadonlyMap<
    NodeId,
    { readonly x: number; readonly y: number; readonly width: number; readonly height: number }
  >;
  readonly lines: readonly {
    readonly edge: {
      readonly id: EdgeId;
      readonly from: NodeId;
      readonly to: NodeId;
      readonly kind: "memory" | "register" | "view";
      readonly width: number;
    };
    readonly path: string;
  }[];
}

export type Still = ComponentType<{
  readonly compilation: Compilation;
  readonly cursor: number;
  readonly plan: Plan | null;
  readonly layout: Layout;
  readonly moved: Readonly<Record<string, Position>>;
  readonly folds: boolean | "crowded";
  readonly label: string;
  readonly marks?: readonly Mark[];
  readonly onMark?: (key: string) => void;
  readonly over?: (picture: DrawnPlan) => ReactNode;
}>;
