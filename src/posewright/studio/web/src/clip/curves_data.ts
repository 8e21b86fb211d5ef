// Dofs of the joint that is selected, over time: asked for while they are looked at, and again when the clip changes.
import { computed, effect, signal } from "@preact/signals";
import { ask } from "../connection";
import { connected, scene, selection } from "../store";
import type { Curves } from "../protocol";
import { clipFrames, showsClip } from "./clip";

export const curvesOpen = signal(false);
export const curves = signal<Curves | null>(null);
/** The joint whose curves are shown: that which is selected, else the last one that was, else the root. */
let last = "";
export const curvesJoint = computed<string>(() => {
  const names = scene.value?.joints.map((joint) => joint.name) ?? [];
  const chosen = selection.value?.kind === "joint" ? selection.value.name : last;
  return (last = names.includes(chosen) ? chosen : (names[0] ?? ""));
});

let asking = false;
let again = false;

async function refresh(joint: string): Promise<void> {
  if (asking) return void (again = true);
  asking = true;
  await ask({ kind: "look_at_curves", joint });
  asking = false;
  if (again) {
    again = false;
    void refresh(curvesJoint.peek());
  }
}

effect(() => {
  const joint = curvesJoint.value;
  void clipFrames.value?.version;
  if (curvesOpen.value && connected.value && showsClip.value && joint !== "") void refresh(joint);
});
