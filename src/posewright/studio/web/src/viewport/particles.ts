// The particles of a search at random: each a skeleton of thin lines with dots where it ends, as they were drawn for the
// step of the search that is shown.
import { computed, effect } from "@preact/signals";
import { BufferAttribute, BufferGeometry, Group, LineBasicMaterial, LineSegments, Points, PointsMaterial } from "three";
import type { ParticleFrame } from "../pose_frame";
import type { Scene } from "../protocol";
import { chosenProposal, pathFrame, proposalParticles, scene, showsParticles, stage } from "../store";
import { PROPOSAL_COLOURS } from "./ghosts";
import type { View } from "./view";

/** The crowd that is shown; null: none. */
const crowd = computed<{ drawn: ParticleFrame; places: Float32Array } | null>(() => {
  const drawn = proposalParticles.value.get(chosenProposal.value);
  if (drawn === undefined || !showsParticles.value || stage.value !== null) return null;
  const places = drawn.frames[Math.min(pathFrame.value ?? Infinity, drawn.frames.length - 1)];
  return places === undefined ? null : { drawn, places };
});

/** How many particles are shown. */
export const particleCount = computed(() => (crowd.value === null ? 0 : crowd.value.places.length / (3 * crowd.value.drawn.joints)));

export function particles(view: View): void {
  let shown: { of: ParticleFrame; figure: Scene; object: Group } | null = null;
  effect(() => {
    const [wanted, figure] = [crowd.value, scene.value];
    if (shown !== null && (wanted?.drawn !== shown.of || figure !== shown.figure)) {
      view.scene.remove(shown.object);
      for (const child of shown.object.children as LineSegments[]) {
        child.geometry.dispose();
        (child.material as LineBasicMaterial).dispose();
      }
      shown = null;
    }
    if (wanted !== null && figure !== null && figure.joints.length === wanted.drawn.joints) {
      shown ??= { of: wanted.drawn, figure, object: skeletons(figure, particleCount.value, PROPOSAL_COLOURS[chosenProposal.value % PROPOSAL_COLOURS.length]!) };
      for (const child of shown.object.children as LineSegments[]) {
        child.geometry.setAttribute("position", new BufferAttribute(wanted.places, 3));
      }
      view.scene.add(shown.object);
    }
    view.invalidate();
  });
}

/** Lines from each joint to its parent, and dots at joints that carry no other. */
function skeletons(figure: Scene, count: number, color: string): Group {
  const [lines, ends]: [number[], number[]] = [[], []];
  for (let particle = 0; particle < count; particle++) {
    const first = particle * figure.joints.length;
    figure.joints.forEach((joint, k) => {
      if (joint.parent >= 0) lines.push(first + joint.parent, first + k);
      if (!figure.joints.some((one) => one.parent === k)) ends.push(first + k);
    });
  }
  const look = { color, transparent: true, depthWrite: false };
  const object = new Group();
  object.add(
    new LineSegments(new BufferGeometry().setIndex(lines), new LineBasicMaterial({ ...look, opacity: 0.4 })),
    new Points(new BufferGeometry().setIndex(ends), new PointsMaterial({ ...look, opacity: 0.8, size: 4, sizeAttenuation: false })),
  );
  for (const child of object.children) child.frustumCulled = false;
  return object;
}
