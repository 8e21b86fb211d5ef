// What buttons and keys do, in one place: name, key, whether it can be done now. Help and keyboard are made from this.
import { CLIP_ACTIONS } from "./clip/clip_actions";
import { ask, run } from "./connection";
import { MATCH_ACTIONS } from "./retarget/match_click";
import { place } from "./api";
import { chooseFiles } from "./room/opening";
import { doc, drawer, editing, files, helpOpen, menu, mode, MODES, scene, selectedGoal, selection, symmetric, tool } from "./store";
import { readOnly } from "./recording";
import { frameSelection } from "./viewport/framing";
import { addGoal } from "./goals/goal_menu";
import { keyOf } from "./key_maps";
import { holds, letGo } from "./hand";
import { clientPoint } from "./viewport/view";
import { lookFrom, lookNearer, switchOrthographic } from "./viewport/view_cube";

export interface Action {
  name: string;
  /** "Ctrl+Z", "R", "Delete"; `keyOf` says what it is in the map that was chosen. */
  key: string;
  can(): boolean;
  run(): void;
}

const always = () => true;

export const ACTIONS: Action[] = [
  ...MATCH_ACTIONS,
  ...CLIP_ACTIONS,
  {
    name: "Undo",
    key: "Ctrl+Z",
    can: () => doc.value?.undoes != null,
    run: () => void ask({ kind: "undo" }),
  },
  {
    name: "Close what is open over the page",
    key: "Escape",
    can: () => drawer.value !== "" || helpOpen.value,
    run: () => {
      drawer.value = "";
      helpOpen.value = false;
    },
  },
  {
    name: "Stop editing the clip",
    key: "Escape",
    can: () => editing.value.what !== "",
    run: () => void ask({ kind: "stop_editing" }),
  },
  {
    name: "Redo",
    key: "Ctrl+Shift+Z",
    can: () => doc.value?.redoes != null,
    run: () => void ask({ kind: "redo" }),
  },
  {
    name: "Open",
    key: "Ctrl+O",
    can: () => files.value !== null,
    run: chooseFiles,
  },
  {
    name: "Save",
    key: "Ctrl+S",
    can: () => files.value !== null,
    run: () => void ask({ kind: "save" }),
  },
  {
    name: "Save as",
    key: "Ctrl+Shift+S",
    can: () => files.value !== null,
    run: () => (drawer.value = "files"),
  },
  {
    name: "Export",
    key: "Ctrl+E",
    can: () => files.value !== null,
    run: () => (drawer.value = drawer.value === "export" ? "" : "export"),
  },
  {
    name: "Select",
    key: "Q",
    can: always,
    run: () => (tool.value = "select"),
  },
  {
    name: "Move",
    key: "W",
    can: always,
    run: () => (tool.value = "move"),
  },
  {
    name: "Turn",
    key: "E",
    can: always,
    run: () => (tool.value = "turn"),
  },
  {
    name: "Full body, limb, joint",
    key: "T",
    can: always,
    run: () => (mode.value = MODES[(MODES.indexOf(mode.value) + 1) % MODES.length]!),
  },
  {
    name: "Pin or unpin what is selected",
    key: "R",
    can: () => selection.value !== null,
    run: () => {
      const goal = selectedGoal.value;
      if (goal !== null) void run({ kind: "pin_goal", name: goal.name, pinned: !goal.pinned });
      else if (selection.value !== null) void addGoal("placement", selection.value.name, null, 1);
    },
  },
  {
    name: "Add a goal to what is selected",
    key: "A",
    can: () => selection.value !== null,
    run: () => {
      const at = selectedGoal.value?.site ?? selection.value!.name;
      const [x, y] = clientPoint(place(at) ?? [0, 0, 0]) ?? [300, 100];
      menu.value = { x, y, at, point: null };
    },
  },
  {
    name: "Delete the goal",
    key: "Delete",
    can: () => selectedGoal.value !== null,
    run: () => void run({ kind: "delete_goal", name: selectedGoal.value!.name }),
  },
  {
    name: "Live symmetry",
    key: "X",
    can: always,
    run: () => (symmetric.value = !symmetric.value),
  },
  {
    name: "Mirror pose",
    key: "M",
    can: () => doc.value !== null,
    run: () => void run({ kind: "mirror_pose" }),
  },
  {
    name: "Copy the pose",
    key: "Ctrl+C",
    can: () => doc.value !== null && getSelection()?.isCollapsed !== false,
    run: () => void ask({ kind: "copy_pose" }),
  },
  {
    name: "Paste the pose",
    key: "Ctrl+V",
    can: always,
    run: () => void ask({ kind: "paste_pose", flipped: false }),
  },
  {
    name: "Paste the pose flipped",
    key: "Ctrl+Shift+V",
    can: always,
    run: () => void ask({ kind: "paste_pose", flipped: true }),
  },
  {
    name: "Look from the front",
    key: "1",
    can: always,
    run: () => lookFrom("front"),
  },
  {
    name: "Look from the side",
    key: "3",
    can: always,
    run: () => lookFrom("left"),
  },
  {
    name: "Look from the top",
    key: "7",
    can: always,
    run: () => lookFrom("top"),
  },
  {
    name: "Orthographic or perspective",
    key: "5",
    can: always,
    run: switchOrthographic,
  },
  {
    name: "Look from nearer",
    key: "+",
    can: always,
    run: () => lookNearer(-1),
  },
  {
    name: "Look from farther",
    key: "-",
    can: always,
    run: () => lookNearer(1),
  },
  {
    name: "Frame the selection",
    key: "F",
    can: () => scene.value !== null,
    run: frameSelection,
  },
  {
    name: "Help",
    key: "?",
    can: always,
    run: () => (helpOpen.value = !helpOpen.value),
  },
];

