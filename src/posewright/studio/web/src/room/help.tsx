// The help overlay: every key by theme, from the actions themselves, and which map of keys is used.
import { useLayoutEffect, useRef } from "preact/hooks";
import { actions, type Action } from "../actions";
import { CLIP_ACTIONS } from "../clip/clip_actions";
import { Choice } from "../controls/choice";
import { chooseKeyMap, KEY_MAPS, keyMap, keyOf, shownKey } from "../key_maps";
import { readOnly } from "../recording";
import { MATCH_ACTIONS } from "../retarget/match_click";
import { helpOpen } from "../store";

type Line = [key: string, does: string];

const GESTURES: Line[] = [
  ["Drag the body", "A goal, or a key of a clip, is made there; the rest follows"],
  ["Right-click it", "Goals of every kind"],
  ["Double-click it", "Select a joint with those below it"],
  ["Drag beside it", "Turn the camera; with Shift or the right button shift it; the wheel zooms"],
  ["Arrows", "Move the focused handle by 1 cm (with Shift by 10), a gizmo along or about its axis, or the camera"],
  ["Escape", "Cancel a drag, close a menu, stop an edit"],
];

const LOOKING: Line[] = [
  ["Drag", "Turn the camera; with Shift or the right button shift it; the wheel zooms"],
  ["Click the body", "Select a joint"],
];

const FILES = ["Undo", "Redo", "Open", "Save", "Save as", "Export", "Help", "Close what is open over the page"];
const VIEW = /^(Look from|Orthographic|Frame the)/;

function theme(action: Action): string {
  if (CLIP_ACTIONS.includes(action)) return "Clip";
  if (MATCH_ACTIONS.includes(action)) return "Match";
  if (FILES.includes(action.name)) return "Session";
  return VIEW.test(action.name) ? "View" : "Pose";
}

function groups(): Map<string, Line[]> {
  const found = new Map<string, Line[]>([["Mouse", readOnly ? LOOKING : GESTURES]]);
  for (const title of ["Pose", "View", "Session", "Clip", "Match"]) {
    const lines = actions().filter((one) => theme(one) === title).map((one): Line => [shownKey(keyOf(one)), one.name]);
    if (lines.length > 0) found.set(title, lines);
  }
  return found;
}

export function Help() {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (helpOpen.value) box.current?.focus();
  }, [helpOpen.value]);
  if (!helpOpen.value) return null;
  const close = () => (helpOpen.value = false);
  return (
    <section class="help" role="dialog" aria-label="keys" tabIndex={-1} ref={box} onKeyDown={(event) => event.key === "Escape" && close()}>
      <header>
        <h2>Mouse and keys</h2>
        {!readOnly && <Choice label="key map" value={keyMap.value} options={[...KEY_MAPS]} change={(map) => chooseKeyMap(map as (typeof KEY_MAPS)[number])} />}
        <button type="button" aria-label="Close help" onClick={close}>
          ×
        </button>
      </header>
      <div class="themes">
        {[...groups()].map(([title, lines]) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {lines.map(([key, does]) => (
                <div key={does}>
                  <dt>
                    <kbd>{key}</kbd>
                  </dt>
                  <dd>{does}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </section>
  );
}
