// How source and target are shown, over the picture.
import { stageView, VIEWS, retargeting } from "./retarget";

export function StageBar() {
  const told = retargeting.value;
  return (
    <>
      <div class="tools" data-chrome role="toolbar" aria-label="stage">
        <div role="group" aria-label="show">
          {VIEWS.map((one) => (
            <button key={one} type="button" aria-pressed={stageView.value === one} onClick={() => (stageView.value = one)}>
              {one}
            </button>
          ))}
        </div>
      </div>
      {stageView.value !== "Match" && told !== null && (
        <p class="hint">
          {told.result !== null
            ? "Source and target. Look at both, then accept or reject."
            : told.why_not === ""
              ? "Press Retarget: the target will move as the source does."
              : ""}
        </p>
      )}
    </>
  );
}
