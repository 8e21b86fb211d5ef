// The help overlay: every key, from the actions themselves.
import { useLayoutEffect, useRef } from "preact/hooks";
import { actions } from "../actions";
import { readOnly } from "../recording";
import { helpOpen } from "../store";

const GESTURES: [string, string][] = [
  ["Drag the body", "A goal is made there, and the rest follows"],
  ["Right-click the body", "Goals of every kind"],
  ["Double-click the body", "Select a joint with those below it"],
  ["Drag beside it", "Turn the camera; with Shift or the right button shift it; the wheel zooms"],
  ["Arrows", "Move the focused handle by 1 cm (with Shift by 10); a gizmo along or about its axis; turn the camera of the focused view"],
  ["Escape", "Cancel a drag, close a menu"],
];

const LOOKING: [string, string][] = [
  ["Drag", "Turn the camera; with Shift or the right button shift it; the wheel zooms"],
  ["Click the body", "Select a joint"],
];

export function Help() {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (helpOpen.value) box.current?.focus();
  }, [helpOpen.value]);
  if (!helpOpen.value) return null;
  const close = () => (helpOpen.value = false);
  return (
    <section class="help" role="dialog" aria-label="keys" tabIndex={-1} ref={box} onKeyDown={(event) => event.key === "Escape" && close()}>
      <button type="button" class="close" aria-label="Close help" onClick={close}>
        ×
      </button>
      <dl>
        {[...(readOnly ? LOOKING : GESTURES), ...actions().map((one) => [one.key, one.name] as const)].map(([key, name]) => (
          <div key={name}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{name}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
