// Handles of goals over the picture: elements with a name, which the mouse drags and the keyboard moves.
import { useAfterDraw } from "./after_draw";
import { run } from "../connection";
import { goals, select, selection, type Goal } from "../store";
import { held } from "../goals/goal_drag";
import { nudged } from "./nudge";
import type { View } from "./view";

/** How the handle of a kind of goal looks (a class of handles.css); kinds that are not listed are points. */
export const LOOKS: Record<string, string> = {
  placement: "turned",
  orientation: "turned only",
  aim: "ray",
  line: "square",
  plane: "square",
  half_space: "square",
  outside: "square",
  centre_of_mass: "mass",
  any_of: "several",
};

export function Handles({ view }: { view: View }) {
  const layer = useAfterDraw(view, place);
  void held.value;
  return (
    <div class="handles" ref={layer}>
      {goals.value.map((goal) => (
        <Handle key={goal.name} goal={goal} view={view} />
      ))}
    </div>
  );
}

function Handle({ goal, view }: { goal: Goal; view: View }) {
  const chosen = selection.value?.kind === "goal" && selection.value.name === goal.name;
  const looks = [
    "handle",
    LOOKS[goal.goal_kind] ?? "point",
    goal.pinned && "pinned",
    !goal.enabled && "off",
    goal.enabled && !goal.reached && "missed",
    chosen && "chosen",
  ];
  return (
    <button
      type="button"
      class={looks.filter(Boolean).join(" ")}
      data-goal={goal.name}
      aria-label={`goal ${goal.name}`}
      title={goal.name}
      onFocus={() => select("goal", goal.name)}
      onKeyDown={(event) => nudge(event, goal, view)}
    />
  );
}

function place(layer: HTMLElement | null, view: View): void {
  if (layer === null) return;
  const corner = layer.getBoundingClientRect();
  for (const element of layer.children) {
    if (!(element instanceof HTMLElement)) continue;
    const name = element.dataset["goal"];
    const target = held.value?.name === name && held.value?.target ? held.value.target : goals.value.find((one) => one.name === name)?.target;
    const at = target == null ? null : view.clientPoint(target);
    element.hidden = at === null;
    if (at !== null) element.style.translate = `${at[0] - corner.left}px ${at[1] - corner.top}px`;
  }
}

/** Arrows move the goal in the plane of the camera. */
function nudge(event: KeyboardEvent, { name, target, movable }: Goal, view: View): void {
  if (target === null || !movable) return;
  if (nudged(event, `goal ${name}`, target, view, (at) => run({ kind: "move_goals", targets: { [name]: at } }))) event.preventDefault();
}
