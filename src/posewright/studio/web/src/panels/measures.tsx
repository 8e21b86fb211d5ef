// The answer: its measures beside the source's, what is doubtful, and whether it is taken.
import { ask } from "../connection";
import { seek } from "../clip/clip";
import type { MeasureInfo } from "../protocol";
import { retargeting, stageView } from "../retarget/retarget";
import type { Panel } from "../room/panel";
import { tab } from "../store";

function Body() {
  const result = retargeting.value?.result ?? null;
  if (result === null) {
    return <p class="empty">After a retarget, this shows the measures of the result next to the source's, judged as by posewright check.</p>;
  }
  return (
    <>
      <p>{result.sentence}</p>
      <p class="buttons">
        <button type="button" class="main" title="Edit this clip" onClick={accept}>
          Accept
        </button>
        <button type="button" onClick={() => void ask({ kind: "drop_retarget" })}>
          Reject
        </button>
      </p>
      {result.warnings.map((warning) => (
        <p key={warning} class="why">
          {warning}
        </p>
      ))}
      <table class="answers measures" aria-label="measures">
        <thead>
          <tr>
            <th scope="col">measure</th>
            <th scope="col">value</th>
            <th scope="col">source</th>
          </tr>
        </thead>
        <tbody>
          {result.measures.map((one) => (
            <Row key={one.name} measure={one} />
          ))}
        </tbody>
      </table>
      <p class="empty">Solved in {result.seconds < 0.95 ? `${Math.round(1000 * result.seconds)} ms` : `${result.seconds.toFixed(1)} s`}.</p>
    </>
  );
}

/** It is edited from now on. */
function accept(): void {
  void ask({ kind: "take_retarget" }).then((taken) => {
    if (taken) tab.value = "Edit";
  });
}

function Row({ measure }: { measure: MeasureInfo }) {
  const { name, unit, value, source, bound, passed, frame } = measure;
  const limit = bound === null ? "not judged" : `at most ${shown(bound, unit)} ${SMALL[unit] ?? unit}`;
  const label = name.replaceAll(".", " ");
  return (
    <tr class={passed === false ? "broken" : ""} title={`${label}: ${limit}`}>
      <th scope="row">
        {frame === null ? (
          label
        ) : (
          <button
            type="button"
            title={`${limit}; worst at frame ${frame}`}
            onClick={() => {
              if (stageView.value === "Match") stageView.value = "Side by side";
              seek(frame);
            }}
          >
            {label}
          </button>
        )}
        {unit !== "" && <span class="unit"> {SMALL[unit] ?? unit}</span>}
        {passed === false && <em> broken</em>}
      </th>
      <td>{shown(value, unit)}</td>
      <td>{source === null ? "" : shown(source, unit)}</td>
    </tr>
  );
}

/** Lengths are small: in millimetres. */
const SMALL: Record<string, string> = { m: "mm", "m/s": "mm/s" };

/** Three digits, and zero for what nobody sees. */
function shown(value: number, unit: string): string {
  const scaled = unit in SMALL ? 1000 * value : value;
  if (Math.abs(scaled) < 0.005) return "0";
  return Math.abs(scaled) >= 100 ? scaled.toFixed(0) : Number(scaled.toFixed(Math.abs(scaled) < 10 ? 2 : 1)).toString();
}

export const measures: Panel = { title: "Measures", body: Body };
