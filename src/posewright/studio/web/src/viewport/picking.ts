// Which part of the body is under the mouse: of a mesh what the graphics card draws there, else a ray against the cones.
import { Vector3 } from "three";
import type { PoseFrame } from "../pose_frame";
import type { Scene } from "../protocol";
import { pose, scene, type Vec3 } from "../store";
import { solid } from "./body";
import type { View } from "./view";

export interface Picked {
  joint: number;
  /** m, in the world */
  point: Vec3;
}

const STEPS = 64;

export function pick(view: View, clientX: number, clientY: number): Picked | null {
  const [figure, frame] = [scene.value, pose.value];
  if (figure === null || frame === null) return null;
  const drawn = view.pickPixel(view.forPicking, clientX, clientY);
  return drawn === null ? pickBody(view, figure, frame, clientX, clientY) : asPicked(drawn, figure);
}

/** What the graphics card has drawn under the mouse; null: no joint. */
export function asPicked([x, y, z, joint]: Float32Array, figure: Scene): Picked | null {
  return joint! > 0 && joint! <= figure.joints.length ? { joint: joint! - 1, point: [x!, y!, z!] } : null;
}

/** The same of any body, which may be drawn larger, and stand aside by an offset (m). */
export function pickBody(view: View, figure: Scene, frame: PoseFrame, clientX: number, clientY: number, aside: Vec3 = [0, 0, 0], scale = 1): Picked | null {
  const { origin, direction } = view.ray(clientX, clientY);
  const offset = new Vector3(...aside);
  const near = 1e-4 * scale * figure.height;
  let best = Infinity;
  let joint = -1;
  for (const cone of figure.cones.map(solid)) {
    const from = new Vector3(...frame.toWorld(cone.joint, cone.start)).multiplyScalar(scale).add(offset);
    const to = new Vector3(...frame.toWorld(cone.joint, cone.end)).multiplyScalar(scale).add(offset);
    const hit = along(origin, direction, from, to, scale * cone.radii[0], scale * cone.radii[1], best, near);
    if (hit < best) [best, joint] = [hit, cone.joint];
  }
  if (joint < 0) return null;
  const at = origin.clone().addScaledVector(direction, best);
  return { joint, point: [at.x, at.y, at.z] };
}

/** How far along the ray the cone begins; infinite: it is missed, or farther than `farthest`. */
function along(
  origin: Vector3,
  direction: Vector3,
  from: Vector3,
  to: Vector3,
  ra: number,
  rb: number,
  farthest: number,
  near: number,
): number {
  const middle = from.clone().add(to).multiplyScalar(0.5);
  const bound = 0.5 * from.distanceTo(to) + Math.max(ra, rb);
  const towards = middle.clone().sub(origin);
  const nearest = towards.dot(direction);
  if (nearest < -bound || nearest - bound > farthest) return Infinity;
  if (towards.lengthSq() - nearest * nearest > bound * bound) return Infinity;
  let distance = Math.max(0, nearest - bound);
  for (let step = 0; step < STEPS && distance < Math.min(farthest, nearest + bound); step++) {
    const gap = gapTo(origin.clone().addScaledVector(direction, distance), from, to, ra, rb);
    if (gap < near) return distance;
    distance += gap;
  }
  return Infinity;
}

/** From a point to the surface of a rounded cone, m. */
function gapTo(point: Vector3, from: Vector3, to: Vector3, ra: number, rb: number): number {
  const axis = to.clone().sub(from);
  const length = axis.length();
  const p = point.clone().sub(from);
  if (length === 0) return p.length() - ra;
  const y = p.dot(axis) / length;
  const x = Math.sqrt(Math.max(0, p.lengthSq() - y * y));
  const s = (ra - rb) / length;
  const c = Math.sqrt(Math.max(0, 1 - s * s));
  const k = c * y - s * x;
  if (k < 0) return Math.hypot(x, y) - ra;
  if (k > c * length) return Math.hypot(x, y - length) - rb;
  return c * x + s * y - ra;
}
