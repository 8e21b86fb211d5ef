// Goals over several frames: the list, and the shape of the one that is worked at.
import { clip, frame, seek } from "../clip/clip";
import { choose, chosenSpan } from "../clip/spans";
import { run } from "../connection";
import { NumberField } from "../controls/number_field";
import type { SpanInfo } from "../protocol";
import type { Panel } from "../room/panel";
import { shownError } from "../units";

function Body() {
  const spans = clip.value?.spans ?? [];
  if (spans.length === 0) return <p class="empty">No paths yet. Click a part of the body, then Path.</p>;
  const chosen = chosenSpan.value;
  return (
    <>
      <div role="table" aria-label="paths">
        {spans.map((span) => (
          <Row key={span.name} span={span} chosen={span.name === chosen?.name} />
        ))}
      </div>
      {chosen !== null && <Shape span={chosen} />}
    </>
  );
}

function Row({ span, chosen }: { span: SpanInfo; chosen: boolean }) {
  const kind = span.knots.length > 1 ? "" : `${span.goal_kind.replaceAll("_", " ")}, `;
  return (
    <div class={`goal ${chosen ? "chosen" : ""} ${span.reached ? "" : "missed"}`} role="row" aria-label={`path ${span.name}`}>
      <span class="name" role="cell">
        <button
          type="button"
          aria-pressed={chosen}
          onClick={() => {
            choose(span.name);
            if (frame.value < span.start || frame.value > span.end) seek(span.start);
          }}
        >
          {span.name}
        </button>
      </span>
      <span class="error" role="cell">
        <button type="button" aria-label="delete" onClick={() => void run({ kind: "delete_span", span: span.name })}>
          ×
        </button>
      </span>
      <span class="about" role="cell">
        {kind}frames {span.start} to {span.end}, {span.reached ? "met to" : "missed by"} {shownError(span.error, span.unit)}
      </span>
    </div>
  );
}

function Shape({ span }: { span: SpanInfo }) {
  const set = (change: Record<string, number>) => void run({ kind: "set_span", span: span.name, ...change });
  const at = Math.round(frame.value);
  const taken = span.knots.some((knot) => Math.round(knot.frame) === at);
  return (
    <fieldset class="shape">
      <legend>{span.name}</legend>
      {(["ease_in", "ease_out"] as const).map((name) => (
        <NumberField
          key={name}
          label={name.replace("_", " ")}
          unit="frames"
          step={1}
          min={0}
          value={span[name]}
          change={(value) => set({ [name]: value })}
        />
      ))}
      {span.knots.length > 2 &&
        (["tension", "continuity", "bias"] as const).map((name) => (
          <NumberField key={name} label={name} step={0.1} min={-1} max={1} value={span[name]} change={(value) => set({ [name]: value })} />
        ))}
      {span.knots.length > 0 && (
        <button
          type="button"
          class="wide"
          disabled={taken || at < span.start || at > span.end}
          title="A knot at the frame shown (N)"
          onClick={() => void run({ kind: "add_knot", span: span.name, frame: at })}
        >
          Add knot
        </button>
      )}
    </fieldset>
  );
}

export const pathsPanel: Panel = { title: "Paths", body: Body };
