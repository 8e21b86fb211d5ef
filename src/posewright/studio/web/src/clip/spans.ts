// Goals over several frames of the clip: which one is worked at, and how they are made.
import { computed, signal } from "@preact/signals";
import { run } from "../connection";
import type { SpanInfo } from "../protocol";
import { selection } from "../store";
import { clip, frame, lastFrame, previewed, range, rangeIsChosen, showsClip } from "./clip";

const HALF = 0.5; // s before and after the frame shown that a new one lasts

const chosenName = signal<string | null>(null);
/** As a gesture would have them, while it lasts. */
export const spans = computed<SpanInfo[]>(() => (showsClip.value ? (previewed.value ?? clip.value!).spans : []));
/** The one whose knots are shown: that which was chosen, or else the newest. */
export const chosenSpan = computed<SpanInfo | null>(
  () => spans.value.find((one) => one.name === chosenName.value) ?? spans.value.at(-1) ?? null,
);

export function choose(name: string): void {
  chosenName.value = name;
}

/** Frames that a new one is about: the play range, or some around the frame shown. */
function frames(): [number, number] {
  if (rangeIsChosen.value) return range.value;
  const half = Math.max(1, Math.round(HALF * (clip.value?.fps ?? 30)));
  return [Math.max(0, frame.value - half), Math.min(lastFrame.value, frame.value + half)];
}

/** What a new one can be about: the joint or site that is selected. */
export const subject = computed<string | null>(() => {
  const chosen = selection.value;
  return showsClip.value && chosen !== null && chosen.kind !== "goal" ? chosen.name : null;
});

export async function addPath(): Promise<void> {
  const [start, end] = frames();
  await make(() => run({ kind: "add_path", site: subject.value!, start, end }));
}

export async function hold(what: "position" | "orientation" | "placement" | "aim"): Promise<void> {
  const [start, end] = frames();
  const at = Math.max(start, Math.min(end, frame.value));
  await make(() => run({ kind: "hold", what, site: subject.value!, frame: at, start, end }));
}

/** Work at what a command makes. */
async function make(command: () => Promise<boolean>): Promise<void> {
  if (subject.value === null) return;
  const known = new Set(clip.value?.spans.map((one) => one.name));
  if (!(await command())) return;
  const made = clip.value?.spans.find((one) => !known.has(one.name));
  if (made !== undefined) choose(made.name);
}
