// Soft light: a bright sky, a darker ground, one sun with a soft shadow that follows the figure.
import { effect } from "@preact/signals";
import { DirectionalLight, HemisphereLight, Vector3 } from "three";
import { carrier } from "../carrier";
import { pose, scene, stage, type Vec3 } from "../store";
import type { View } from "./view";

const SUN = new Vector3(1.1, 2.2, 1.4); // from where it shines

/** How far from the figure's root there is shadow, m; for a stage of two bodies it is more. */
export function shadowReach(height: number): number {
  return (stage.value === null ? 1.3 : 2.4) * height;
}

/** Where the middle of that shadow falls on a floor. */
export function shadowAt([x, y, z]: Vec3, floor: number): Vector3 {
  return new Vector3(x, y, z).addScaledVector(SUN, (floor - y) / SUN.y);
}

export function lights(view: View): void {
  view.scene.add(new HemisphereLight(0xf3f6ff, 0x9a8f88, 2.1));
  const sun = new DirectionalLight(0xfff4e6, 2.3);
  sun.castShadow = true;
  sun.shadow.mapSize.set(1024, 1024);
  sun.shadow.radius = 5;
  sun.shadow.bias = -0.0004;
  view.scene.add(sun, sun.target);
  const fill = new DirectionalLight(0xcfe0ff, 0.55);
  fill.position.set(-3, 1.5, -2.5);
  view.scene.add(fill);
  effect(() => {
    const frame = pose.value;
    const figure = scene.value;
    const size = figure?.height ?? 1.8;
    const [x, y, z] = frame === null || figure === null ? [0, 0, 0] : frame.position(carrier(figure));
    sun.target.position.set(x, y, z);
    sun.position.copy(sun.target.position).addScaledVector(SUN, size);
    const camera = sun.shadow.camera;
    const reach = shadowReach(size);
    camera.left = camera.bottom = -reach;
    camera.right = camera.top = reach;
    sun.shadow.normalBias = (7 * 2 * reach) / sun.shadow.mapSize.x; // more of its pixels than the shadow is soft: no stripes on the body
    camera.near = 0.3 * size;
    camera.far = 6 * size;
    camera.updateProjectionMatrix();
    view.invalidate();
  });
}
