/** @file What only the canvas knows: a drag under way, a connection being drawn, open lists. Never saved. */
import { create } from "zustand";
import type { NodeId } from "../../fusion";
import type { Position } from "../../document";
import type { Picture } from "../../picture";
import type { ConnectTarget } from "./targets";

export interface Connecting {
  readonly from: NodeId;
  /** By `consumer operand`. */
  readonly targets: ReadonlyMap<string, ConnectTarget>;
}

export type CanvasList =
  | { readonly kind: "none" }
  /** `at`: where on the canvas the op is wanted; null leaves it to the layout. `from`: the value that it is to read. */
  | { readonly kind: "palette"; readonly at: Position | null; readonly from?: NodeId }
  | { readonly kind: "outline" }
  | { readonly kind: "transforms" }
  | { readonly kind: "connect"; readonly from: NodeId };

/** Its edges in px of the canvas; a sheet over the lower part of it begins at 0. */
export interface CardPlace {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

export interface CanvasState {
  readonly dragged: Readonly<Record<string, Position>>;
  readonly connecting: Connecting | null;
  readonly list: CanvasList;
  /** The whole graph in small is shown. */
  readonly map: boolean;
  /** The step whose card was closed; another step opens it again. */
  readonly closedAt: number | null;
  /** Where the open card covers the graph. */
  readonly card: CardPlace | null;
  /** What is drawn, for who wants to take it along. */
  readonly shown: Picture | null;
  /** A box that an edit put elsewhere, until the view was brought to it. */
  readonly sought: NodeId | null;
  /** What an edit answered when it could not be done. */
  readonly announcement: string | null;
}

const start: CanvasState = {
  dragged: {},
  connecting: null,
  list: { kind: "none" },
  map: false,
  closedAt: null,
  card: null,
  shown: null,
  sought: null,
  announcement: null,
};

export const useCanvas = create<CanvasState>(() => start);

/** Brings the view to a box that an edit puts elsewhere, once it stands there. */
export const seek = (sought: NodeId | null): void => useCanvas.setState({ sought });

export const drag = (moved: Readonly<Record<string, Position>>): void =>
  useCanvas.setState(({ dragged }) => ({ dragged: { ...dragged, ...moved } }));
export const endDrag = (): void => useCanvas.setState({ dragged: {} });
export const openList = (list: CanvasList): void => useCanvas.setState({ list, announcement: null });
export const closeList = (): void => useCanvas.setState({ list: { kind: "none" } });
export const toggleMap = (): void => useCanvas.setState(({ map }) => ({ map: !map }));
export const startConnecting = (connecting: Connecting | null): void =>
  useCanvas.setState({ connecting, announcement: null });
export const closeCardAt = (cursor: number): void => useCanvas.setState({ closedAt: cursor });
/** Shows the answer of an edit that failed; null clears it. */
export const say = (answer: Promise<string | null>): void =>
  void answer.then((announcement) => useCanvas.setState({ announcement }));
