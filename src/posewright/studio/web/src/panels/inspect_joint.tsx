// A joint or a site in the inspector.
import { place } from "../api";
import { run } from "../connection";
import { NameField } from "../controls/name_field";
import { NumberField } from "../controls/number_field";
import { doc, menu, pose, scene, select } from "../store";
import { addGoal } from "../goals/goal_menu";

const DEGREES = 180 / Math.PI;

export function OfJoint({ name }: { name: string }) {
  const joints = scene.value?.joints ?? [];
  const joint = joints.find((one) => one.name === name);
  if (joint === undefined) return <p class="empty">Select a goal, a joint or a site.</p>;
  const first = joints.slice(0, joints.indexOf(joint)).reduce((sum, one) => sum + one.dofs.length, 0);
  return (
    <>
      <h3>{name}</h3>
      <dl class="facts">
        <dt>moves</dt>
        <dd>{joint.segment}</dd>
        {pose.value?.atLimit[joints.indexOf(joint)] ? (
          <>
            <dt>limit</dt>
            <dd>reached</dd>
          </>
        ) : null}
      </dl>
      <Place name={name} />
      <Buttons name={name} />
      {joint.dofs.length > 0 && (
        <label class="slider">
          <span>rigidity</span>
          <input
            type="range"
            min={0}
            max={1}
            step={0.05}
            value={joint.rigidity}
            aria-valuetext={`${Math.round(100 * joint.rigidity)} %`}
            onChange={(event) =>
              void run({ kind: "set_rigidity", joint: name, rigidity: event.currentTarget.valueAsNumber })
            }
          />
          <output>{Math.round(100 * joint.rigidity)} %</output>
        </label>
      )}
      <div class="dofs">
        {joint.dofs.map((dof, k) => {
          const factor = dof.unit === "rad" ? DEGREES : 1;
          return (
            <NumberField
              key={dof.name}
              label={dof.name.slice(name.length + 1)}
              unit={dof.unit === "rad" ? "°" : "m"}
              step={dof.unit === "rad" ? 1 : 0.01}
              value={Number(((doc.value?.dof_values[first + k] ?? 0) * factor).toFixed(3))}
              change={(value) => {
                const inside = Math.min(dof.upper ?? Infinity, Math.max(dof.lower ?? -Infinity, value / factor));
                void run({ kind: "set_dofs", values: { [dof.name]: inside } });
              }}
            />
          );
        })}
      </div>
    </>
  );
}

export function OfSite({ name }: { name: string }) {
  return (
    <>
      <h3>{name}</h3>
      {doc.value?.sites.find((site) => site.name === name)?.made && <NameField name={name} rename={(to) => rename(name, to)} />}
      <Place name={name} />
      <Buttons name={name} />
    </>
  );
}

async function rename(site: string, to: string): Promise<boolean> {
  if (!(await run({ kind: "rename_site", site, to }))) return false;
  select("site", to);
  return true;
}

function Buttons({ name }: { name: string }) {
  return (
    <p class="buttons">
      <button
        type="button"
        aria-haspopup="menu"
        onClick={(event) => {
          const box = event.currentTarget.getBoundingClientRect();
          menu.value = { x: box.left, y: box.bottom, at: name, point: null };
        }}
      >
        Add goal
      </button>
      <button type="button" title="Pin it in place, before all other goals (R)" onClick={() => void addGoal("placement", name, null, 1)}>
        Pin
      </button>
    </p>
  );
}

function Place({ name }: { name: string }) {
  const at = place(name);
  return <p class="place">{at === null ? "" : at.map((value) => value.toFixed(3)).join("  ")} m</p>;
}
