// What is retargeted, to whom, and go.
import { ask, run } from "../connection";
import { Choice } from "../controls/choice";
import type { ChoiceInfo } from "../protocol";
import { retargeting, stageView } from "../retarget/retarget";
import type { Panel } from "../room/panel";

function Body() {
  const told = retargeting.value;
  if (told === null) return <p class="empty">Loading.</p>;
  const name = (choices: ChoiceInfo[]) => (id: string) => choices.find((one) => one.id === id)?.name ?? id;
  const ids = (choices: ChoiceInfo[]) => choices.map((one) => one.id);
  return (
    <>
      <Choice
        label="source"
        value={told.source}
        options={ids(told.sources)}
        shown={name(told.sources)}
        change={(source) => void run({ kind: "set_retargeting", source })}
      />
      <Choice
        label="target"
        value={told.target}
        options={ids(told.targets)}
        shown={name(told.targets)}
        change={(target) => void run({ kind: "set_retargeting", target })}
      />
      <p class="buttons">
        <button type="button" class="main" disabled={told.running} onClick={go}>
          Retarget
        </button>
        {told.running && (
          <button type="button" onClick={() => void ask({ kind: "stop_retarget" })}>
            Stop
          </button>
        )}
      </p>
      {told.running && (
        <p class="line">
          <progress aria-label="frames retargeted" max={told.frames} value={told.done} />
          <span>
            {told.done} of {told.frames}
          </span>
        </p>
      )}
      {told.why_not !== "" && <p class="why">{told.why_not}</p>}
    </>
  );
}

/** The answer is shown in motion, also where the match was looked at. */
function go(): void {
  if (stageView.value === "Match") stageView.value = "Side by side";
  void ask({ kind: "retarget" });
}

export const retargetRun: Panel = { title: "Source and target", body: Body };
