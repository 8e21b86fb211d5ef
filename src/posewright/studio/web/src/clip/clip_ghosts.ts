// Ghosts of a clip: its source where an edit changed it, and poses before and after the frame shown.
import { effect } from "@preact/signals";
import { ghostLists, type Ghost } from "../viewport/ghosts";
import { before, clip, clipFrames, frame, lastFrame, onionSkins, showsClip, sourceGhost } from "./clip";

const SOURCE_COLOUR = "#9fb4c8";
const [EARLIER, LATER] = ["#d9735a", "#5a9ad9"];
const APART = 0.1; // s between two poses before or after

export function clipGhosts(): void {
  effect(() => {
    const shown: Ghost[] = [];
    const poses = clipFrames.value?.poses;
    if (showsClip.value && poses !== undefined && sourceGhost.value && !before.value) {
      const at = Math.min(frame.value, lastFrame.value);
      const [source, edited] = [poses.at(at, true), poses.at(at)];
      if (source.some((value, k) => value !== edited[k])) shown.push({ joints: source, colour: SOURCE_COLOUR, opacity: 0.35 });
    }
    if (showsClip.value && poses !== undefined && onionSkins.value > 0) {
      const step = Math.max(1, Math.round(APART * clip.value!.fps));
      for (let k = 1; k <= onionSkins.value; k++) {
        for (const [at, colour] of [[frame.value - k * step, EARLIER], [frame.value + k * step, LATER]] as const) {
          if (at >= 0 && at <= lastFrame.value) shown.push({ joints: poses.at(at, before.value), colour, opacity: 0.4 / (k + 0.5) });
        }
      }
    }
    const old = ghostLists.peek();
    if (shown.length > 0 || old.has("clip")) {
      const lists = new Map(old);
      if (shown.length > 0) lists.set("clip", shown);
      else lists.delete("clip");
      ghostLists.value = lists;
    }
  });
}
