// Tools over the picture: what a press does, how much of the body follows, symmetry, and the mirror.
import { action } from "../actions";
import { keyOf } from "../key_maps";
import { mode, MODES, selectedGoal, symmetric, tool, type Tool } from "../store";

const TOOLS: { name: Tool; label: string }[] = [
  { name: "select", label: "Select" },
  { name: "move", label: "Move" },
  { name: "turn", label: "Turn" },
];
const LABELS = { "full body": "Full body", limb: "Limb", joint: "Joint" };

export function ToolBar() {
  const goal = selectedGoal.value;
  const idle = tool.value === "turn" && goal !== null && !goal.turnable;
  return (
    <div class="tools" data-chrome role="toolbar" aria-label="tools">
      <div role="group" aria-label="tool">
        {TOOLS.map(({ name, label }) => (
          <button
            key={name}
            type="button"
            aria-pressed={tool.value === name}
            title={`${label} (${keyOf(action(label))})`}
            onClick={() => (tool.value = name)}
          >
            {label}
          </button>
        ))}
      </div>
      <div role="group" aria-label="mode">
        {MODES.map((one) => (
          <button
            key={one}
            type="button"
            aria-pressed={mode.value === one}
            title={`What moves in a drag: ${LABELS[one]} (T)`}
            onClick={() => (mode.value = one)}
          >
            {LABELS[one]}
          </button>
        ))}
      </div>
      <div role="group" aria-label="sides">
        <button
          type="button"
          aria-pressed={symmetric.value}
          title={`Both sides follow (${keyOf(action("Live symmetry"))})`}
          onClick={() => (symmetric.value = !symmetric.value)}
        >
          Symmetry
        </button>
        <button type="button" title="Exchange left and right" onClick={() => action("Mirror pose").run()}>
          Mirror pose
        </button>
      </div>
      {idle && <p>{goal.name} has no direction to turn; a placement or orientation goal has.</p>}
    </div>
  );
}
