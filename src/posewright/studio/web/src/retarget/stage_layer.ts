// The source on the stage: beside the target, or over it as a ghost. The camera sees both.
import { effect, untracked } from "@preact/signals";
import { Vector3 } from "three";
import { carrier } from "../carrier";
import type { Scene } from "../protocol";
import { stage } from "../store";
import { characterAt, isComing } from "../character/characters";
import { makeBody, type Body } from "../viewport/body";
import type { View } from "../viewport/view";
import { aside, sourcePose, sourceScale, stageView, staging } from "./retarget";

const GHOST = { colour: "#2f9c95", opacity: 0.4 };

export function retargetStage(view: View): void {
  let shown: { body: Body; scene: Scene; mesh: unknown; ghost: boolean } | null = null;
  const drop = () => {
    if (shown === null) return;
    view.scene.remove(shown.body.object);
    shown.body.dispose();
    view.forPickingSource = shown = null;
  };
  effect(() => {
    const pose = sourcePose.value;
    const scene = staging.value?.source.scene;
    if (scene === undefined || pose === null || isComing(scene.mesh)) {
      drop();
      return view.invalidate();
    }
    const ghost = stageView.value === "Overlay";
    const mesh = characterAt(scene.mesh);
    if (shown !== null && (shown.scene !== scene || shown.mesh !== mesh || shown.ghost !== ghost)) drop();
    if (shown === null) {
      shown = { body: makeBody(scene, ghost ? { ghost: GHOST } : {}), scene, mesh, ghost };
      view.scene.add(shown.body.object);
      view.forPickingSource = shown.body.forPicking;
    }
    shown.body.pose(pose.joints);
    for (const object of [shown.body.object, shown.body.forPicking]) {
      object?.position.set(...aside.value);
      object?.scale.setScalar(sourceScale.value);
    }
    view.invalidate();
  });
  keepInView(view);
}

/** Both in view when the stage is entered, and along their way; the old view when it is left. */
function keepInView(view: View): void {
  let before: { target: Vector3; distance: number; azimuth: number; elevation: number } | null = null;
  let framed: unknown = null;
  let from: [number, number] = [0, 0];
  effect(() => {
    const { orbit } = view;
    const shown = stage.value;
    if (shown === null) {
      if (before !== null) {
        orbit.target.copy(before.target);
        orbit.distance = before.distance;
        orbit.look(before.azimuth, before.elevation);
      }
      before = framed = null;
      return view.invalidate();
    }
    before ??= { target: orbit.target.clone(), distance: orbit.distance, azimuth: orbit.azimuth, elevation: orbit.elevation };
    const [x, , z] = shown.pose.position(carrier(shown.scene));
    const look = `${shown.scene.figure} ${staging.value?.source.scene.figure} ${stageView.value}`;
    if (framed !== look) {
      framed = look;
      const [dx] = untracked(() => aside.value);
      const scale = untracked(() => sourceScale.value);
      const height = Math.max(shown.scene.height, scale * (staging.value?.source.scene.height ?? 0));
      const source = sourcePose.peek()?.position(carrier(shown.source))[0] ?? x;
      const wide = stageView.value === "Overlay" ? 0 : Math.abs(dx + scale * source - x);
      orbit.frame(new Vector3(x - 0.5 * wide, 0.5 * height, z), Math.max(height, 0.62 * (wide + height)));
      orbit.look(stageView.value === "Match" ? 0 : 0.35, stageView.value === "Match" ? 0.04 : 0.14);
    } else {
      orbit.target.x += x - from[0];
      orbit.target.z += z - from[1];
    }
    from = [x, z];
    view.invalidate();
  });
}
