// What designs are spliced from: a database that was opened, or the postures of clips.
import { useSignal } from "@preact/signals";
import { ask, run } from "../connection";
import { design } from "../design/design";
import type { Panel } from "../room/panel";

function Body() {
  const told = design.value;
  const open = useSignal(false);
  const ticked = useSignal<string[] | null>(null);
  if (told === null) return <p class="empty">Loading.</p>;
  const likely = told.chosen.length > 0 ? told.chosen : told.clips.filter((one) => one.id === "open").map((one) => one.id);
  const chosen = ticked.value ?? likely;
  const choosing = open.value || told.postures === "";
  const tick = (id: string, on: boolean) => (ticked.value = on ? [...chosen, id] : chosen.filter((one) => one !== id));
  return (
    <>
      <p>{told.postures === "" ? "No postures yet. Open a .postures.npz, or collect those of clips:" : told.postures}</p>
      {told.postures !== "" && told.chosen.length === 0 && <p class="empty">{told.file}</p>}
      {choosing && (
        <fieldset class="ticks">
          <legend>clips</legend>
          {told.clips.map(({ id, name }) => (
            <label key={id}>
              <input type="checkbox" checked={chosen.includes(id)} onChange={(event) => tick(id, event.currentTarget.checked)} /> {name}
            </label>
          ))}
        </fieldset>
      )}
      <p class="buttons">
        {choosing ? (
          <button
            type="button"
            class="main"
            disabled={told.collecting || chosen.length === 0}
            onClick={() => {
              open.value = false;
              void ask({ kind: "collect_postures", clips: chosen });
            }}
          >
            Collect postures
          </button>
        ) : (
          <button type="button" onClick={() => (open.value = true)}>
            Other clips
          </button>
        )}
        {told.collecting && (
          <button type="button" onClick={() => void ask({ kind: "stop_collecting" })}>
            Stop
          </button>
        )}
        {told.file !== "" && told.chosen.length > 0 && (
          <button type="button" onClick={() => void run({ kind: "use_postures", clips: [] })}>
            Use {told.file}
          </button>
        )}
      </p>
      {told.collecting && <progress aria-label="clips read" max={told.total} value={told.done} />}
      {told.why_not !== "" && <p class="why">{told.why_not}</p>}
    </>
  );
}

export const posturesPanel: Panel = { title: "Postures", body: Body };
