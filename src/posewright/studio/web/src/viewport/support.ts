// The support polygon: the convex hull of what of the body touches the floor.
import type { PoseFrame } from "../pose_frame";
import type { Scene } from "../protocol";

const NEAR = 0.012; // of the figure's height

export function supportPolygon(figure: Scene, frame: PoseFrame): [number, number][] {
  const points: [number, number][] = [];
  for (const cone of figure.cones) {
    for (const [end, radius] of [
      [cone.start, cone.radii[0]],
      [cone.end, cone.radii[1]],
    ] as const) {
      const [x, y, z] = frame.toWorld(cone.joint, end);
      if (y - radius - figure.floor > NEAR * figure.height) continue;
      for (let k = 0; k < 12; k++) {
        const angle = (Math.PI * k) / 6;
        points.push([x + radius * Math.cos(angle), z + radius * Math.sin(angle)]);
      }
    }
  }
  return hull(points);
}

/** By Andrew's monotone chain. */
function hull(points: [number, number][]): [number, number][] {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  if (sorted.length < 3) return sorted;
  const half = (from: [number, number][]) => {
    const found: [number, number][] = [];
    for (const next of from) {
      while (found.length > 1 && turn(found.at(-2)!, found.at(-1)!, next) <= 0) found.pop();
      found.push(next);
    }
    return found.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.reverse())];
}

function turn(a: [number, number], b: [number, number], c: [number, number]): number {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}
