// Trails: the paths of hands, feet, head and root through the clip.
import { effect, signal } from "@preact/signals";
import { BufferAttribute, BufferGeometry, Line, LineBasicMaterial } from "three";
import { JOINT_NUMBERS, type JointInfo } from "../protocol";
import { scene } from "../store";
import type { View } from "../viewport/view";
import { before, clipFrames, showsClip } from "./clip";

export const trailsOn = signal(false);

const COLOURS: Record<string, string> = { left: "#e9916a", right: "#cc655b", "": "#b9c0c8" };

/** Joints whose paths are drawn: the root, the head, and of each side the hand and the foot. */
export function trailed(joints: JointInfo[]): number[] {
  const found = joints.flatMap((joint, k) => (joint.parent < 0 || /(^|_)(head|hand|foot)$/.test(joint.segment) ? [k] : []));
  return found.length > 1 ? found : joints.flatMap((_, k) => (k === 0 || !joints.some((one) => one.parent === k) ? [k] : []));
}

export function trails(view: View): void {
  let lines: Line[] = [];
  effect(() => {
    for (const line of lines) {
      view.scene.remove(line);
      line.geometry.dispose();
      (line.material as LineBasicMaterial).dispose();
    }
    lines = [];
    const [figure, poses] = [scene.value, clipFrames.value?.poses];
    if (trailsOn.value && showsClip.value && figure !== null && poses !== undefined) {
      const numbers = before.value ? poses.source : poses.edited;
      for (const joint of trailed(figure.joints)) {
        const points = new Float32Array(3 * poses.frames);
        for (let k = 0; k < poses.frames; k++) {
          const at = (k * poses.joints + joint) * JOINT_NUMBERS;
          points.set(numbers.subarray(at, at + 3), 3 * k);
        }
        const geometry = new BufferGeometry().setAttribute("position", new BufferAttribute(points, 3));
        const line = new Line(geometry, new LineBasicMaterial({ color: COLOURS[figure.joints[joint]!.side] ?? "#b9c0c8" }));
        line.frustumCulled = false;
        view.scene.add(line);
        lines.push(line);
      }
    }
    view.invalidate();
  });
}
