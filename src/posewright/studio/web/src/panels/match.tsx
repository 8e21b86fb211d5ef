// The match as a list: parts of the body, the joints that are them, and how sure that is.
import { run } from "../connection";
import type { PartInfo } from "../protocol";
import { confidenceLook, DOUBTFUL } from "../retarget/match_overlay";
import { picked, retargeting, stageView } from "../retarget/retarget";
import type { Panel } from "../room/panel";
import { shownJoint } from "../units";

function Body() {
  const parts = retargeting.value?.parts ?? [];
  if (parts.length === 0) return <p class="empty">Nothing to match yet.</p>;
  const doubtful = parts.filter((one) => !one.corrected && one.confidence > 0 && one.confidence < DOUBTFUL).length;
  const corrected = parts.filter((one) => one.corrected).length;
  return (
    <>
      <p class="empty">
        {parts.filter((one) => one.confidence > 0).length} parts matched
        {doubtful > 0 && `, ${doubtful} doubtful`}
        {corrected > 0 && `, ${corrected} by hand`}
      </p>
      <p class="buttons">
        <button type="button" onClick={() => (stageView.value = "Match")}>
          Correct
        </button>
        <button type="button" disabled={corrected === 0} title="Without corrections" onClick={() => void run({ kind: "find_match" })}>
          Find again
        </button>
      </p>
      <div role="table" aria-label="match">
        {parts.map((one) => (
          <Row key={one.part} part={one} />
        ))}
      </div>
    </>
  );
}

function Row({ part }: { part: PartInfo }) {
  const chosen = picked.value !== null && "part" in picked.value && picked.value.part === part.part;
  const name = part.part.replaceAll("_", " ");
  const joints = (all: string[]) => {
    const names = all.map(shownJoint);
    return names.length === 0 ? "none" : names.length > 2 ? `${names[0]} … ${names.at(-1)}` : names.join(", ");
  };
  const missing = part.confidence === 0;
  const sure = part.corrected ? "by hand" : missing ? (part.essential ? "missing" : "left out") : `${Math.round(100 * part.confidence)} %`;
  const choose = () => {
    picked.value = chosen ? null : { part: part.part };
    stageView.value = "Match";
  };
  return (
    <div class={`pair ${confidenceLook(part)} ${missing && part.essential ? "missing" : ""} ${chosen ? "chosen" : ""}`} role="row" aria-label={`part ${name}`}>
      <span role="cell">
        <button type="button" aria-pressed={chosen} title={`${part.source.join(", ")} → ${part.target.join(", ")}`} onClick={choose}>
          {name}
        </button>
      </span>
      <span role="cell" class="sure">
        {sure}
        {(part.source.length > 0 || part.target.length > 0) && (
          <button type="button" aria-label="clear" title="Leave this part out" onClick={() => void run({ kind: "clear_part", part: part.part })}>
            ×
          </button>
        )}
      </span>
      <span role="cell" class="joints">
        {joints(part.source)} → {joints(part.target)}
      </span>
    </div>
  );
}

export const match: Panel = { title: "Joint match", body: Body };
