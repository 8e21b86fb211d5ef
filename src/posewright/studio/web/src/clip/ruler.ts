// The drawing under the timeline: ticks, contact bars and the play head, on a canvas.
import type { ClipInfo } from "../protocol";

export const LEFT = 86; // px for the names of feet
export const RIGHT = 18;
export const TOP = 18; // px of the ruler
export const ROW = 15; // px per foot

export function feetOf(clip: ClipInfo): string[] {
  return [...new Set(clip.contacts.map((one) => one.foot))];
}

export function heightOf(clip: ClipInfo): number {
  return TOP + 16 + ROW * feetOf(clip).length + 4;
}

/** Pixels from the left of a timeline of some width. */
export function xOf(frame: number, frames: number, width: number): number {
  return LEFT + (frame / Math.max(1, frames - 1)) * Math.max(1, width - LEFT - RIGHT);
}

export function frameAt(x: number, frames: number, width: number): number {
  return ((x - LEFT) / Math.max(1, width - LEFT - RIGHT)) * Math.max(1, frames - 1);
}

/** The centre of a bar of a foot, counted from 0. */
export function contactAt(clip: ClipInfo, foot: string, number: number, width: number): [number, number] | null {
  const bar = clip.contacts.filter((one) => one.foot === foot)[number];
  if (bar === undefined) return null;
  const row = feetOf(clip).indexOf(foot);
  return [xOf(0.5 * (bar.start + bar.end), clip.frames, width), TOP + 16 + ROW * (row + 0.5)];
}

export function draw(canvas: HTMLCanvasElement, clip: ClipInfo, frame: number): void {
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
  const step = tickStep(clip.frames, width);
  pen.textAlign = "center";
  for (let at = 0; at < clip.frames; at += step) {
    pen.fillStyle = colour("--edge");
    pen.fillRect(Math.round(x(at)), TOP - 4, 1, height - TOP + 4);
    pen.fillStyle = colour("--quiet");
    pen.fillText(String(at), x(at), 7);
  }
  feetOf(clip).forEach((foot, row) => {
    const middle = TOP + 16 + ROW * (row + 0.5);
    pen.fillStyle = colour("--quiet");
    pen.textAlign = "right";
    pen.fillText(foot.replace("_", " "), LEFT - 10, middle);
    pen.fillStyle = colour(foot.startsWith("right") ? "--right" : "--left");
    for (const bar of clip.contacts.filter((one) => one.foot === foot)) {
      pen.beginPath();
      pen.roundRect(x(bar.start), middle - 5, Math.max(2, x(bar.end) - x(bar.start)), 10, 3);
      pen.fill();
    }
  });
  pen.fillStyle = colour("--accent");
  pen.fillRect(Math.round(x(frame)) - 1, 0, 2, height);
}

/** Frames between ticks: 1, 2, 5, 10, ... so that their numbers do not touch. */
function tickStep(frames: number, width: number): number {
  const least = (50 * frames) / Math.max(1, width - LEFT - RIGHT);
  for (let unit = 1; ; unit *= 10) for (const digit of [1, 2, 5]) if (digit * unit >= least) return digit * unit;
}
