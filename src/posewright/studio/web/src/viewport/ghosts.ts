// Ghosts: other poses of the figure beside the work. What wants some sets its list; each list has its own name.
import { computed, effect, signal } from "@preact/signals";
import { chosenProposal, pathFrame, proposalPoses, proposals, scene, stage } from "../store";
import { makeBody, type Body } from "./body";
import { character, isComing } from "../character/characters";
import type { GhostLook } from "./ghost_look";
import type { View } from "./view";

export interface Ghost extends GhostLook {
  /** Seven numbers per joint. */
  joints: ArrayLike<number>;
}

export const PROPOSAL_COLOURS = ["#4c8dd6", "#3fa66b", "#b06fd0", "#c9963a", "#3aa7a7", "#c65f86"];

/** Ghosts by who shows them. */
export const ghostLists = signal<Map<string, Ghost[]>>(new Map());

const ofProposals = computed<Ghost[]>(() =>
  proposals.value.proposals.flatMap((_, k) => {
    const frames = proposalPoses.value.get(k);
    if (frames === undefined) return [];
    const chosen = k === chosenProposal.value;
    if (pathFrame.value !== null && !chosen) return [];
    const joints = frames[chosen && pathFrame.value !== null ? pathFrame.value : frames.length - 1];
    return joints === undefined ? [] : [{ joints, colour: PROPOSAL_COLOURS[k % PROPOSAL_COLOURS.length]!, opacity: chosen ? 0.6 : 0.18, turn: chosen ? 0 : 1 + k }];
  }),
);

export function ghosts(view: View): void {
  let bodies: { body: Body; look: string }[] = [];
  let [figure, mesh] = [scene.value, character.value];
  const drop = (from: number) => {
    for (const { body } of bodies.splice(from)) {
      view.scene.remove(body.object);
      body.dispose();
    }
  };
  effect(() => {
    const wanted = stage.value !== null ? [] : [...ofProposals.value, ...[...ghostLists.value.values()].flat()];
    if (figure !== scene.value || mesh !== character.value) drop(0);
    [figure, mesh] = [scene.value, character.value];
    if (figure === null || isComing(figure.mesh)) return;
    drop(wanted.length);
    wanted.forEach(({ joints, ...ghost }, k) => {
      const look = JSON.stringify(ghost);
      if (bodies[k] !== undefined && bodies[k].look !== look) drop(k);
      if (bodies[k] === undefined) {
        bodies[k] = { body: makeBody(figure!, { ghost }), look };
        view.scene.add(bodies[k].body.object);
      }
      bodies[k].body.pose(joints);
    });
    view.invalidate();
  });
}
