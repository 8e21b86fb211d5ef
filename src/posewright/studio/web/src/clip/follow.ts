// The camera goes along with the body of a clip, over the floor: what is edited stays in view.
import { effect } from "@preact/signals";
import { carrier } from "../carrier";
import { clipPose, sessionScene, solvedPose, stage } from "../store";
import type { View } from "../viewport/view";

export function follow(view: View): void {
  let at: [number, number] | null = null;
  effect(() => {
    if (stage.value !== null) return void (at = null);
    const [shown, figure] = [clipPose.value ?? solvedPose.peek(), sessionScene.peek()];
    if (shown === null || figure === null) return;
    const [x, , z] = shown.position(carrier(figure));
    const [fromX, fromZ] = at ?? [x, z]; // it begins where the camera was framed
    at = [x, z];
    view.orbit.target.x += x - fromX;
    view.orbit.target.z += z - fromZ;
    view.invalidate();
  });
}
