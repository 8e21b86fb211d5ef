// The keys of the clip: where each is, how well it is met, and away with it.
import { clip, frame, seek } from "../clip/clip";
import { run } from "../connection";
import type { Panel } from "../room/panel";
import { shownError } from "../units";

function Body() {
  const keys = clip.value?.keys ?? [];
  if (clip.value === null) return <p class="empty">No clip is open.</p>;
  if (keys.length === 0) return <p class="empty">No keys yet. Drag the body at some frame, or select a joint and press K.</p>;
  return (
    <div role="table" aria-label="keys">
      {keys.map((key) => (
        <div
          key={`${key.frame} ${key.site}`}
          class={`goal ${key.frame === frame.value ? "chosen" : ""} ${key.reached ? "" : "missed"}`}
          role="row"
          aria-label={`key ${key.site} at ${key.frame}`}
        >
          <span class="name" role="cell">
            <button type="button" onClick={() => seek(key.frame)}>
              {key.site}
            </button>
            <span class="kind">frame {key.frame}</span>
          </span>
          <span class="error" role="cell">
            {key.reached ? "" : "missed by "}
            {shownError(key.error, "m")}
            <button
              type="button"
              aria-label="delete"
              onClick={() => void run({ kind: "delete_key", frame: key.frame, site: key.site })}
            >
              ×
            </button>
          </span>
        </div>
      ))}
    </div>
  );
}

export const keysPanel: Panel = { title: "Keys", body: Body };