/** What can be done where there is nothing to edit. */
const VIEWING = /^(Play|Previous frame|Next frame|Ten frames|Start of the range|End of the range|Play from|Play to|Look from|Orthographic|Frame the|Help)/;
export const actions = (): Action[] => (readOnly ? ACTIONS.filter((one) => VIEWING.test(one.name)) : ACTIONS);

export function action(name: string): Action {
  const found = ACTIONS.find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no action ${name}`);
  return found;
}

/** Where what is typed is text. */
const TEXT = "input:not([type=range], [type=checkbox]), textarea, select, [contenteditable]";
const OF_TEXT = new Set(["Ctrl+Z", "Ctrl+Shift+Z", "Ctrl+C", "Ctrl+V", "Ctrl+Shift+V"]);
/** A number that is as it was taken has nothing of its own to undo. */
const TAKEN = "select, [type=number]:not([data-typed])";
/** What a slider or a box does itself. */
const OF_SLIDERS = /^(Shift\+)?(Arrow|Home|End|Page|Space)/;

/** Whether a key is for the control that has the focus. */
function isOwn(keys: string, at: Element): boolean {
  if (!at.matches(TEXT)) return at.matches("input") && OF_SLIDERS.test(keys);
  if (!keys.startsWith("Ctrl+")) return true;
  return OF_TEXT.has(keys) && !(keys.endsWith("Z") && at.matches(TAKEN));
}

/** The keys of an event as `Action.key` writes them. */
function keysOf(event: KeyboardEvent): string {
  const key = event.key === " " ? "Space" : event.key.length === 1 ? event.key.toUpperCase() : event.key;
  const modified = event.ctrlKey || event.metaKey;
  // Of a sign such as ? the Shift is part of it.
  const shift = event.shiftKey && (key.length > 1 || key !== key.toLowerCase() || modified);
  return `${modified ? "Ctrl+" : ""}${event.altKey ? "Alt+" : ""}${shift ? "Shift+" : ""}${key}`;
}

export function listenToKeys(): void {
  const meant = (keys: string) => actions().find((one) => (keyOf(one) === keys || (keys === "Delete" && one.key === keys)) && one.can());
  const whileHeld = (event: KeyboardEvent) => {
    const keys = keysOf(event);
    if (!holds() || (keys.startsWith("Ctrl+") && meant(keys) === undefined && keys !== "Ctrl+Z")) return; // the browser's own
    event.preventDefault();
    event.stopImmediatePropagation();
    if (keys === "Escape" || keys === "Ctrl+Z") letGo();
  };
  addEventListener("keydown", whileHeld, { capture: true });
  addEventListener("keydown", (event) => {
    const at = event.target;
    const keys = keysOf(event);
    const found = meant(keys);
    if (found === undefined || event.defaultPrevented || (at instanceof Element && isOwn(keys, at))) return;
    if (at instanceof HTMLButtonElement && keys === "Space") {
      if (at.matches(":focus-visible")) return; // the button's own
      at.blur(); // after a click it would be pressed again
    }
    event.preventDefault();
    found.run();
  });
}
