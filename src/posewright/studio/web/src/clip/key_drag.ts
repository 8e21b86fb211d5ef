// Dragging a point of the body at the frame shown: where it is let go becomes a key, and the clip follows.
import { signal } from "@preact/signals";
import { pose, scene, select, type Vec3 } from "../store";
import type { Gesture } from "../viewport/gestures";
import { pressed } from "../goals/goal_drag";
import { handleUnder } from "../viewport/handle_under";
import { pick } from "../viewport/picking";
import type { View } from "../viewport/view";
import { frame, keysHere, playing, showsClip } from "./clip";
import { PlaneDrag } from "./plane_drag";

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
  const handle = handleUnder(event);
  const key = keysHere.value.find((one) => one.site === handle?.dataset["key"]);
  if (key !== undefined) {
    handle!.focus({ preventScroll: true });
    select(scene.value?.joints.some((joint) => joint.name === key.site) ? "joint" : "site", key.site);
    return drag(view, event, { site: key.site, point: null, target: key.target });
  }
  const found = pick(view, event.clientX, event.clientY);
  const joint = found === null ? undefined : scene.value?.joints[found.joint];
  if (found === null || joint === undefined) return null;
  playing.value = false;
  const twice = pressed(event, joint.name, false);
  select("joint", joint.name);
  const point = pose.value!.toJoint(found.joint, found.point);
  return drag(view, event, { site: joint.name, point, target: found.point }, twice ?? undefined);
}

function drag(view: View, event: PointerEvent, key: HeldKey, click = () => {}): Gesture {
  const at = frame.value;
  return new PlaneDrag(view, event, {
    at: key.target,
    command: (target) => ({ kind: "set_key", frame: at, site: key.site, point: key.point, target }),
    held: (target) => (heldKey.value = target === null ? null : { ...key, target }),
    click,
  });
}
