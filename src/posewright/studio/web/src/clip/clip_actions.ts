// What keys and buttons do with a clip.
import type { Action } from "../actions";
import { place } from "../api";
import { ask, run } from "../connection";
import { doc, selection } from "../store";
import { chosenKeys, markOnly } from "./chosen_keys";
import { before, clip, frame, keyFrames, keysHere, range, seek, setRange, showsClip, sourceGhost, togglePlay } from "./clip";
import { curvesOpen } from "./curves_data";
import { addPath, chosenSpan, subject } from "./spans";

const isOpen = () => clip.value !== null;
/** Frames whose keys are meant: those chosen, or the one shown. */
const keysMeant = () => (chosenKeys.value.length > 0 ? chosenKeys.value : keysHere.value.length > 0 ? [frame.value] : []);
const canPaste = () => showsClip.value && (doc.value?.copied_keys ?? 0) > 0;

/** What is pasted is chosen, for what is done next. */
async function paste(flipped: boolean): Promise<void> {
  const known = new Set(keyFrames.value);
  if (await ask({ kind: "paste_keys", frame: frame.value, flipped })) markOnly(keyFrames.value.filter((at) => !known.has(at)));
}

export const CLIP_ACTIONS: Action[] = [
  { name: "Play", key: "Space", can: isOpen, run: togglePlay },
  { name: "Previous frame", key: "ArrowLeft", can: isOpen, run: () => seek(frame.value - 1) },
  { name: "Next frame", key: "ArrowRight", can: isOpen, run: () => seek(frame.value + 1) },
  { name: "Ten frames back", key: "Shift+ArrowLeft", can: isOpen, run: () => seek(frame.value - 10) },
  { name: "Ten frames on", key: "Shift+ArrowRight", can: isOpen, run: () => seek(frame.value + 10) },
  { name: "Start of the range", key: "Home", can: isOpen, run: () => seek(range.value[0]) },
  { name: "End of the range", key: "End", can: isOpen, run: () => seek(range.value[1]) },
  {
    name: "Previous key",
    key: ",",
    can: () => keyFrames.value.some((one) => one < frame.value),
    run: () => seek(keyFrames.value.filter((one) => one < frame.value).pop()!),
  },
  {
    name: "Next key",
    key: ".",
    can: () => keyFrames.value.some((one) => one > frame.value),
    run: () => seek(keyFrames.value.find((one) => one > frame.value)!),
  },
  {
    name: "Delete the keys of the frame",
    key: "Delete",
    can: () => showsClip.value && keysMeant().length > 0,
    run: () => {
      const [at, ...also] = keysMeant();
      void run({ kind: "delete_key", frame: at!, also });
    },
  },
  {
    name: "Set a key of what is selected",
    key: "K",
    can: () => showsClip.value && selection.value !== null && place(selection.value.name) !== null,
    run: () => {
      const { name } = selection.value!;
      void run({ kind: "set_key", frame: frame.value, site: name, target: place(name)! });
    },
  },
  {
    name: "Path of what is selected",
    key: "P",
    can: () => subject.value !== null,
    run: () => void addPath(),
  },
  {
    name: "Add a knot to the path",
    key: "N",
    can: () => chosenSpan.value !== null && chosenSpan.value.knots.length > 0,
    run: () => void run({ kind: "add_knot", span: chosenSpan.value!.name, frame: frame.value }),
  },
  {
    name: "Copy the keys of the frame",
    key: "Ctrl+C",
    can: () => showsClip.value && keysMeant().length > 0 && getSelection()?.isCollapsed !== false,
    run: () => {
      const [at, ...also] = keysMeant();
      void ask({ kind: "copy_keys", frame: at!, also });
    },
  },
  {
    name: "Paste the keys",
    key: "Ctrl+V",
    can: canPaste,
    run: () => void paste(false),
  },
  {
    name: "Paste the keys flipped",
    key: "Ctrl+Shift+V",
    can: canPaste,
    run: () => void paste(true),
  },
  { name: "Curves", key: "C", can: isOpen, run: () => (curvesOpen.value = !curvesOpen.value) },
  { name: "Play from here", key: "I", can: isOpen, run: () => setRange(frame.value, Math.max(frame.value, range.value[1])) },
  { name: "Play to here", key: "O", can: isOpen, run: () => setRange(Math.min(frame.value, range.value[0]), frame.value) },
  { name: "Ghost of the source", key: "G", can: isOpen, run: () => (sourceGhost.value = !sourceGhost.value) },
  { name: "Before (held)", key: "B", can: () => showsClip.value, run: () => (before.value = true) },
];

addEventListener("keyup", (event) => {
  if (event.key.toLowerCase() === "b") before.value = false;
});
addEventListener("blur", () => (before.value = false));
