// Goal rows, in bands of priority.
import { run } from "../connection";
import { NumberField } from "../controls/number_field";
import { Switch } from "../controls/switch";
import type { Panel } from "../room/panel";
import { goals, select, selection, type Goal } from "../store";
import { shownError } from "../units";

function Body() {
  const all = goals.value;
  if (all.length === 0) return <p class="empty">No goals. Click a part of the body, and one is there.</p>;
  const bands = [...new Set(all.map((goal) => goal.priority))].sort((a, b) => a - b);
  return (
    <div role="table" aria-label="goals">
      {bands.map((priority) => (
        <div key={priority} role="rowgroup" class="band" aria-label={`priority ${priority}`}>
          <p role="presentation">{`priority ${priority}`}</p>
          {all
            .filter((goal) => goal.priority === priority)
            .map((goal) => (
              <Row key={goal.name} goal={goal} />
            ))}
        </div>
      ))}
    </div>
  );
}

function Row({ goal }: { goal: Goal }) {
  const { name } = goal;
  const chosen = selection.value?.kind === "goal" && selection.value.name === name;
  const state = !goal.enabled ? "off" : goal.reached ? "reached" : "missed";
  return (
    <div class={`goal ${state} ${chosen ? "chosen" : ""}`} role="row" aria-label={`goal ${name}`}>
      <span role="cell" class="name">
        <button type="button" aria-label={`select ${name}`} onClick={() => select("goal", name)}>
          {name}
        </button>
        <span class="kind">{goal.pinned ? "pin" : goal.goal_kind.replaceAll("_", " ")}</span>
      </span>
      <span role="cell" class="error" title={goal.why || state}>
        {shownError(goal.error, goal.unit)}
        {state === "missed" ? " missed" : ""}
      </span>
      <span role="cell" class="controls">
        <Switch label="enabled" on={goal.enabled} change={(enabled) => void run({ kind: "set_goal", name, enabled })} />
        <NumberField
          label="weight"
          value={goal.weight}
          step={0.1}
          min={0}
          change={(weight) => void run({ kind: "set_goal", name, weight })}
        />
        <NumberField
          label="priority"
          value={goal.priority}
          step={1}
          min={1}
          change={(priority) => void run({ kind: "set_goal", name, priority: Math.round(priority) })}
        />
        <button
          type="button"
          class="pin"
          aria-label="pin"
          aria-pressed={goal.pinned}
          title={goal.pinned ? "Let go of it (R)" : "Hold it where it is, before all else (R)"}
          onClick={() => void run({ kind: "pin_goal", name, pinned: !goal.pinned })}
        >
          ◉
        </button>
        <button
          type="button"
          aria-label="delete"
          title="Delete the goal"
          onClick={() => void run({ kind: "delete_goal", name })}
        >
          ×
        </button>
      </span>
    </div>
  );
}

export const goalsPanel: Panel = { title: "Goals", body: Body };
