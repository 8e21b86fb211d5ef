// Where things are on the timeline, and the drawing under it: ticks, names of rows, the play range and the play head.
import type { ClipInfo } from "../protocol";

export const LEFT = 86; // px for the names of rows
export const RIGHT = 18;
export const TOP = 18; // px of the ruler
export const KEYS = 16; // px of the row of keys
export const ROW = 15; // px per path and foot

export function heightOf(clip: ClipInfo): number {
  return TOP + KEYS + ROW * (clip.spans.length + clip.feet.length) + 4;
}

/** Pixels from the top to the row of a path or, after these, of a foot. */
export function rowTop(row: number): number {
  return TOP + KEYS + ROW * row;
}

/** Pixels from the left of a timeline of some width. */
export function xOf(frame: number, frames: number, width: number): number {
  return LEFT + (frame / Math.max(1, frames - 1)) * Math.max(1, width - LEFT - RIGHT);
}

export function frameAt(x: number, frames: number, width: number): number {
  return ((x - LEFT) / Math.max(1, width - LEFT - RIGHT)) * Math.max(1, frames - 1);
}

/** The same as a style of an element of the timeline, whatever its width. */
export function left(frame: number, frames: number): string {
  return `calc(${LEFT}px + ${frame / Math.max(1, frames - 1)} * (100% - ${LEFT + RIGHT}px))`;
}

export function width(from: number, to: number, frames: number): string {
  return `calc(${(to - from) / Math.max(1, frames - 1)} * (100% - ${LEFT + RIGHT}px))`;
}

/** The centre of a bar of a foot, counted from 0. */
export function contactAt(clip: ClipInfo, foot: string, number: number, width: number): [number, number] | null {
  const bar = clip.contacts.filter((one) => one.foot === foot)[number];
  if (bar === undefined) return null;
  const row = clip.spans.length + clip.feet.indexOf(foot);
  return [xOf(0.5 * (bar.start + bar.end), clip.frames, width), rowTop(row + 0.5)];
}

export function draw(canvas: HTMLCanvasElement, clip: ClipInfo, frame: number, range: [number, number]): void {
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  const ratio = Math.min(devicePixelRatio, 2);
  if (canvas.width !== width * ratio || canvas.height !== height * ratio) {
    canvas.width = width * ratio;
    canvas.height = height * ratio;
  }
  const pen = canvas.getContext("2d")!;
  const style = getComputedStyle(canvas);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  pen.font = `11px ${style.fontFamily}`;
  pen.textBaseline = "middle";
  const x = (at: number) => xOf(at, clip.frames, width);

  pen.fillStyle = colour("--ground");
  pen.fillRect(LEFT, TOP, width - LEFT - RIGHT, height - TOP);
  if (range[0] > 0 || range[1] < clip.frames - 1) {
    pen.fillStyle = colour("--raised");
    pen.fillRect(x(range[0]), 0, x(range[1]) - x(range[0]), height);
  }
  const step = tickStep(clip.frames, width);
  pen.textAlign = "center";
  for (let at = 0; at < clip.frames; at += step) {
    pen.fillStyle = colour("--edge");
    pen.fillRect(Math.round(x(at)), TOP - 4, 1, height - TOP + 4);
    pen.fillStyle = colour("--quiet");
    pen.fillText(String(at), x(at), 7);
  }
  pen.textAlign = "right";
  [...clip.spans.map((span) => span.name), ...clip.feet.map((foot) => foot.replace("_", " "))].forEach((name, row) => {
    pen.fillText(shortened(name, pen), LEFT - 10, rowTop(row + 0.5));
  });
  pen.fillStyle = colour("--accent");
  pen.fillRect(Math.round(x(frame)) - 1, 0, 2, height);
}

function shortened(name: string, pen: CanvasRenderingContext2D): string {
  let text = name;
  while (text.length > 3 && pen.measureText(text === name ? name : `${text}…`).width > LEFT - 14) text = text.slice(0, -1);
  return text === name ? name : `${text}…`;
}

/** Frames between ticks: 1, 2, 5, 10, ... so that their numbers do not touch. */
function tickStep(frames: number, width: number): number {
  const least = (50 * frames) / Math.max(1, width - LEFT - RIGHT);
  for (let unit = 1; ; unit *= 10) for (const digit of [1, 2, 5]) if (digit * unit >= least) return digit * unit;
}
