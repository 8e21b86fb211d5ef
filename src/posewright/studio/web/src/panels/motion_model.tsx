// What the clip is edited in: joint space, or a motion model that is fitted from clips.
import { useSignal } from "@preact/signals";
import { clip } from "../clip/clip";
import { modelling } from "../clip/modelling";
import { ask, run } from "../connection";
import { Choice } from "../controls/choice";
import { NumberField } from "../controls/number_field";
import { Switch } from "../controls/switch";
import type { ModelInfo, Modelling } from "../protocol";
import type { Panel } from "../room/panel";

function Body() {
  const told = modelling.value;
  if (clip.value === null || told === null) return <p class="empty">No clip is open.</p>;
  const { model, in_model } = told;
  return (
    <>
      <p class="buttons" role="group" aria-label="edit in">
        <button type="button" aria-pressed={!in_model} onClick={() => void run({ kind: "set_editing", in_model: false })}>
          Joint space
        </button>
        <button
          type="button"
          aria-pressed={in_model}
          disabled={model === null}
          title={model === null ? "Fit a model first, or open a .model.npz" : "One key changes the whole clip, as the model's clips vary"}
          onClick={() => void run({ kind: "set_editing", in_model: true })}
        >
          Model
        </button>
      </p>
      {model !== null && <About model={model} />}
      {in_model && <Options told={told} />}
      <Fit told={told} />
    </>
  );
}

const percent = (share: number) => `${+(100 * share).toFixed(1)} %`;

function About({ model }: { model: ModelInfo }) {
  const largest = Math.max(...model.shares, 1e-9);
  return (
    <>
      <p>
        {model.name !== "" && `${model.name}: `}
        {model.modes} {model.modes === 1 ? "mode explains" : "modes explain"} {percent(model.explained)} of {model.clips.length}{" "}
        {model.clips.length === 1 ? "clip" : "clips"}
      </p>
      <div class="modes" role="img" aria-label={`variance by mode: ${model.shares.map(percent).join(", ")}`}>
        {model.shares.map((share, k) => (
          <i key={k} title={`mode ${k + 1}: ${percent(share)}`} style={{ height: `${(100 * share) / largest}%` }} />
        ))}
      </div>
      {model.warnings.map((one) => (
        <p key={one} class="why">
          {one}
        </p>
      ))}
    </>
  );
}

function Options({ told }: { told: Modelling }) {
  return (
    <fieldset class="shape">
      <legend>in the model</legend>
      <Choice
        label="hold contacts"
        value={told.hold_contacts}
        options={["usual", "on", "off"]}
        change={(value) => void run({ kind: "set_editing", hold_contacts: value as Modelling["hold_contacts"] })}
      />
      <p class="line">
        keep detail <Switch label="keep detail" on={told.keep_detail} change={(on) => void run({ kind: "set_editing", keep_detail: on })} />
      </p>
      <p class="line">
        look at limits <Switch label="look at limits" on={told.limits} change={(on) => void run({ kind: "set_editing", limits: on })} />
      </p>
      <NumberField
        label="max deviation"
        unit="σ"
        step={0.5}
        min={0}
        value={told.max_deviation}
        change={(value) => void run({ kind: "set_editing", max_deviation: value })}
      />
    </fieldset>
  );
}

function Fit({ told }: { told: Modelling }) {
  const ticked = useSignal<string[]>([]);
  const variance = useSignal(98);
  const open = useSignal<boolean | null>(null);
  const shown = open.value ?? told.model === null;
  const tick = (id: string, on: boolean) => (ticked.value = on ? [...ticked.value, id] : ticked.value.filter((one) => one !== id));
  const chosen = ticked.value.filter((id) => told.clips.some((one) => one.id === id));
  return (
    <fieldset class="shape">
      <legend>fit a model from clips of one activity</legend>
      {shown ? (
        <>
          <div class="ticks">
            {told.clips.map(({ id, name }) => (
              <label key={id}>
                <input type="checkbox" checked={chosen.includes(id)} onChange={(event) => tick(id, event.currentTarget.checked)} /> {name}
              </label>
            ))}
          </div>
          <NumberField
            label="explained variance"
            unit="%"
            step={1}
            min={1}
            max={100}
            value={variance.value}
            change={(value) => (variance.value = value)}
          />
        </>
      ) : null}
      <p class="buttons">
        {shown ? (
          <button
            type="button"
            class="main"
            disabled={told.fitting || chosen.length === 0}
            onClick={() => {
              open.value = null;
              void ask({ kind: "fit_model", clips: chosen, explained_variance: variance.value / 100 });
            }}
          >
            Fit model
          </button>
        ) : (
          <button type="button" onClick={() => (open.value = true)}>
            Fit another
          </button>
        )}
        {told.fitting && (
          <button type="button" onClick={() => void ask({ kind: "stop_fitting" })}>
            Stop
          </button>
        )}
      </p>
      {told.fitting && <progress aria-label="clips read" max={told.total} value={told.done} />}
      {told.why_not !== "" && <p class="why">{told.why_not}</p>}
    </fieldset>
  );
}

export const motionModel: Panel = { title: "Motion model", body: Body };
