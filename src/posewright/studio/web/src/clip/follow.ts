// The camera goes along with the body of a clip, over the floor: what is edited stays in view.
import { effect } from "@preact/signals";
import { clipPose, solvedPose, stage } from "../store";
import type { View } from "../viewport/view";

export function follow(view: View): void {
  let at: [number, number] | null = null;
  effect(() => {
    if (stage.value !== null) return void (at = null);
    const shown = clipPose.value ?? solvedPose.peek();
    if (shown === null) return;
    const [x, , z] = shown.position(0);
    const [fromX, fromZ] = at ?? [x, z]; // it begins where the camera was framed
    at = [x, z];
    view.orbit.target.x += x - fromX;
    view.orbit.target.z += z - fromZ;
    view.invalidate();
  });
}
