// The inspector: what is selected. A kind of thing that can be selected has a component here.
import type { ComponentType } from "preact";
import { place } from "../api";
import { run } from "../connection";
import { NumberField } from "../controls/number_field";
import type { Panel } from "../room/panel";
import { goals, scene, selection, type Kind, type Vec3 } from "../store";
import { shownError } from "../units";

const INSPECTORS: Record<Kind, ComponentType<{ name: string }>> = { goal: OfGoal, joint: OfJoint, site: OfSite };

function Body() {
  const chosen = selection.value;
  if (chosen === null) return <p class="empty">Select a goal, a joint or a site.</p>;
  const Inspector = INSPECTORS[chosen.kind];
  return <Inspector name={chosen.name} />;
}

function OfGoal({ name }: { name: string }) {
  const goal = goals.value.find((one) => one.name === name);
  if (goal === undefined) return <p class="empty">Select a goal, a joint or a site.</p>;
  const { target } = goal;
  const move = (axis: number, value: number) => {
    const moved = target!.map((old, k) => (k === axis ? value : old)) as Vec3;
    void run({ kind: "move_goals", targets: { [name]: moved } });
  };
  return (
    <>
      <h3>{name}</h3>
      <dl class="facts">
        <dt>kind</dt>
        <dd>{goal.goal_kind.replaceAll("_", " ")}</dd>
        <dt>site</dt>
        <dd>{goal.site ?? "none"}</dd>
        <dt>error</dt>
        <dd>{shownError(goal.error, goal.unit)}</dd>
      </dl>
      {target !== null && goal.movable && (
        <div class="point">
          {(["x", "y", "z"] as const).map((axis, k) => (
            <NumberField
              key={axis}
              label={axis}
              unit="m"
              step={0.01}
              value={Number(target[k]!.toFixed(4))}
              change={(value) => move(k, value)}
            />
          ))}
        </div>
      )}
      {goal.why && <p class="why">{goal.why}</p>}
    </>
  );
}

function OfJoint({ name }: { name: string }) {
  const joint = scene.value?.joints.find((one) => one.name === name);
  return (
    <>
      <h3>{name}</h3>
      <dl class="facts">
        <dt>moves</dt>
        <dd>{joint?.segment ?? ""}</dd>
      </dl>
      <Place name={name} />
    </>
  );
}

function OfSite({ name }: { name: string }) {
  const pin = () => void run({ kind: "add_goal", goal: { kind: "position", site: name, target: "start", priority: 2 } });
  return (
    <>
      <h3>{name}</h3>
      <Place name={name} />
      <button type="button" onClick={pin}>
        Add goal
      </button>
    </>
  );
}

function Place({ name }: { name: string }) {
  const at = place(name);
  return <p class="place">{at === null ? "" : at.map((value) => value.toFixed(3)).join("  ")} m</p>;
}

export const inspector: Panel = { title: "Inspector", body: Body };
