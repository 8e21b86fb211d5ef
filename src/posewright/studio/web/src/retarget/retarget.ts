// Retargeting on the page: what the server says of it, the two figures on their stage, and which of them is shown how.
import { batch, computed, effect, signal } from "@preact/signals";
import { carrier } from "../carrier";
import { clip, frame, ofFrames, playing, timed } from "../clip/clip";
import { asPose, ClipReceiver, type ClipFrames } from "../clip/clip_frames";
import { ask } from "../connection";
import { PoseFrame } from "../pose_frame";
import { JOINT_NUMBERS, RETARGET_SOURCE, RETARGETED, type Retargeting, type Scene, type Staged } from "../protocol";
import { connected, stage, tab, type Vec3 } from "../store";

export const VIEWS = ["Match", "Side by side", "Overlay"] as const;
export type StageView = (typeof VIEWS)[number];
export type Role = "source" | "target";

export const retargeting = signal<Retargeting | null>(null);
export const stageView = signal<StageView>("Side by side");
const staged = signal<Partial<Record<Role, Staged>>>({});
const sourceFrames = signal<ClipFrames | null>(null);
const answerFrames = signal<ClipFrames | null>(null);
/** The joint or part that waits for its partner. */
export const picked = signal<{ role: Role; joint: string } | { part: string } | null>(null);

export function receiveStaged(message: Staged): void {
  batch(() => {
    staged.value = { ...staged.value, [message.role]: message };
    answerFrames.value = null;
    picked.value = null;
  });
}

const receivers = { [RETARGET_SOURCE]: new ClipReceiver(RETARGET_SOURCE), [RETARGETED]: new ClipReceiver(RETARGETED) };

export function receiveRetargetFrames(bytes: ArrayBuffer): void {
  const which = new DataView(bytes).getUint32(4, true) as keyof typeof receivers;
  const frames = receivers[which].receive(bytes);
  if (frames === null) return;
  if (which === RETARGETED) answerFrames.value = frames;
  else sourceFrames.value = frames;
}

/** Whether the tab is open and there is something to show in it. */
export const showsStage = computed(() => tab.value === "Retarget");
export const staging = computed<Record<Role, Staged> | null>(() => {
  const { source, target } = staged.value;
  return showsStage.value && source !== undefined && target !== undefined ? { source, target } : null;
});
/** Whether poses are still under way. */
export const stageIsComing = computed(() => {
  if (!showsStage.value) return false;
  const told = retargeting.value;
  if (told === null || sourceFrames.value === null || staging.value === null) return told === null || told.frames > 0;
  return sourceFrames.value.frames !== told.frames || (told.result !== null && answerFrames.value === null);
});

const LOOKS: Record<string, "retarget" | "design"> = { Retarget: "retarget", Design: "design" };
let looked = "nothing";
effect(() => {
  const at = LOOKS[tab.value] ?? "nothing";
  if (!connected.value) looked = "nothing"; // whoever answers next knows nothing of it
  else if (at !== looked) {
    looked = at;
    void ask({ kind: "look", at });
  }
});

// The timeline is that of the source.
effect(() => {
  const told = retargeting.value;
  const shown = showsStage.value && told !== null && told.frames > 0;
  const { name, frames, fps, contacts } = told ?? { name: "", frames: 0, fps: 0, contacts: [] };
  batch(() => {
    if (timed.peek() !== null && !shown) playing.value = false;
    timed.value = shown ? ofFrames(name, frames, fps, contacts) : null;
  });
});
effect(() => {
  if (retargeting.value?.result == null) answerFrames.value = null;
});

/** The answer, where there is one. */
const answer = computed(() => (retargeting.value?.result == null ? null : answerFrames.value));
const at = computed(() => Math.min(frame.value, Math.max(0, (clip.value?.frames ?? 1) - 1)));

/** The pose of the source. */
export const sourcePose = computed<PoseFrame | null>(() => {
  const poses = sourceFrames.value;
  if (staging.value === null) return null;
  const joints = staging.value.source.scene.joints.length;
  if (stageView.value === "Match" || poses === null || poses.joints !== joints) return resting("source");
  return asPose(poses.at(Math.min(at.value, poses.frames - 1)), at.value, poses.frames);
});

