// Which keys do what: our own, or those that Blender's users have in their hands.
import { signal } from "@preact/signals";
import type { Action } from "./actions";

export const KEY_MAPS = ["Posewright", "Blender"] as const;
export type KeyMap = (typeof KEY_MAPS)[number];

/** By name of an action, where Blender has another key for it. */
const BLENDER: Record<string, string> = {
  Select: "W",
  Move: "G",
  Turn: "R",
  "Pin or unpin what is selected": "Shift+P",
  "Add a goal to what is selected": "Shift+A",
  "Delete the goal": "X",
  "Delete the keys of the frame": "X",
  "Live symmetry": "Shift+X",
  "Mirror pose": "Ctrl+M",
  "Frame the selection": ".",
  "Set a key of what is selected": "I",
  "Previous key": "ArrowDown",
  "Next key": "ArrowUp",
  "Ten frames back": "PageDown",
  "Ten frames on": "PageUp",
  "Start of the range": "Shift+ArrowLeft",
  "End of the range": "Shift+ArrowRight",
  "Play from here": "Ctrl+Home",
  "Play to here": "Ctrl+End",
  "Ghost of the source": "Shift+G",
  Help: "F1",
};

const STORED = "posewright-keys";

function stored(): KeyMap {
  try {
    return localStorage.getItem(STORED) === "Blender" ? "Blender" : "Posewright";
  } catch {
    return "Posewright"; // pages from the disk may have no storage
  }
}

export const keyMap = signal<KeyMap>(stored());

export function chooseKeyMap(map: KeyMap): void {
  keyMap.value = map;
  try {
    localStorage.setItem(STORED, map);
  } catch {
    // it is chosen until the page is closed
  }
}

/** The key of an action in the map that was chosen. */
export const keyOf = (action: Action): string => (keyMap.value === "Blender" ? BLENDER[action.name] : undefined) ?? action.key;

const SIGNS: Record<string, string> = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", ",": ", (comma)", ".": ". (full stop)" };

/** As it is printed. */
export const shownKey = (key: string): string => {
  const last = key.split("+").pop()!;
  return key.slice(0, key.length - last.length).replaceAll("+", " ") + (SIGNS[last] ?? last);
};
