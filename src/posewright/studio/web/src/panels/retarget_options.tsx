// How it is retargeted.
import { run } from "../connection";
import { Choice } from "../controls/choice";
import { NumberField } from "../controls/number_field";
import { Switch } from "../controls/switch";
import type { OptionsInfo } from "../protocol";
import { retargeting } from "../retarget/retarget";
import type { Panel } from "../room/panel";

const USUAL = 0.001; // of imitation
const LEAST = -4; // its powers of ten

function set(options: Partial<OptionsInfo>): void {
  void run({ kind: "set_retarget_options", options });
}

function Body() {
  const told = retargeting.value;
  if (told === null) return <p class="empty">Nothing to retarget yet.</p>;
  const { options } = told;
  return (
    <>
      <Line label="plant the feet" title="Feet rest where the source's rest" name="feet" on={options.feet} />
      <Line label="keep hands together" title="Hands that are near each other keep their exact distance; off: only as far as the arms allow easily" name="hands" on={options.hands} />
      <Line label="let bones slide" title="Joints below the root may slide" name="slides" on={options.slides} />
      {told.states_speeds && (
        <Line label="keep speed limits" title="Those of the target's file" name="speed_limits" on={options.speed_limits} />
      )}
      <label class="slider" title="From hands and head at their targets (0) to a copy of the posture (1)">
        <span>imitation</span>
        <input
          type="range"
          aria-label="imitation"
          aria-valuetext={String(options.imitation ?? USUAL)}
          min={LEAST}
          max={0}
          step={0.25}
          value={Math.max(LEAST, Math.log10(options.imitation ?? USUAL))}
          onChange={(event) => set({ imitation: Number((10 ** event.currentTarget.valueAsNumber).toPrecision(4)) })}
        />
        <output>{(options.imitation ?? USUAL).toPrecision(2)}</output>
      </label>
      <NumberField label="jerk allowed" unit="×" step={0.05} min={0} value={options.smooth} change={(smooth) => set({ smooth })} />
      <Optional label="scale of the path" name="scale" unit="×" value={options.scale} first={1} />
      <Optional label="height of the floor" name="floor" unit="m" value={options.floor} first={0} />
      <Choice
        label="solver"
        value={options.solver}
        options={told.solvers}
        shown={(name) => name.replaceAll("_", " ")}
        change={(solver) => set({ solver })}
      />
    </>
  );
}

function Line({ label, title, name, on }: { label: string; title: string; name: keyof OptionsInfo; on: boolean }) {
  return (
    <p class="line" title={title}>
      <span>{label}</span>
      <Switch label={label} on={on} change={(next) => set({ [name]: next })} />
    </p>
  );
}

/** A number that is found unless it is given. */
function Optional(props: { label: string; name: "scale" | "floor"; unit: string; value: number | null; first: number }) {
  return (
    <>
      <p class="line">
        <span>find the {props.label}</span>
        <Switch
          label={`find the ${props.label}`}
          on={props.value === null}
          change={(found) => set({ [props.name]: found ? null : props.first })}
        />
      </p>
      {props.value !== null && (
        <NumberField
          label={props.label}
          unit={props.unit}
          step={0.01}
          value={props.value}
          change={(value) => set({ [props.name]: value })}
        />
      )}
    </>
  );
}

export const retargetOptions: Panel = { title: "Options", body: Body };
