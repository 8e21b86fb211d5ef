// What buttons and keys do, in one place: name, key, whether it can be done now. Help and keyboard are made from this.
import { ask, run } from "./connection";
import { doc, selectedGoal, selection } from "./store";

export interface Action {
  name: string;
  /** As shown in the help: "Ctrl+Z", "R", "Delete". */
  key: string;
  can(): boolean;
  run(): void;
}

export const ACTIONS: Action[] = [
  {
    name: "Undo",
    key: "Ctrl+Z",
    can: () => doc.value?.undoes != null,
    run: () => void ask({ kind: "undo" }),
  },
  {
    name: "Redo",
    key: "Ctrl+Shift+Z",
    can: () => doc.value?.redoes != null,
    run: () => void ask({ kind: "redo" }),
  },
  {
    name: "Pin or unpin the goal",
    key: "R",
    can: () => selectedGoal.value !== null,
    run: () => {
      const goal = selectedGoal.value!;
      void run({ kind: "pin_goal", name: goal.name, pinned: !goal.pinned });
    },
  },
  {
    name: "Delete the goal",
    key: "Delete",
    can: () => selectedGoal.value !== null,
    run: () => {
      void run({ kind: "delete_goal", name: selectedGoal.value!.name });
      selection.value = null;
    },
  },
];

export function action(name: string): Action {
  const found = ACTIONS.find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no action ${name}`);
  return found;
}

/** The keys of an event as `Action.key` writes them. */
function keysOf(event: KeyboardEvent): string {
  const key = event.key.length === 1 ? event.key.toUpperCase() : event.key;
  const modified = event.ctrlKey || event.metaKey;
  // Of a sign such as ? the Shift is part of it.
  const shift = event.shiftKey && (key.length > 1 || key !== key.toLowerCase() || modified);
  return `${modified ? "Ctrl+" : ""}${event.altKey ? "Alt+" : ""}${shift ? "Shift+" : ""}${key}`;
}

export function listenToKeys(): void {
  addEventListener("keydown", (event) => {
    const at = event.target;
    const typing = at instanceof HTMLElement && at.matches("input, textarea, select, [contenteditable]");
    const keys = keysOf(event);
    const found = ACTIONS.find((one) => one.key === keys);
    if (found === undefined || event.defaultPrevented || (typing && !keys.startsWith("Ctrl+"))) return;
    if (typing && (keys === "Ctrl+Z" || keys === "Ctrl+Shift+Z")) return; // the field's own undo
    event.preventDefault();
    if (found.can()) found.run();
  });
}
