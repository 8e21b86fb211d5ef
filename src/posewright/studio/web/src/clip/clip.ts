// The clip on the page: which frame is shown, and playing it by the page's own clock.
import { batch, computed, effect, signal } from "@preact/signals";
import type { ClipInfo, KeyInfo } from "../protocol";
import { clipPose, doc, tab } from "../store";
import { asPose, ClipReceiver, type ClipFrames } from "./clip_frames";

const openClip = computed<ClipInfo | null>(() => doc.value?.clip ?? null);
/** What the timeline is of, in place of the clip that is open. */
export const timed = signal<ClipInfo | null>(null);
export const clip = computed<ClipInfo | null>(() => timed.value ?? openClip.value);
/** Its poses, and how often they changed. */
export const clipFrames = signal<{ poses: ClipFrames; version: number } | null>(null);
export const frame = signal(0);
export const playing = signal(false);
/** Whether the clip is shown as it was opened. */
export const before = signal(false);
/** Whether the source stands beside the edited clip. */
export const sourceGhost = signal(true);

/** Whether its poses are still under way. */
export const clipIsComing = computed(() => openClip.value !== null && clipFrames.value?.poses.frames !== openClip.value.frames);
/** Whether the clip is what the view shows. */
export const showsClip = computed(() => tab.value === "Edit" && openClip.value !== null && !clipIsComing.value);
/** Tabs without a clip: who plays goes to Edit. */
const STILL = ["Pose", "Design"];

export const lastFrame = computed(() => Math.max(0, (clip.value?.frames ?? 1) - 1));
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

// A page that opens on a clip shows it.
let opened: string | null = null;
effect(() => {
  const name = openClip.value === null ? null : `${openClip.value.name} ${openClip.value.frames}`;
  if (name === opened) return;
  opened = name;
  batch(() => {
    playing.value = false;
    frame.value = 0;
    if (name !== null && tab.peek() === "Pose") tab.value = "Edit";
  });
});
effect(() => {
  if (frame.value > lastFrame.value) frame.value = lastFrame.value; // of a shorter clip
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
  const { fps, frames } = clip.peek()!;
  const [began, first] = [performance.now(), frame.peek()];
  const step = (now: number) => {
    if (!playing.peek()) return;
    const passed = Math.floor((Math.max(0, now - began) / 1000) * fps);
    frame.value = (first + passed) % frames;
    request = requestAnimationFrame(step);
  };
  let request = requestAnimationFrame(step);
  return () => cancelAnimationFrame(request);
});
