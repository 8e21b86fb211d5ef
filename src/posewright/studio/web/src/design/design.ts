// Designing on the page: what the server says of it, the spliced posture and the refined one.
import { batch, computed, effect, signal } from "@preact/signals";
import { asPose } from "../clip/clip_frames";
import { CLIP_HEADER_BYTES, JOINT_NUMBERS, type Design } from "../protocol";
import type { PoseFrame } from "../pose_frame";
import { designErrors, designPose, tab } from "../store";

export const design = signal<Design | null>(null);
const poses = signal<{ spliced: PoseFrame; refined: PoseFrame } | null>(null);

/** Two frames: the splice, and as refined. */
export function receiveDesign(bytes: ArrayBuffer): void {
  const size = new DataView(bytes).getUint32(20, true) * JOINT_NUMBERS;
  const numbers = new Float32Array(bytes, CLIP_HEADER_BYTES);
  poses.value = {
    spliced: asPose(numbers.subarray(0, size), 0, 1),
    refined: asPose(numbers.subarray(size, 2 * size), 0, 1),
  };
}

const shown = computed(() => (tab.value === "Design" && design.value?.result != null ? poses.value : null));
/** The spliced posture, where there is one. */
export const splicedPose = computed(() => shown.value?.spliced ?? null);
/** Whether the tab is open and nothing was told yet. */
export const designIsComing = computed(() => tab.value === "Design" && design.value === null);

effect(() => {
  const [refined, errors] = [shown.value?.refined ?? null, design.value?.result?.errors ?? []];
  batch(() => {
    designPose.value = refined;
    designErrors.value = errors;
  });
});

/** For `window.posewright.state()`. */
export const designState = computed(() => {
  const told = design.value;
  if (told === null) return null;
  const { postures, chosen, collecting, why_not, result } = told;
  return { postures, clips: chosen, collecting, why_not, parts: result?.parts ?? [], errors: result?.errors ?? [], warnings: result?.warnings ?? [] };
});
