// The timeline: play, scrub, keys, paths and contacts of the clip.
import { run } from "../connection";
import { clip, frame, onionSkins, playing, range, rangeIsChosen, seek, setRange, sourceGhost, timed, togglePlay } from "../clip/clip";
import { curvesOpen } from "../clip/curves_data";
import { trailsOn } from "../clip/trails";
import type { ClipInfo } from "../protocol";
import { readOnly } from "../recording";
import type { Panel } from "../room/panel";
import { doc, files } from "../store";
import { Track } from "../timeline/track";

function Head() {
  return clip.value === null ? <NoClip /> : <Transport clip={clip.value} />;
}

function Body() {
  return clip.value === null ? null : <Track clip={clip.value} />;
}

function NoClip() {
  return (
    <div class="transport">
      <p class="empty">No clip is open. Drop one on the page ({files.value?.suffixes.join(" ")}), or try one of these:</p>
      <OpenClip />
    </div>
  );
}

function OpenClip() {
  if (doc.value?.clip_names.length === 0) return null;
  return (
    <select
      aria-label="open clip"
      value=""
      onChange={(event) => {
        const name = event.currentTarget.value;
        event.currentTarget.value = "";
        event.currentTarget.blur();
        if (name !== "") void run({ kind: "open_clip", clip: name });
      }}
    >
      <option value="">open a clip</option>
      {doc.value?.clip_names.map((name) => (
        <option key={name} value={name}>
          {name.replace("_", " ")}
        </option>
      ))}
    </select>
  );
}

function Transport({ clip: { frames, fps, keys } }: { clip: ClipInfo }) {
  const at = frame.value;
  return (
    <div class="transport">
      <button type="button" class="play" aria-label="Play" aria-pressed={playing.value} onClick={togglePlay}>
        {playing.value ? "❚❚" : "▶"}
      </button>
      <button type="button" aria-label="Previous frame" onClick={() => seek(at - 1)}>
        ‹
      </button>
      <button type="button" aria-label="Next frame" onClick={() => seek(at + 1)}>
        ›
      </button>
      <span class="time">
        frame {at} of {frames - 1} · {(at / fps).toFixed(2)} s · {+fps.toFixed(2)} fps
      </span>
      {rangeIsChosen.value && (
        <button type="button" aria-label="Play the whole clip" title="Play the whole clip" onClick={() => setRange(0, frames - 1)}>
          {range.value[0]}–{range.value[1]} ×
        </button>
      )}
      {timed.value === null && <OfTheClip keys={keys.length} />}
    </div>
  );
}

/** What there is only for the clip that is edited. */
function OfTheClip({ keys }: { keys: number }) {
  return (
    <>
      {!readOnly && <span class="time">{keys === 0 ? "no keys" : `${keys} ${keys === 1 ? "key" : "keys"}`}</span>}
      {!readOnly && (
        <button
          type="button"
          aria-label="Ghost of the source"
          aria-pressed={sourceGhost.value}
          title="The source beside the result (G)"
          onClick={() => (sourceGhost.value = !sourceGhost.value)}
        >
          Ghost
        </button>
      )}
      <button
        type="button"
        aria-label="Trails"
        aria-pressed={trailsOn.value}
        title="Paths of hands, feet, head and root"
        onClick={() => (trailsOn.value = !trailsOn.value)}
      >
        Trails
      </button>
      <label class="onion" title="Poses before and after the frame, a tenth of a second apart">
        Onion skin
        <select
          aria-label="onion skin"
          value={onionSkins.value}
          onChange={(event) => {
            onionSkins.value = Number(event.currentTarget.value);
            event.currentTarget.blur();
          }}
        >
          {[0, 1, 2, 3, 5].map((count) => (
            <option key={count} value={count}>
              {count === 0 ? "off" : `± ${count}`}
            </option>
          ))}
        </select>
      </label>
      {!readOnly && (
        <button
          type="button"
          aria-label="Curves"
          aria-expanded={curvesOpen.value}
          title="The dofs of the selected joint over time (C)"
          onClick={() => (curvesOpen.value = !curvesOpen.value)}
        >
          Curves
        </button>
      )}
      {clip.value?.contacts_by_hand && (
        <button type="button" title="Reset contacts to those of the clip" onClick={() => void run({ kind: "find_contacts" })}>
          Find contacts
        </button>
      )}
      <OpenClip />
    </>
  );
}

export const timeline: Panel = { title: "Timeline", head: Head, body: Body };
