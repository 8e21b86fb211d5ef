// The library of poses: kept by name, taken again, also flipped.
import { useSignal } from "@preact/signals";
import { run } from "../connection";
import type { Panel } from "../room/panel";
import { doc } from "../store";

function Body() {
  const name = useSignal("");
  const poses = doc.value?.poses ?? [];
  const keep = (event: Event) => {
    event.preventDefault();
    void run({ kind: "save_pose", name: name.value.trim() || `pose ${poses.length + 1}` });
    name.value = "";
  };
  return (
    <>
      <form class="keep" onSubmit={keep}>
        <input
          aria-label="name of the pose"
          placeholder={`pose ${poses.length + 1}`}
          maxLength={100}
          value={name.value}
          onInput={(event) => (name.value = event.currentTarget.value)}
        />
        <button type="submit">Keep pose</button>
      </form>
      {poses.length === 0 && <p class="empty">No saved poses yet.</p>}
      <ul class="tree" aria-label="poses">
        {poses.map((one) => (
          <li key={one} class="kept">
            <button type="button" title="Apply this pose" onClick={() => void run({ kind: "apply_pose", name: one })}>
              {one}
            </button>
            <button
              type="button"
              aria-label={`flip ${one}`}
              title="Apply it with left and right exchanged"
              onClick={() => void run({ kind: "apply_pose", name: one, flipped: true })}
            >
              ⇋
            </button>
            <button type="button" aria-label={`forget ${one}`} title="Delete this pose" onClick={() => void run({ kind: "forget_pose", name: one })}>
              ×
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

export const posesPanel: Panel = { title: "Poses", body: Body, folded: true };
