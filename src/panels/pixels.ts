/** @file SVG as pixels: a PNG, or a film of many pictures. */

import type { Ink } from "../picture";

/** The colours of the page as they are now. */
export function pageInk(): Ink {
  const style = getComputedStyle(document.documentElement);
  return (token) => style.getPropertyValue(`--${token}`).trim();
}

/** Pixels of a PNG per CSS pixel: sharp on a projector. */
const PNG_SCALE = 2;

async function imageOf(svg: string): Promise<HTMLImageElement> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  return image;
}

/** The picture as PNG, twice its size in CSS pixels. Rejects where the browser cannot draw one so large. */
export async function pngOf(svg: string): Promise<Uint8Array> {
  const image = await imageOf(svg);
  const canvas = document.createElement("canvas");
  canvas.width = image.naturalWidth * PNG_SCALE;
  canvas.height = image.naturalHeight * PNG_SCALE;
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((made) => canvas.toBlob(made, "image/png"));
  if (!blob) throw new Error(`no picture of ${canvas.width} by ${canvas.height} pixels`);
  return new Uint8Array(await blob.arrayBuffer());
}

const FILM_TYPE = "video/webm";

/** This browser can record. */
export const canFilm = (): boolean => "MediaRecorder" in globalThis && MediaRecorder.isTypeSupported(FILM_TYPE);

/** Frames a second. */
const RATE = 25;
/** The last frame stays this long, ms. */
const LAST_MILLIS = 1500;

/** A WebM of `frameAt`, from 0 to 1, that lasts `millis` and rests on its last frame. */
export async function filmOf(frameAt: (part: number) => string, millis: number): Promise<Uint8Array> {
  const first = await imageOf(frameAt(0));
  const canvas = document.createElement("canvas");
  canvas.width = first.naturalWidth;
  canvas.height = first.naturalHeight;
  const context = canvas.getContext("2d")!;
  context.drawImage(first, 0, 0);
  const stream = canvas.captureStream(RATE);
  const recorder = new MediaRecorder(stream, { mimeType: FILM_TYPE, videoBitsPerSecond: 4_000_000 });
  const parts: Blob[] = [];
  recorder.addEventListener("dataavailable", ({ data }) => parts.push(data));
  const stopped = new Promise((resolve) => recorder.addEventListener("stop", resolve, { once: true }));
  recorder.start();
  const start = performance.now();
  for (let now = start; now < start + millis + LAST_MILLIS; now = performance.now()) {
    context.drawImage(await imageOf(frameAt(Math.min(1, (now - start) / millis))), 0, 0);
    await new Promise((resolve) => setTimeout(resolve, 1000 / RATE));
  }
  recorder.stop();
  await stopped;
  for (const track of stream.getTracks()) track.stop();
  return new Uint8Array(await new Blob(parts, { type: FILM_TYPE }).arrayBuffer());
}
