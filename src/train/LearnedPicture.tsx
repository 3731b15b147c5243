/** @file What the fused weights have learned: a plane with its boundary, images with guesses, or written text. */
import { useEffect, useRef } from "react";
import { count } from "../panels";
import { usePlayground, type TrainingState } from "../state";

type Learned = NonNullable<TrainingState["picture"]>;
type Plane = Extract<Learned, { kind: "plane" }>;
type Images = Extract<Learned, { kind: "images" }>;
type Written = Extract<Learned, { kind: "text" }>;

/** When a picture was drawn: the numbers beside it are newer. */
const after = ({ steps }: Learned): string => `After ${count(steps)} ${steps === 1 ? "step" : "steps"}`;

/** px of the square; drawn at twice as many. */
const SQUARE = 300;

/** Red, green and blue of any colour: a canvas says it with six digits. */
function channels(context: CanvasRenderingContext2D, color: string): [number, number, number] {
  context.fillStyle = color;
  const hex = Number.parseInt(String(context.fillStyle).slice(1), 16);
  return [(hex >> 16) & 255, (hex >> 8) & 255, hex & 255];
}

/** How likely label 1 is, as a mixture of three colours: 0, undecided, 1. */
function mixed(likely: number, colors: readonly (readonly [number, number, number])[]): [number, number, number] {
  const [from, to, part] =
    likely < 0.5 ? [colors[0]!, colors[1]!, 2 * likely] : [colors[1]!, colors[2]!, 2 * likely - 1];
  return [0, 1, 2].map((i) => from[i]! + part * (to[i]! - from[i]!)) as [number, number, number];
}

function drawPlane(canvas: HTMLCanvasElement, { side, reach, likely, points }: Plane): void {
  const context = canvas.getContext("2d");
  if (!context) return;
  const style = getComputedStyle(canvas);
  const token = (name: string): string => style.getPropertyValue(name).trim();
  const colors = [token("--k3"), token("--surface"), token("--k2")].map((color) => channels(context, color));
  const image = new ImageData(side, side);
  likely.forEach((value, cell) => image.data.set([...mixed(0.2 + 0.6 * value, colors), 255], 4 * cell));
  const small = new OffscreenCanvas(side, side);
  small.getContext("2d")!.putImageData(image, 0, 0);
  context.drawImage(small, 0, 0, canvas.width, canvas.height);
  const at = (value: number): number => ((value / reach + 1) / 2) * canvas.width;
  context.lineWidth = 2;
  context.strokeStyle = token("--surface");
  for (const { x, y, label } of points) {
    context.fillStyle = token(label === 0 ? "--k3" : "--k2");
    context.beginPath();
    // Labels differ by shape too.
    if (label === 0) context.arc(at(x), at(-y), 8, 0, 2 * Math.PI);
    else context.rect(at(x) - 7, at(-y) - 7, 14, 14);
    context.fill();
    context.stroke();
  }
}

function PlanePicture({ picture }: { readonly picture: Plane }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = usePlayground((state) => state.shownTheme);
  useEffect(() => {
    if (canvas.current) drawPlane(canvas.current, picture);
  }, [picture, theme]);
  const right = picture.points.filter(({ x, y, label }) => {
    const cell = (value: number): number =>
      Math.min(picture.side - 1, Math.floor(((value / picture.reach + 1) / 2) * picture.side));
    return picture.likely[cell(-y) * picture.side + cell(x)]! > 0.5 === (label === 1);
  }).length;
  return (
    <figure className="train-picture">
      <canvas
        ref={canvas}
        width={2 * SQUARE}
        height={2 * SQUARE}
        role="img"
        aria-label={`The plane as the program sees it: ${right} of ${picture.points.length} points lie where it says so`}
      />
      <figcaption>
        {after(picture)}, what the fused weights say of each point; circles are label 0, squares label 1.
      </figcaption>
    </figure>
  );
}

/** Ink on paper, each pixel a cell of one row after the other. */
function Pixels({ pixels, side }: { readonly pixels: Float32Array; readonly side: number }) {
  return (
    <svg viewBox={`0 0 ${side} ${side}`} aria-hidden="true" shapeRendering="crispEdges">
      {Array.from(pixels, (ink, i) => (
        <rect key={i} x={i % side} y={Math.floor(i / side)} width={1} height={1} opacity={ink} />
      ))}
    </svg>
  );
}

function ImagesPicture({ picture }: { readonly picture: Images }) {
  const { images, side } = picture;
  const right = images.filter(({ label, said }) => label === said).length;
  return (
    <figure className="train-picture">
      <ol className="train-images" aria-label="Images of the batch and what the program says">
        {images.map(({ pixels, label, said }, i) => (
          <li key={i} data-right={label === said}>
            <Pixels pixels={pixels} side={side} />
            <span>{label === said ? said : `${said}, not ${label}`}</span>
          </li>
        ))}
      </ol>
      <figcaption>
        {after(picture)}, {right} of these {images.length} are read right by the fused weights.
      </figcaption>
    </figure>
  );
}

function WrittenPicture({ picture }: { readonly picture: Written }) {
  return (
    <figure className="train-picture">
      {picture.samples.map(({ given, written }) => (
        <p className="train-sample" key={given}>
          <span>{given}</span>
          <b>{written}</b>
        </p>
      ))}
      <figcaption>{after(picture)}, beginnings from the text, in grey, continued by the fused weights.</figcaption>
    </figure>
  );
}

export function LearnedPicture({ picture }: { readonly picture: Learned }) {
  switch (picture.kind) {
    case "plane":
      return <PlanePicture picture={picture} />;
    case "images":
      return <ImagesPicture picture={picture} />;
    case "text":
      return <WrittenPicture picture={picture} />;
  }
}
