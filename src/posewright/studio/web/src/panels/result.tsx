// The result: what was reached, and why the rest was not.
import type { Panel } from "../room/panel";
import { goals } from "../store";
import { shownError } from "../units";

function Body() {
  const on = goals.value.filter((goal) => goal.enabled);
  const missed = on.filter((goal) => !goal.reached);
  if (on.length === 0) return <p class="empty">There are no goals.</p>;
  return (
    <>
      <p>{missed.length === 0 ? "Every goal is reached." : `${missed.length} of ${on.length} goals are missed.`}</p>
      {missed.map((goal) => (
        <p key={goal.name} class="why">
          {goal.why || `${goal.name} missed by ${shownError(goal.error, goal.unit)}`}
        </p>
      ))}
    </>
  );
}

export const result: Panel = { title: "Result", body: Body };
