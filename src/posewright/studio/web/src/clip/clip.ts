// The clip on the page: which frame is shown, and playing it by the page's own clock.
import { batch, computed, effect, signal } from "@preact/signals";
import type { ClipInfo, ContactInfo, KeyInfo } from "../protocol";
import { letGo } from "../hand";
import { clipPose, doc, sessionScene, tab } from "../store";
import { asPose, ClipReceiver, type ClipFrames } from "./clip_frames";

const openClip = computed<ClipInfo | null>(() => doc.value?.clip ?? null);
/** The clip as a gesture would have it, while it lasts. */
export const previewed = signal<ClipInfo | null>(null);
/** What the timeline is of, in place of the clip that is open. */
export const timed = signal<ClipInfo | null>(null);
/** Frames with contacts and nothing that is asked of them. */
export function ofFrames(name: string, frames: number, fps: number, contacts: ContactInfo[]): ClipInfo {
  const feet = [...new Set(contacts.map((one) => one.foot))];
  return { name, frames, fps, contacts, feet, contacts_by_hand: false, keys: [], spans: [], notes: [] };
}
export const clip = computed<ClipInfo | null>(() => timed.value ?? openClip.value);
/** Its poses, and how often they changed. */
export const clipFrames = signal<{ poses: ClipFrames; version: number } | null>(null);
export const frame = signal(0);
export const playing = signal(false);
/** Whether the clip is shown as it was opened. */
export const before = signal(false);
/** Whether the source stands beside the edited clip. */
export const sourceGhost = signal(true);

/** Poses that are shown before and after the frame, some frames apart; 0: none. */
export const onionSkins = signal(0);

/** Whether its poses are still under way. */
export const clipIsComing = computed(() => {
  const poses = clipFrames.value?.poses;
  return openClip.value !== null && (poses?.frames !== openClip.value.frames || poses.joints !== sessionScene.value?.joints.length);
});
/** Whether the clip is what the view shows. */
export const showsClip = computed(() => tab.value === "Edit" && openClip.value !== null && !clipIsComing.value);
/** Tabs without a clip: who plays goes to Edit. */
const STILL = ["Pose", "Design"];

export const lastFrame = computed(() => Math.max(0, (clip.value?.frames ?? 1) - 1));
/** The frames that are played: first and last; null: all. */
const chosenRange = signal<[number, number] | null>(null);
export const range = computed<[number, number]>(() => chosenRange.value ?? [0, lastFrame.value]);
export const rangeIsChosen = computed(() => chosenRange.value !== null);

/** Play only from a frame to another; all of them are no range. */
export function setRange(first: number, last: number): void {
  const within = (at: number) => Math.max(0, Math.min(lastFrame.value, Math.round(at)));
  const [start, end] = [within(Math.min(first, last)), within(Math.max(first, last))];
  chosenRange.value = end <= start || (start === 0 && end === lastFrame.value) ? null : [start, end];
}

/** Frames that have keys, in order. */
export const keyFrames = computed<number[]>(() => [...new Set((clip.value?.keys ?? []).map((key) => key.frame))]);
/** Keys of the frame shown. */
export const keysHere = computed<KeyInfo[]>(() => (clip.value?.keys ?? []).filter((key) => key.frame === frame.value));

effect(() => {
  const shown = Math.min(frame.value, lastFrame.value);
  const poses = clipFrames.value?.poses;
  clipPose.value =
    showsClip.value && poses !== undefined ? asPose(poses.at(shown, before.value), shown, poses.frames) : null;
});

// A page that opens on a clip shows it. One as long as the one before, such as its retarget, is shown where that was.
let opened = { name: "", frames: 0 };
effect(() => {
  const [now, before] = [openClip.value, opened];
  opened = { name: now?.name ?? "", frames: now?.frames ?? before.frames }; // without one: it may come again, by redo or of another server
  if (opened.name === before.name && opened.frames === before.frames) return;
  letGo();
  batch(() => {
    playing.value = false;
    if (opened.frames !== before.frames) {
      frame.value = 0;
      chosenRange.value = null;
    }
    if (now !== null && tab.peek() === "Pose") tab.value = "Edit";
  });
});
effect(() => {
  if (clip.value !== null && frame.value > lastFrame.value) frame.value = lastFrame.value; // of a shorter clip
});

const receiver = new ClipReceiver();
let version = 0;

export function receiveClip(bytes: ArrayBuffer): void {
  const poses = receiver.receive(bytes);
  if (poses !== null) clipFrames.value = { poses, version: ++version };
}

/** Show a frame, the nearest there is. */
export function seek(to: number): void {
  batch(() => {
    playing.value = false;
    frame.value = Math.max(0, Math.min(lastFrame.value, Math.round(to)));
    if (STILL.includes(tab.value)) tab.value = "Edit";
  });
}

export function togglePlay(): void {
  batch(() => {
    if (STILL.includes(tab.value)) tab.value = "Edit";
    playing.value = clip.value !== null && !playing.value;
  });
}

effect(() => {
  if (!playing.value) return;
  const { fps } = clip.peek()!;
  const [from, to] = range.value;
  const [began, first] = [performance.now(), Math.max(from, Math.min(to, frame.peek()))];
  const step = (now: number) => {
    if (!playing.peek()) return;
    const passed = Math.floor((Math.max(0, now - began) / 1000) * fps);
    frame.value = from + ((first - from + passed) % (to - from + 1));
    request = requestAnimationFrame(step);
  };
  let request = requestAnimationFrame(step);
  return () => cancelAnimationFrame(request);
});
