// Dragging a goal in the plane of the camera, live: one request under way, the newest place next.
import { Plane, Vector3 } from "three";
import { signal } from "@preact/signals";
import { ask } from "../connection";
import type { Command } from "../protocol";
import { doc, goals, pose, scene, select, type Vec3 } from "../store";
import type { Gesture } from "./gestures";
import { pick } from "./picking";
import type { View } from "./view";

/** The goal in the user's hand and where it is wanted: shown there at once, whatever the server does. */
export const held = signal<{ name: string; target: Vec3 } | null>(null);

/** A press on a goal's handle. */
export function grabHandle(view: View, event: PointerEvent): Gesture | null {
  const handle = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-goal]") : null;
  if (handle === null || event.button !== 0) return null;
  const goal = goals.value.find((one) => one.name === handle.dataset["goal"]);
  if (goal === undefined) return null;
  select("goal", goal.name);
  handle.focus({ preventScroll: true });
  if (!goal.movable || goal.target === null) return { move() {}, end() {}, cancel() {} };
  return new GoalDrag(view, event, goal.target, goal.name, null);
}

/** A press on the body: a goal is made there, and dragged at once. */
export function grabBody(view: View, event: PointerEvent): Gesture | null {
  if (event.button !== 0 || event.shiftKey) return null;
  const found = pick(view, event.clientX, event.clientY);
  const joint = found === null ? undefined : scene.value?.joints[found.joint];
  if (found === null || joint === undefined) return null;
  const point = pose.value!.toJoint(found.joint, found.point);
  return new GoalDrag(view, event, found.point, null, { kind: "pick_point", joint: joint.name, point });
}

class GoalDrag implements Gesture {
  private readonly plane: Plane;
  private readonly offset: Vector3;
  private readonly begun: Promise<boolean>;
  private wanted: Vec3 | null = null;
  private sending = false;
  private over = false;

  constructor(
    private readonly view: View,
    event: PointerEvent,
    target: Vec3,
    private name: string | null,
    first: Command | null,
  ) {
    const at = new Vector3(...target);
    const facing = view.camera.getWorldDirection(new Vector3());
    this.plane = new Plane().setFromNormalAndCoplanarPoint(facing, at);
    this.offset = at.clone().sub(this.under(event) ?? at);
    this.begun = ask({ kind: "begin_drag", first }).then((accepted) => {
      if (accepted && first !== null) {
        this.name = doc.value!.goals.at(-1)!.name; // the one that was made
        select("goal", this.name);
      }
      if (accepted) void this.send();
      return accepted;
    });
  }

  move(event: PointerEvent): void {
    const at = this.under(event);
    if (at === null) return;
    at.add(this.offset);
    this.wanted = [at.x, at.y, at.z];
    performance.mark("drag");
    if (this.name !== null) held.value = { name: this.name, target: this.wanted };
    void this.send();
  }

  end(): void {
    this.over = true;
    void this.begun.then((accepted) => {
      if (accepted) {
        this.ask();
        void ask({ kind: "end_drag" });
      }
      held.value = null;
    });
  }

  cancel(): void {
    this.over = true;
    held.value = null;
    void this.begun.then((accepted) => accepted && ask({ kind: "cancel_drag" }));
  }

  private async send(): Promise<void> {
    if (this.sending || !(await this.begun)) return;
    this.sending = true;
    while (this.wanted !== null && !this.over) await this.ask();
    this.sending = false;
  }

  private ask(): Promise<boolean> {
    const target = this.wanted;
    this.wanted = null;
    if (target === null || this.name === null) return Promise.resolve(false);
    return ask({ kind: "move_drag", targets: { [this.name]: target } });
  }

  /** Where the mouse is in the plane. */
  private under(event: PointerEvent): Vector3 | null {
    const { origin, direction } = this.view.ray(event.clientX, event.clientY);
    const along = direction.dot(this.plane.normal);
    if (Math.abs(along) < 1e-6) return null;
    const distance = -this.plane.distanceToPoint(origin) / along;
    return distance > 0 ? origin.addScaledVector(direction, distance) : null;
  }
}
