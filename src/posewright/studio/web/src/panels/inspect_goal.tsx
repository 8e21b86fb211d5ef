// A goal in the inspector: its fields as a task file has them, each by a control of its kind.
import { run } from "../connection";
import { Choice } from "../controls/choice";
import { NameField } from "../controls/name_field";
import { NumberField } from "../controls/number_field";
import { PointField } from "../controls/point_field";
import { Switch } from "../controls/switch";
import { doc, goals, scene, select, type Goal, type Vec3 } from "../store";
import { shownError } from "../units";

const POINTS = ["target", "point"];
const DIRECTIONS = ["x", "y", "direction", "normal", "axis"];
const NUMBERS: Record<string, { unit?: string; step: number; min: number; max?: number }> = {
  distance: { unit: "m", step: 0.01, min: 0.001 },
  position_share: { step: 0.05, min: 0, max: 1 },
  radius: { unit: "m/rad", step: 0.05, min: 0.001 },
};

export function OfGoal({ name }: { name: string }) {
  const goal = goals.value.find((one) => one.name === name);
  if (goal === undefined) return <p class="empty">Select a goal, a joint or a site.</p>;
  return (
    <>
      <h3>{name}</h3>
      <dl class="facts">
        <dt>kind</dt>
        <dd>{goal.goal_kind.replaceAll("_", " ")}</dd>
        <dt>error</dt>
        <dd>{shownError(goal.error, goal.unit)}</dd>
      </dl>
      {goal.why && <p class="why">{goal.why}</p>}
      <NameField
        name={name}
        rename={async (next) => {
          if (!(await set(goal, { name: next }))) return false;
          select("goal", next);
          return true;
        }}
      />
      <Pins goal={goal} />
      {Object.keys(goal.fields).map((field) => (
        <Field key={field} goal={goal} field={field} />
      ))}
      <Tolerance goal={goal} />
      <button type="button" class="wide" onClick={() => void run({ kind: "delete_goal", name })}>
        Delete goal
      </button>
    </>
  );
}

function set(goal: Goal, fields: Record<string, unknown>): Promise<boolean> {
  return run({ kind: "set_goal", name: goal.name, fields });
}

function Field({ goal, field }: { goal: Goal; field: string }) {
  const value = goal.fields[field];
  const change = (next: unknown) => void set(goal, { [field]: next });
  if (POINTS.includes(field) && Array.isArray(value)) {
    const move = (target: Vec3) => void run({ kind: "move_goals", targets: { [goal.name]: target } });
    return (
      <fieldset>
        <legend>{field} (m)</legend>
        <PointField label={field} value={goal.target ?? (value as Vec3)} change={move} />
      </fieldset>
    );
  }
  if (DIRECTIONS.includes(field) && Array.isArray(value)) {
    return (
      <fieldset>
        <legend>{field.length === 1 ? `${field} axis towards` : field}</legend>
        <PointField label={field} value={value as Vec3} change={change} />
      </fieldset>
    );
  }
  if (field === "box") {
    const corners = value as [Vec3, Vec3];
    return (
      <fieldset>
        <legend>box, two corners (m)</legend>
        {corners.map((corner, k) => (
          <PointField
            key={k}
            label={`corner ${k + 1}`}
            value={corner}
            change={(next) => change(corners.map((old, i) => (i === k ? next : old)))}
          />
        ))}
      </fieldset>
    );
  }
  if (field === "members") return <Members goal={goal} members={value as Record<string, unknown>[]} />;
  if (field === "site") return <Choice label="site" value={String(value)} options={sitesWith(value)} change={change} />;
  if (field === "joints" && typeof value === "string") {
    return <Choice label="chain" value={value} options={["whole", "limb+spine", "limb"]} change={change} />;
  }
  if (field === "vertical") {
    return (
      <p class="line">
        over the point, at any height <Switch label="vertical" on={value === true} change={change} />
      </p>
    );
  }
  if (field === "target" && typeof value === "string") {
    return <Choice label="target" value={value} options={sitesWith(value)} change={change} />;
  }
  if (field === "chain") return <p class="place">{(value as string[]).join(", ")}</p>;
  const number = NUMBERS[field];
  if (number === undefined || typeof value !== "number") return null;
  return <NumberField label={field.replaceAll("_", " ")} value={value} change={change} {...number} />;
}

function sitesWith(value: unknown): string[] {
  const names = [...(doc.value?.sites ?? []), ...(scene.value?.joints ?? [])].map((one) => one.name);
  return names.includes(String(value)) ? names : [String(value), ...names];
}

function Members({ goal, members }: { goal: Goal; members: Record<string, unknown>[] }) {
  const change = (next: Record<string, unknown>[]) => void set(goal, { members: next });
  const points = members.filter((member) => Array.isArray(member["target"]));
  return (
    <fieldset>
      <legend>one of (m)</legend>
      {members.map((member, k) => (
        <div key={k} class={k === goal.branch ? "member counts" : "member"}>
          <p class="line">
            {`${k + 1} ${String(member["kind"])}${k === goal.branch ? " · counts" : ""}`}
            {members.length > 1 && (
              <button
                type="button"
                aria-label={`remove alternative ${k + 1}`}
                onClick={() => change(members.filter((_, i) => i !== k))}
              >
                ×
              </button>
            )}
          </p>
          {Array.isArray(member["target"]) && (
            <PointField
              label={`alternative ${k + 1}`}
              value={member["target"] as Vec3}
              change={(target) => change(members.map((old, i) => (i === k ? { ...old, target } : old)))}
            />
          )}
        </div>
      ))}
      {points.length > 0 && (
        <button type="button" onClick={() => change([...members, { ...points.at(-1)! }])}>
          Add alternative
        </button>
      )}
    </fieldset>
  );
}

/** A pin holds position, orientation, or both. */
function Pins({ goal }: { goal: Goal }) {
  if (goal.site === null) return null;
  const position = goal.pinned && ["position", "placement"].includes(goal.goal_kind);
  const orientation = goal.pinned && ["orientation", "placement"].includes(goal.goal_kind);
  const pin = (position: boolean, orientation: boolean) => {
    const pinned = position || orientation;
    void run({ kind: "pin_goal", name: goal.name, pinned, ...(pinned ? { position, orientation } : {}) });
  };
  return (
    <fieldset>
      <legend>pin (priority 1)</legend>
      <p class="line">
        position <Switch label="pin position" on={position} change={(on) => pin(on, orientation)} />
      </p>
      <p class="line">
        orientation <Switch label="pin orientation" on={orientation} change={(on) => pin(position, on)} />
      </p>
    </fieldset>
  );
}

function Tolerance({ goal }: { goal: Goal }) {
  if (!("tolerance" in goal.fields) || goal.tolerance === null) return null;
  const angle = goal.unit === "rad";
  const factor = angle ? 180 / Math.PI : 1000;
  return (
    <NumberField
      label="tolerance"
      unit={angle ? "°" : "mm"}
      step={0.1}
      min={0.000001}
      value={Number((goal.tolerance * factor).toFixed(4))}
      change={(value) => void set(goal, { tolerance: angle ? value : value / 1000 })}
    />
  );
}
