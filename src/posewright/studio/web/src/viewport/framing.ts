// Framing: the camera looks at what is selected, or at the whole figure.
import { Vector3 } from "three";
import { place } from "../api";
import { pose, scene, selectedGoal, selectedJoints, selection, type Vec3 } from "../store";
import { currentView } from "./view_cube";

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
