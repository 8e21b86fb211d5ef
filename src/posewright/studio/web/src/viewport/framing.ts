// Framing: the camera looks at what is selected, or at the whole figure.
import { Box3, Vector3 } from "three";
import { place } from "../api";
import { pose, scene, selectedGoal, selectedJoints, selection, type Vec3 } from "../store";
import type { PoseFrame } from "../pose_frame";
import type { Scene } from "../protocol";
import { character } from "../character/characters";
import type { View } from "./view";
import { currentView } from "./view_cube";

/** The whole figure, as it is when it is opened. */
export function frameFigure(view: View, figure: Scene, shown: PoseFrame): void {
  const box = character.value?.box(shown.joints) ?? new Box3();
  figure.joints.forEach((_, joint) => box.expandByPoint(new Vector3(...shown.position(joint))));
  for (const { joint, end } of figure.cones) box.expandByPoint(new Vector3(...shown.toWorld(joint, end)));
  const size = box.getSize(new Vector3());
  view.orbit.frame(box.getCenter(new Vector3()), Math.max(1.04 * size.y, 0.85 * Math.hypot(size.x, size.z), 1e-3));
  view.invalidate();
}

export function frameSelection(): void {
  const [view, figure, frame] = [currentView(), scene.value, pose.value];
  if (view === null || figure === null || frame === null) return;
  const points: Vec3[] = [...selectedJoints.value].map((joint) => frame.position(joint));
  const goal = selectedGoal.value;
  if (goal?.target != null) points.push(goal.target);
  const site = goal?.site ?? (selection.value?.kind === "site" ? selection.value.name : null);
  const at = site === null ? null : place(site);
  if (at !== null) points.push(at);
  const whole = points.length === 0;
  if (whole) figure.joints.forEach((_, joint) => points.push(frame.position(joint)));
  const centre = points.reduce((sum, point) => sum.add(new Vector3(...point)), new Vector3()).divideScalar(points.length);
  const far = Math.max(...points.map((point) => new Vector3(...point).distanceTo(centre)));
  view.orbit.frame(centre, Math.max(0.35 * figure.height, whole ? figure.height : 2 * far));
  view.invalidate();
}
