// Dragging a point of a clip in the plane of the camera, with a live preview of what that makes of the clip.
import { Plane, Vector3 } from "three";
import type { Command } from "../protocol";
import type { Vec3 } from "../store";
import type { Gesture } from "../viewport/gestures";
import { under } from "../goals/goal_drag";
import type { View } from "../viewport/view";
import { Preview } from "./preview";

const STEP = 0.01; // m

export interface Dragged {
  /** Where it is, m. */
  at: Vec3;
  command(target: Vec3): Command;
  /** Shown in the hand at a place; null: no longer. */
  held(target: Vec3 | null): void;
  click(): void;
}

export class PlaneDrag implements Gesture {
  private readonly plane: Plane;
  private readonly offset: Vector3;
  private readonly preview = new Preview();

  constructor(
    private readonly view: View,
    event: PointerEvent,
    private readonly dragged: Dragged,
  ) {
    const at = new Vector3(...dragged.at);
    this.plane = new Plane().setFromNormalAndCoplanarPoint(view.camera.getWorldDirection(new Vector3()), at);
    this.offset = at.clone().sub(under(view, event, this.plane) ?? at);
  }

  move(event: PointerEvent): void {
    const at = under(this.view, event, this.plane);
    if (at === null) return;
    const target = at.add(this.offset).toArray() as Vec3;
    this.dragged.held(target);
    this.preview.show(this.dragged.command(target));
  }

  end(moved: boolean): void {
    if (moved) void this.preview.end().then(() => this.dragged.held(null));
    else this.dragged.click();
  }

  cancel(): void {
    this.dragged.held(null);
    this.preview.cancel();
  }
}

/** A point moved by an arrow key in the plane of the camera, by 1 cm, with Shift by 10; null: another key. */
export function nudged(event: KeyboardEvent, point: Vec3, view: View): Vec3 | null {
  const direction = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
  if (direction === undefined) return null;
  const step = STEP * (event.shiftKey ? 10 : 1);
  return new Vector3(...point)
    .addScaledVector(new Vector3().setFromMatrixColumn(view.camera.matrix, 0), step * direction[0]!)
    .addScaledVector(new Vector3().setFromMatrixColumn(view.camera.matrix, 1), step * direction[1]!)
    .toArray() as Vec3;
}