/** The pose of the target: that of the answer; without one it stands beside the source. */
const targetPose = computed<PoseFrame | null>(() => {
  if (staging.value === null) return null;
  const poses = answer.value;
  const joints = staging.value.target.scene.joints.length;
  if (stageView.value === "Match" || poses === null || poses.joints !== joints) {
    const source = sourcePose.value;
    const rest = staging.value.target.rest;
    if (stageView.value === "Match" || source === null) return resting("target");
    const [x, , z] = source.position(carrier(staging.value.source.scene));
    const [restX, , restZ] = resting("target").position(carrier(staging.value.target.scene));
    return asPose(shifted(rest, x - restX, z - restZ), 0, 1);
  }
  return asPose(poses.at(Math.min(at.value, poses.frames - 1)), at.value, poses.frames);
});

function resting(role: Role): PoseFrame {
  return asPose(Float32Array.from(staging.value![role].rest), 0, 1);
}

function shifted(numbers: ArrayLike<number>, x: number, z: number): Float32Array {
  const moved = Float32Array.from(numbers);
  for (let k = 0; k < moved.length; k += JOINT_NUMBERS) {
    moved[k]! += x;
    moved[k + 2]! += z;
  }
  return moved;
}

effect(() => {
  const shown = targetPose.value;
  const both = staging.value;
  stage.value = shown === null || both === null ? null : { scene: both.target.scene, pose: shown, source: both.source.scene };
});

/** In the match both are as tall: a rat is matched with an elephant. */
export const sourceScale = computed(() => {
  const both = staging.value;
  if (both === null || stageView.value !== "Match" || !(both.source.scene.height > 0)) return 1;
  return both.target.scene.height / both.source.scene.height;
});

/** How far aside the source stands, m: they begin at the same place, or beside each other. */
export const aside = computed<Vec3>(() => {
  const both = staging.value;
  if (both === null) return [0, 0, 0];
  const apart = stageView.value === "Overlay" ? 0 : gap(both);
  if (stageView.value === "Match" || answer.value === null || sourceFrames.value === null) {
    const source = sourcePose.value!.position(carrier(both.source.scene));
    const target = targetPose.value!.position(carrier(both.target.scene));
    const scale = sourceScale.value;
    return [target[0] - scale * source[0] - apart, 0, target[2] - scale * source[2]];
  }
  const first = (poses: ClipFrames, of: Scene) => asPose(poses.at(0), 0, poses.frames).position(carrier(of));
  const [source, target] = [first(sourceFrames.value, both.source.scene), first(answer.value, both.target.scene)];
  return [target[0] - source[0] - apart, 0, target[2] - source[2]];
});

/** So that arms that are spread do not touch in the match; in motion they mostly are not spread. */
function gap({ source, target }: Record<Role, Staged>): number {
  const reach = ({ rest, scene }: Staged) => {
    const middle = rest[JOINT_NUMBERS * carrier(scene)]!;
    let most = 0;
    for (let k = 0; k < rest.length; k += JOINT_NUMBERS) most = Math.max(most, Math.abs(rest[k]! - middle));
    return most;
  };
  const [tall, small] = [Math.max(source.scene.height, target.scene.height), target.scene.height];
  if (stageView.value === "Match") return 1.15 * (sourceScale.value * reach(source) + reach(target)) + 0.1 * small;
  return Math.min(1.15 * (reach(source) + reach(target)) + 0.1 * tall, 0.7 * tall);
}

/** Where a joint stands in the view. */
export function jointPlace(role: Role, joint: string): Vec3 | null {
  const pose = role === "source" ? sourcePose.value : targetPose.value;
  const index = staging.value?.[role].scene.joints.findIndex((one) => one.name === joint) ?? -1;
  if (pose === null || index < 0) return null;
  const [x, y, z] = pose.position(index);
  if (role === "target") return [x, y, z];
  const [[dx, dy, dz], scale] = [aside.value, sourceScale.value];
  return [scale * x + dx, scale * y + dy, scale * z + dz];
}

/** The part that a joint belongs to. */
export function partOf(role: Role, joint: string): string | null {
  return retargeting.value?.parts.find((part) => part[role].includes(joint))?.part ?? null;
}

/** For `window.posewright.state()`. */
export const retargetState = computed(() => {
  const told = retargeting.value;
  if (told === null) return null;
  const poses = sourcePose.value;
  const joints = staging.value?.source.scene.joints ?? [];
  return {
    source: told.source,
    target: told.target,
    view: stageView.value,
    parts: Object.fromEntries(told.parts.map(({ part, source, target, confidence }) => [part, { source, target, confidence }])),
    picked: picked.value,
    options: told.options,
    running: told.running,
    done: told.done,
    why_not: told.why_not,
    result: told.result,
    contacts: told.contacts,
    source_joints: poses === null ? {} : Object.fromEntries(joints.map((joint, k) => [joint.name, poses.position(k)])),
  };
});
