// The keys of the clip: where each is, how well it is met, and away with it.
import { clip, frame, seek } from "../clip/clip";
import { run } from "../connection";
import type { KeyInfo } from "../protocol";
import type { Panel } from "../room/panel";
import { shownError } from "../units";

function Body() {
  if (clip.value === null) return <p class="empty">No clip is open. Drop one on the page, or choose one below.</p>;
  const { keys } = clip.value;
  return (
    <>
      {keys.length === 0 ? (
        <p class="empty">No keys yet. Drag the body at some frame, or select a joint and press K.</p>
      ) : (
        <div role="table" aria-label="keys">
          {keys.map((key) => (
            <Row key={`${key.frame} ${key.site}`} of={key} />
          ))}
        </div>
      )}
      <Notes />
    </>
  );
}

function Row({ of: key }: { of: KeyInfo }) {
  return (
    <div
      class={`goal ${key.frame === frame.value ? "chosen" : ""} ${key.reached ? "" : "missed"}`}
      role="row"
      aria-label={`key ${key.site} at ${key.frame}`}
    >
      <span class="name" role="cell">
        <button type="button" onClick={() => seek(key.frame)}>
          {key.site}
        </button>
      </span>
      <span class="error" role="cell">
        <button type="button" aria-label="delete" onClick={() => void run({ kind: "delete_key", frame: key.frame, site: key.site })}>
          ×
        </button>
      </span>
      <span class="about" role="cell">
        frame {key.frame}, {key.reached ? "met to" : "missed by"} {shownError(key.error, "m")}
      </span>
    </div>
  );
}

/** What the last edit had to say. */
function Notes() {
  return (
    <>
      {clip.value!.notes.map((note) => (
        <p key={note} class="why">
          {note}
        </p>
      ))}
    </>
  );
}

export const keysPanel: Panel = { title: "Keys", body: Body };
