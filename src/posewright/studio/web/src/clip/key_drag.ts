// Dragging a point of the body at the frame shown: where it is let go becomes a key, and the clip follows.
import { signal } from "@preact/signals";
import { Plane, Vector3 } from "three";
import { ask, run } from "../connection";
import { pose, scene, select, type Vec3 } from "../store";
import type { Gesture } from "../viewport/gestures";
import { under } from "../viewport/goal_drag";
import { pick } from "../viewport/picking";
import type { View } from "../viewport/view";
import { clip, frame, keysHere, playing, showsClip } from "./clip";

/** What is being dragged: the site of a key, or a point of the body, and where it is wanted. */
export interface HeldKey {
  site: string;
  /** m, on the joint that `site` names; null: `site` itself */
  point: Vec3 | null;
  target: Vec3;
}

export const heldKey = signal<HeldKey | null>(null);

/** A press on a key's handle or on the body while a clip is shown. */
export function grabKey(view: View, event: PointerEvent): Gesture | null {
  if (!showsClip.value || event.button !== 0 || event.shiftKey) return null;
  const handle = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-key]") : null;
  const key = keysHere.value.find((one) => one.site === handle?.dataset["key"]);
  if (key !== undefined) {
    handle!.focus({ preventScroll: true });
    return new KeyDrag(view, event, { site: key.site, point: null, target: key.target });
  }
  const found = pick(view, event.clientX, event.clientY);
  const joint = found === null ? undefined : scene.value?.joints[found.joint];
  if (found === null || joint === undefined) return null;
  playing.value = false;
  const point = pose.value!.toJoint(found.joint, found.point);
  return new KeyDrag(view, event, { site: joint.name, point, target: found.point });
}

class KeyDrag implements Gesture {
  private readonly plane: Plane;
  private readonly offset: Vector3;
  private readonly frame = frame.value;
  private asking = false;
  private over = false;

  constructor(
    private readonly view: View,
    event: PointerEvent,
    private readonly key: HeldKey,
  ) {
    const at = new Vector3(...key.target);
    this.plane = new Plane().setFromNormalAndCoplanarPoint(view.camera.getWorldDirection(new Vector3()), at);
    this.offset = at.clone().sub(under(view, event, this.plane) ?? at);
  }

  move(event: PointerEvent): void {
    const at = under(this.view, event, this.plane);
    if (at === null) return;
    heldKey.value = { ...this.key, target: at.add(this.offset).toArray() as Vec3 };
    if (!this.asking) void this.preview();
  }

  /** Show what the key would do: one request under way, the newest place next. */
  private async preview(): Promise<void> {
    this.asking = true;
    for (let shown = null; heldKey.value !== shown && !this.over; ) {
      shown = heldKey.value;
      if (shown === null || !(await ask({ kind: "preview", command: { kind: "set_key", frame: this.frame, ...shown } }))) break;
    }
    this.asking = false;
  }

  end(moved: boolean): void {
    this.over = true;
    const key = heldKey.value;
    if (!moved) select(this.key.point === null ? "site" : "joint", this.key.site);
    if (!moved || key === null || clip.value === null) return void (heldKey.value = null);
    void run({ kind: "set_key", frame: this.frame, ...key }).then((done) => {
      heldKey.value = null;
      if (!done) void ask({ kind: "stop_preview" });
    });
  }

  cancel(): void {
    this.over = true;
    heldKey.value = null;
    void ask({ kind: "stop_preview" });
  }
}
