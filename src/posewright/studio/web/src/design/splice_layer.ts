// The spliced posture, beside the refined one, each part in its colour.
import { computed, effect } from "@preact/signals";
import { Vector3 } from "three";
import { characterAt, isComing } from "../character/characters";
import type { DesignedInfo, Scene } from "../protocol";
import { sessionScene } from "../store";
import { makeBody, type Body } from "../viewport/body";
import type { View } from "../viewport/view";
import { design, splicedPose } from "./design";

const APART = 0.75; // of the height, from the refined posture
const FARTHER = 1.12; // the camera, to see both

/** What the colours depend on: they do not change while a goal is dragged within reach. */
const colours = computed(() => JSON.stringify(design.value?.result?.parts.map((part) => [part.colour, part.joints]) ?? []));

export function spliceLayer(view: View): void {
  let body: Body | null = null;
  let look: unknown[] = [];
  let aside = 0; // m that the camera stands aside
  effect(() => {
    const [pose, figure, result] = [splicedPose.value, sessionScene.value, design.value?.result];
    const by = pose === null ? 0 : APART * (figure?.height ?? 1.8);
    if ((by === 0) !== (aside === 0)) {
      view.orbit.target.add(new Vector3(0.5 * (aside - by), 0, 0));
      view.orbit.distance *= by > 0 ? FARTHER : 1 / FARTHER;
      aside = by;
    }
    const next = [figure, characterAt(figure?.mesh), colours.value];
    if (body !== null && (pose === null || next.some((one, k) => one !== look[k]))) {
      view.scene.remove(body.object);
      body.dispose();
      body = null;
    }
    if (pose !== null && figure !== null && result != null && !isComing(figure.mesh)) {
      if (body === null) {
        body = makeBody(figure, { colours: jointColours(figure, result) });
        view.scene.add(body.object);
        look = next;
      }
      body.pose(pose.joints);
      body.object.position.set(-by, 0, 0);
    }
    view.invalidate();
  });
}

/** Joints that do not move themselves look as what carries them. */
function jointColours(figure: Scene, { parts, rest_colour }: DesignedInfo): string[] {
  const found: string[] = [];
  figure.joints.forEach((joint, k) => {
    const own = parts.find((part) => part.joints.includes(joint.name))?.colour;
    found[k] = own ?? (joint.dofs.length === 0 && joint.parent >= 0 ? found[joint.parent]! : rest_colour);
  });
  return found;
}
