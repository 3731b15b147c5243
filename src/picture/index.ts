/** @file The door to pictures of graphs: where boxes and lines stand, how they are drawn, and the same as a file. Pure. */
export type { Bracket } from "./lines/brackets";
export { capScene, MAX_DRAWN } from "./cap";
export { cardSpot, clearedOfCard, leaderPath, roomBelow, type CardSpot } from "./card-place";
export { legendCorner } from "./legend-place";
export { calledBy } from "./scene";
export { cardOfEdge, cardOfStep, type DecisionCard } from "./decision";
export { drawingOf, element, propsOf, written, zoomToFit, type Ink, type Shape } from "./drawing";
export { foldScene } from "./fold";
export { plural, showBytes, textWidth } from "./format";
export { around, rectOf, type Box, type Point, type Rect } from "./lines/geometry";
export { glyphOutlines } from "./glyphs";
export { callDrawnAt, factsOf, inspect, type Inspected } from "./inspect";
export { coloursAt, type KernelColours } from "./kernel-colours";
export { pillWidth, tagRect } from "./labels";
export { lastWords, markPoint, marksOf, type EdgeMark } from "./marks";
export { paletteEntries, searchPalette, type Glyph } from "./ops";
export {
  boxesAbout,
  headingRect,
  pictureOf,
  type Heading,
  type Hull,
  type Line,
  type Picture,
  type Port,
} from "./picture";
export { AROUND_NAME, boxesOf } from "./place";
export { nodePorts, type NodePorts, type OperandPort } from "./lines/ports";
export { choiceWords, DISK, isChoice, savedKinds, savedSign, savedWords, withSaved } from "./saved";
export { nameIn, stepNames, type Told } from "./step-names";
export { sceneOf, type Gate, type Scene, type SceneNode } from "./scene";
export {
  cardOf,
  CARD,
  fileOf,
  inkOf,
  placedBy,
  stillOf,
  svgOf,
  svgText,
  type Placed,
  type StillRequest,
  type Theme,
} from "./still";
export {
  areaSeen,
  firstViewport,
  fitViewport,
  neededOf,
  followViewport,
  LEGIBLE,
  MAX_ZOOM,
  SMALL,
  viewportOf,
  WHOLE,
  zoomLevel,
  type Part,
  type Room,
  type Viewport,
} from "./zoom";
export { layoutGraph } from "./layout/graph";
export { foldedRequest, layoutRequest, type GraphLayout, type LayoutRequest } from "./layout/request";
export { waitingOf } from "./lines/gaps";
