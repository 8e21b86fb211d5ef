// Handles of the keys of the frame shown, and of the point that is being dragged.
import { useAfterDraw } from "../viewport/after_draw";
import { run } from "../connection";
import type { KeyInfo } from "../protocol";
import type { Vec3 } from "../store";
import { shownError } from "../units";
import { nudged } from "../viewport/nudge";
import type { View } from "../viewport/view";
import { frame, keysHere, showsClip } from "./clip";
import { heldKey } from "./key_drag";

export function KeyHandles({ view }: { view: View }) {
  const layer = useAfterDraw(view, place);
  const held = heldKey.value;
  return (
    <div class="handles" ref={layer}>
      {showsClip.value &&
        keysHere.value.map((key) => (
          <button
            key={key.site}
            type="button"
            class={`handle key ${key.reached ? "" : "missed"}`}
            data-key={key.site}
            aria-label={`key ${key.site}`}
            title={`${key.site}, missed by ${shownError(key.error, "m")}`}
            onKeyDown={(event) => nudge(event, key, view)}
          />
        ))}
      {held !== null && held.point !== null && <span class="handle held" data-held />}
    </div>
  );
}

function place(layer: HTMLElement | null, view: View): void {
  if (layer === null) return;
  const corner = layer.getBoundingClientRect();
  const held = heldKey.value;
  for (const element of layer.children) {
    if (!(element instanceof HTMLElement)) continue;
    const site = element.dataset["key"];
    const moved = held !== null && (site === undefined || (held.point === null && held.site === site));
    const target = moved ? held.target : keysHere.value.find((key) => key.site === site)?.target;
    const at = target === undefined ? null : view.clientPoint(target);
    element.hidden = at === null;
    if (at !== null) element.style.translate = `${at[0] - corner.left}px ${at[1] - corner.top}px`;
  }
}

/** Arrows move the key in the plane of the camera; Delete removes it. */
function nudge(event: KeyboardEvent, key: KeyInfo, view: View): void {
  const at = frame.value;
  const move = (target: Vec3) => run({ kind: "set_key", frame: at, site: key.site, target });
  if (nudged(event, `key ${at} ${key.site}`, key.target, view, move)) event.preventDefault();
  else if (event.key === "Delete") void run({ kind: "delete_key", frame: key.frame, site: key.site });
  else return;
  event.preventDefault();
}
