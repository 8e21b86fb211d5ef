// Dragging a goal in the plane of the camera: by its handle, or by the body.
import { Plane, Vector3 } from "three";
import { ask } from "../connection";
import type { Command } from "../protocol";
import { designPose, doc, goals, menu, pose, scene, select, selection, tool, type Vec3 } from "../store";
import type { Gesture } from "../viewport/gestures";
import { handleUnder } from "../viewport/handle_under";
import { held, lastDrag, LiveDrag } from "../viewport/live_drag";
import { pick } from "../viewport/picking";
import type { View } from "../viewport/view";

export { held };

const TWICE = 400; // ms between the presses of a double click
const NEAR = 5; // px

/** A press on a goal's handle. */
export function grabHandle(view: View, event: PointerEvent): Gesture | null {
  const handle = handleUnder(event);
  if (handle === null || event.button !== 0) return null;
  const goal = goals.value.find((one) => one.name === handle.dataset["goal"]);
  if (goal === undefined) return null;
  const twice = secondClick(event);
  select("goal", goal.name);
  handle.focus({ preventScroll: true });
  if (!goal.movable || goal.target === null) return { move() {}, end() {}, cancel() {} };
  return new PlaneDrag(view, event, goal.target, goal.name, null, twice);
}

/** The last press on the body: a second one makes a double click of it. */
let first: { time: number; x: number; y: number; joint: string; made: boolean } | null = null;

/** A press on a joint: what it does if it is the second one of a double click. Null: it is the first one. */
export function pressed(event: PointerEvent, joint: string, made: boolean): (() => void) | null {
  const twice = secondClick(event);
  if (twice === null) first = { time: event.timeStamp, x: event.clientX, y: event.clientY, joint, made };
  return twice;
}

/** What a press does if it is the second one of a double click: a joint with those below it is selected, and what the
 * first click made is undone. Null: it is no second one. */
function secondClick(event: PointerEvent): (() => void) | null {
  if (first === null || event.timeStamp - first.time > TWICE) return null;
  if (Math.hypot(event.clientX - first.x, event.clientY - first.y) >= NEAR) return null;
  const { joint, made } = first;
  first = null;
  return () => {
    const undone = made ? lastDrag.then(() => ask({ kind: "undo" })) : Promise.resolve();
    void undone.then(() => (selection.value = { kind: "joint", name: joint, below: true }));
  };
}

/** A press on the body: a goal is made there and dragged at once; with the tool for selecting, its joint is selected. */
export function grabBody(view: View, event: PointerEvent): Gesture | null {
  if (event.button !== 0 || event.shiftKey) return null;
  const found = pick(view, event.clientX, event.clientY);
  const joint = found === null ? undefined : scene.value?.joints[found.joint];
  if (found === null || joint === undefined) return null;
  const selects = tool.value === "select";
  const twice = pressed(event, joint.name, !selects);
  if (selects) return { move() {}, end: twice ?? (() => select("joint", joint.name)), cancel() {} };
  const point = pose.value!.toJoint(found.joint, found.point);
  return new PlaneDrag(view, event, found.point, null, { kind: "pick_point", joint: joint.name, point, target: ofDesign(found.point) }, twice);
}

/** The menu of goals for the point of the body that was clicked; false: there is no body. */
export function openMenu(view: View, clientX: number, clientY: number): boolean {
  const found = pick(view, clientX, clientY);
  const joint = found === null ? undefined : scene.value?.joints[found.joint];
  if (found === null || joint === undefined || doc.value === null) return false;
  menu.value = { x: clientX, y: clientY, at: joint.name, point: pose.value!.toJoint(found.joint, found.point), target: ofDesign(found.point) };
  return true;
}

/** Where a point of the body is wanted that was clicked on a design: it is elsewhere in the pose of the session. */
function ofDesign(point: Vec3): Vec3 | null {
  return designPose.value === null ? null : point;
}

class PlaneDrag implements Gesture {
  private readonly plane: Plane;
  private readonly offset: Vector3;
  private readonly drag: LiveDrag;

  constructor(
    private readonly view: View,
    event: PointerEvent,
    target: Vec3,
    name: string | null,
    made: Command | null,
    /** What a press that does not move does instead. */
    private readonly click: (() => void) | null,
  ) {
    const at = new Vector3(...target);
    this.plane = new Plane().setFromNormalAndCoplanarPoint(view.camera.getWorldDirection(new Vector3()), at);
    this.offset = at.clone().sub(under(view, event, this.plane) ?? at);
    this.drag = new LiveDrag(name, made);
  }

  move(event: PointerEvent): void {
    first = null;
    const at = under(this.view, event, this.plane);
    if (at !== null) this.drag.move(at.add(this.offset).toArray() as Vec3, null);
  }

  end(moved: boolean): void {
    if (moved || this.click === null) return this.drag.end();
    this.drag.cancel();
    this.click();
  }

  cancel(): void {
    first = null;
    this.drag.cancel();
  }
}

/** Where the mouse is in a plane. */
export function under(view: View, event: PointerEvent, plane: Plane): Vector3 | null {
  const { origin, direction } = view.ray(event.clientX, event.clientY);
  const along = direction.dot(plane.normal);
  if (Math.abs(along) < 1e-6) return null;
  const distance = -plane.distanceToPoint(origin) / along;
  return distance > 0 ? origin.addScaledVector(direction, distance) : null;
}
