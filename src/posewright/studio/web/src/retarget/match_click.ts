// Two clicks correct the match: a joint of one figure, then its partner on the other.
import type { Action } from "../actions";
import { PLACES } from "../api";
import { run } from "../connection";
import { stage, type Vec3 } from "../store";
import { grabCamera, type Gesture } from "../viewport/gestures";
import { handleUnder } from "../viewport/handle_under";
import { asPicked, pick, pickBody } from "../viewport/picking";
import { clientPoint, type View } from "../viewport/view";
import { aside, jointPlace, partOf, picked, showsStage, sourcePose, sourceScale, stageView, staging, type Role } from "./retarget";

/** A click on a joint: it waits for its partner, or is the partner that was waited for. */
export function clickJoint(role: Role, joint: string): void {
  const first = picked.value;
  if (first === null) picked.value = { role, joint };
  else if ("part" in first) {
    picked.value = null;
    void run({ kind: "set_part", part: first.part, of: role, joint });
  } else if (first.role === role) picked.value = first.joint === joint ? null : { role, joint };
  else {
    picked.value = null;
    const [source, target] = role === "target" ? [first.joint, joint] : [joint, first.joint];
    void run({ kind: "pair_joints", source, target });
  }
}

/** On the stage a click takes a joint; a drag turns the camera, as beside a body. */
export function grabJoint(view: View, event: PointerEvent): Gesture | null {
  if (!showsStage.value || stage.value === null) return null;
  const camera = grabCamera(view, event);
  const dot = handleUnder(event)?.dataset;
  return {
    looks: true,
    move: (next) => camera.move(next),
    end(moved) {
      camera.end(true);
      if (moved || event.button !== 0) return;
      if (dot !== undefined) return clickJoint(dot["role"] as Role, dot["joint"]!);
      if (stageView.value !== "Match") return;
      const found = under(view, event);
      if (found !== null) clickJoint(...found);
      else picked.value = null;
    },
    cancel: () => camera.cancel(),
  };
}

/** The joint whose segment is under the mouse. */
function under(view: View, { clientX, clientY }: PointerEvent): [Role, string] | null {
  const both = staging.value;
  if (both === null || sourcePose.value === null || stage.value === null) return null;
  const target = pick(view, clientX, clientY);
  if (target !== null) return ["target", both.target.scene.joints[target.joint]!.name];
  const figure = both.source.scene;
  const drawn = view.pickPixel(view.forPickingSource, clientX, clientY);
  const source =
    drawn !== null
      ? asPicked(drawn, figure)
      : pickBody(view, figure, sourcePose.value, clientX, clientY, aside.value, sourceScale.value);
  return source === null ? null : ["source", both.source.scene.joints[source.joint]!.name];
}

const pickedPart = (): string | null => {
  const one = picked.value;
  return one === null ? null : "part" in one ? one.part : partOf(one.role, one.joint);
};

export const MATCH_ACTIONS: Action[] = [
  {
    name: "Clear the pair of the picked joint",
    key: "Delete",
    can: () => showsStage.value && pickedPart() !== null,
    run: () => {
      void run({ kind: "clear_part", part: pickedPart()! });
      picked.value = null;
    },
  },
  {
    name: "Let go of the picked joint",
    key: "Escape",
    can: () => showsStage.value && picked.value !== null,
    run: () => (picked.value = null),
  },
];

// "match:NAME", or where both figures have such a joint the one that a click means next; "match:source:NAME".
PLACES.set("match", (name) => {
  const [role, rest] = [name.split(":", 1)[0]!, name.slice(name.indexOf(":") + 1)];
  const first = picked.value;
  const next: Role[] = first !== null && "role" in first && first.role === "source" ? ["target", "source"] : ["source", "target"];
  const found: (Vec3 | null)[] =
    (role === "source" || role === "target") && name.includes(":")
      ? [jointPlace(role, rest)]
      : next.map((one) => jointPlace(one, name));
  const place = found.find((one) => one !== null) ?? null;
  return place === null || !showsStage.value ? null : clientPoint(place);
});
