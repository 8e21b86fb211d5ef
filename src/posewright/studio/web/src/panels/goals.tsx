// Goal rows, in bands of priority; a row is dragged into another band.
import { signal } from "@preact/signals";
import { run } from "../connection";
import { NumberField } from "../controls/number_field";
import { hold } from "../hand";
import { Switch } from "../controls/switch";
import type { Panel } from "../room/panel";
import { goals, select, selection, type Goal } from "../store";
import { shownError } from "../units";

/** The row in the user's hand and the band it is over. */
const carried = signal<{ name: string; over: number | null } | null>(null);

function Body() {
  const all = goals.value;
  if (all.length === 0) return <p class="empty">No goals. Click a part of the body to add one.</p>;
  const bands = [...new Set(all.map((goal) => goal.priority))].sort((a, b) => a - b);
  const free = bands.at(-1)! + 1;
  return (
    <div role="table" aria-label="goals">
      {bands.map((priority) => (
        <div key={priority} role="rowgroup" class={look(priority)} data-priority={priority} aria-label={`priority ${priority}`}>
          <p role="presentation">{`priority ${priority}${priority === 1 ? " · met first" : ""}`}</p>
          {all
            .filter((goal) => goal.priority === priority)
            .map((goal) => (
              <Row key={goal.name} goal={goal} />
            ))}
        </div>
      ))}
      <p class={`${look(free)} free`} data-priority={free} role="presentation">
        {carried.value === null ? "" : `priority ${free}`}
      </p>
    </div>
  );
}

function look(priority: number): string {
  return `band ${carried.value?.over === priority ? "over" : ""}`;
}

/** A press on a row, beside its controls. */
function carry(event: PointerEvent, goal: Goal): void {
  if (event.button !== 0 || (event.target as Element).closest("button, input")) return;
  const from = event.clientY;
  const bandUnder = (next: PointerEvent): number | null => {
    const band = document.elementFromPoint(next.clientX, next.clientY)?.closest<HTMLElement>("[data-priority]");
    return band == null ? null : Number(band.dataset["priority"]);
  };
  const move = (next: PointerEvent) => {
    if (carried.value === null && Math.abs(next.clientY - from) < 4) return;
    carried.value = { name: goal.name, over: bandUnder(next) };
  };
  const over = new AbortController();
  const { signal } = over;
  const end = (done: boolean) => {
    over.abort();
    released();
    const priority = carried.value?.over ?? null;
    if (done && carried.value === null) select("goal", goal.name);
    carried.value = null;
    if (!done || priority === null || priority === goal.priority) return;
    void run({ kind: "set_goal", name: goal.name, priority });
  };
  const released = hold(() => end(false));
  addEventListener("pointermove", move, { signal });
  addEventListener("pointerup", () => end(true), { signal });
  addEventListener("pointercancel", () => end(false), { signal });
  event.preventDefault();
}

function shownKind(goal: Goal): string {
  const kind = goal.goal_kind.replaceAll("_", " ");
  if (!goal.pinned) return kind;
  return goal.goal_kind === "placement" ? "pin" : `pin, ${kind}`;
}

function Row({ goal }: { goal: Goal }) {
  const { name } = goal;
  const chosen = selection.value?.kind === "goal" && selection.value.name === name;
  const state = !goal.enabled ? "off" : goal.reached ? "reached" : "missed";
  const inHand = carried.value?.name === name ? "carried" : "";
  return (
    <div
      class={`goal ${state} ${chosen ? "chosen" : ""} ${inHand}`}
      role="row"
      aria-label={`goal ${name}`}
      onPointerDown={(event) => carry(event, goal)}
    >
      <span role="cell" class="name">
        <button type="button" aria-label={`select ${name}`} aria-pressed={chosen} onClick={() => select("goal", name)}>
          {name}
        </button>
      </span>
      <span role="cell" class="error" title={goal.why || state}>
        {state === "missed" && <span role="img" aria-label="missed" class="sign" />}
        {shownError(goal.error, goal.unit)}
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
        <span class="kind" title={shownKind(goal)}>
          {goal.pinned ? "pin" : shownKind(goal)}
        </span>
        <button
          type="button"
          class="pin"
          aria-label="pin"
          aria-pressed={goal.pinned}
          disabled={goal.site === null}
          title={goal.pinned ? "Let go of it (R)" : "Pin it in place, before all other goals (R)"}
          onClick={() => void run({ kind: "pin_goal", name, pinned: !goal.pinned })}
        >
          {goal.pinned ? "◉" : "○"}
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
      {goal.why && (
        <p role="cell" class="reason" title={goal.why}>
          {goal.why.slice(goal.why.indexOf(": ") + 2)}
        </p>
      )}
    </div>
  );
}

export const goalsPanel: Panel = { title: "Goals", body: Body };
