// Frames whose keys are moved, copied and deleted together: those chosen with Shift, or the one shown.
import { computed, effect, signal } from "@preact/signals";
import { frame, keyFrames } from "./clip";

const marked = signal<Set<number>>(new Set());

/** In order; at least two, or none. */
export const chosenKeys = computed<number[]>(() => {
  const found = keyFrames.value.filter((at) => marked.value.has(at));
  return found.length > 1 ? found : [];
});

/** Add a frame to those that are chosen, or take it away; the first is added to the one shown. */
export function mark(at: number): void {
  const now = new Set(marked.value);
  if (now.size === 0 && keyFrames.value.includes(frame.value)) now.add(frame.value);
  if (!now.delete(at)) now.add(at);
  marked.value = now;
}

/** Other frames than one that go with it. */
export const goingAlong = (at: number): number[] => (chosenKeys.value.includes(at) ? chosenKeys.value.filter((one) => one !== at) : []);

/** They were moved so many frames. */
export function markMoved(by: number): void {
  marked.value = new Set([...marked.value].map((at) => at + by));
}

/** These in place of those that were chosen. */
export function markOnly(frames: number[]): void {
  marked.value = new Set(frames);
}

export const unmark = (): void => markOnly([]);

effect(() => {
  if (keyFrames.value.length === 0) unmark();
});
