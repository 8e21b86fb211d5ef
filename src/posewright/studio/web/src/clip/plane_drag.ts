// Dragging a point of a clip in the plane of the camera, with a live preview of what that makes of the clip.
import { Plane, Vector3 } from "three";
import type { Command } from "../protocol";
import type { Vec3 } from "../store";
import type { Gesture } from "../viewport/gestures";
import { under } from "../goals/goal_drag";
import type { View } from "../viewport/view";
import { Preview } from "./preview";

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
