// Ghosts of a clip: its source where an edit changed it.
import { effect } from "@preact/signals";
import { ghostLists, type Ghost } from "../viewport/ghosts";
import { before, clipFrames, frame, lastFrame, showsClip, sourceGhost } from "./clip";

const SOURCE_COLOUR = "#9fb4c8";

export function clipGhosts(): void {
  effect(() => {
    const shown: Ghost[] = [];
    const poses = clipFrames.value?.poses;
    if (showsClip.value && poses !== undefined && sourceGhost.value && !before.value) {
      const at = Math.min(frame.value, lastFrame.value);
      const [source, edited] = [poses.at(at, true), poses.at(at)];
      if (source.some((value, k) => value !== edited[k])) shown.push({ joints: source, colour: SOURCE_COLOUR, opacity: 0.35 });
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
