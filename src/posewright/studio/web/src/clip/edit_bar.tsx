// Tools over the picture of a clip: what is made of the joint or site that is selected.
import { action } from "../actions";
import { addPath, hold, subject } from "./spans";

const HOLDS = [
  ["position", "Hold place"],
  ["orientation", "Hold turn"],
  ["aim", "Aim"],
] as const;

export function EditBar() {
  const of = subject.value;
  const about = of === null ? "Select a part of the body first" : of;
  return (
    <div class="tools" data-chrome role="toolbar" aria-label="tools">
      <div role="group" aria-label="make">
        <button
          type="button"
          disabled={of === null}
          title={`${about}: key it in place at this frame (K)`}
          onClick={() => action("Set a key of what is selected").run()}
        >
          Key
        </button>
        <button
          type="button"
          disabled={of === null}
          title={`${about}: its path over the play range, or a second, with knots to drag (P)`}
          onClick={() => void addPath()}
        >
          Path
        </button>
        {HOLDS.map(([what, label]) => (
          <button
            key={what}
            type="button"
            disabled={of === null}
            title={`${about}: ${what === "aim" ? "points at something, to be dragged" : "stays as it is at this frame"}, over the play range, or a second`}
            onClick={() => void hold(what)}
          >
            {label}
          </button>
        ))}
      </div>
      {of !== null && <p class="of">{of}</p>}
    </div>
  );
}
