// Goals over several frames as bars, a row each: moved, made longer, eased, their knots shifted in time.
import { seek } from "../clip/clip";
import { removeKnot } from "../clip/knots";
import { choose, chosenSpan } from "../clip/spans";
import { run } from "../connection";
import type { ClipInfo, Command, SpanInfo } from "../protocol";
import { Grip } from "./grip";
import { left, ROW, rowTop, width } from "./ruler";
import { arrowStep, dragInTime, frameUnder } from "./time_drag";
import { useHeld } from "./use_held";

type Change = { start?: number; end?: number; ease_in?: number; ease_out?: number };

export function SpanRow({ clip, span, row }: { clip: ClipInfo; span: SpanInfo; row: number }) {
  const top = rowTop(row);
  const last = clip.frames - 1;
  const moving = useHeld<number>((by) => ({ kind: "move_span", span: span.name, by }));
  const changing = useHeld<Change>((change) => ({ kind: "set_span", span: span.name, ...change }));
  const by = moving.now.value ?? 0;
  const shown = { ...span, ...changing.now.value };
  const [start, end] = [shown.start + by, shown.end + by];
  const within = (step: number) => Math.max(-span.start, Math.min(last - span.end, step));
  const chosen = chosenSpan.value?.name === span.name;
  const remove = () => void run({ kind: "delete_span", span: span.name });
  const addKnot = (at: number) => void run({ kind: "add_knot", span: span.name, frame: Math.round(at) });
  const onKey = (event: KeyboardEvent) => {
    const step = arrowStep(event);
    if (step !== 0) void run({ kind: "move_span", span: span.name, by: within(step) });
    else if (event.key === "Delete") remove();
    else if (event.key === "Enter") choose(span.name);
    else return;
    event.preventDefault();
  };
  const ends: { which: keyof Change; at: number; min: number; max: number; to(at: number): Change }[] = [
    { which: "ease_in", at: start - shown.ease_in, min: 0, max: start, to: (at) => ({ ease_in: span.start - at }) },
    { which: "start", at: start, min: 0, max: span.end, to: (at) => ({ start: at }) },
    { which: "end", at: end, min: span.start, max: last, to: (at) => ({ end: at }) },
    { which: "ease_out", at: end + shown.ease_out, min: end, max: last, to: (at) => ({ ease_out: at - span.end }) },
  ];
  return (
    <>
      <span
        class="ease"
        style={{ left: left(Math.max(0, start - shown.ease_in), clip.frames), width: width(Math.max(0, start - shown.ease_in), start, clip.frames), top: `${top}px`, height: `${ROW}px` }}
      />
      <span
        class="ease out"
        style={{ left: left(end, clip.frames), width: width(end, Math.min(last, end + shown.ease_out), clip.frames), top: `${top}px`, height: `${ROW}px` }}
      />
      <button
        type="button"
        class={`bar span ${chosen ? "chosen" : ""} ${span.reached ? "" : "missed"}`}
        aria-label={`path ${span.name}`}
        aria-pressed={chosen}
        title={`${span.name}, ${span.goal_kind}, frames ${start} to ${end}. Drag it or its ends; double-click adds a knot, Delete removes it.`}
        style={{ left: left(start, clip.frames), width: width(start, end, clip.frames), top: `${top}px`, height: `${ROW}px` }}
        onPointerDown={(event) => {
          const at = frameUnder(event, event.currentTarget, clip.frames);
          choose(span.name);
          dragInTime(event, clip.frames, {
            move: (step) => moving.hold(within(step)),
            end: (went) => (went ? moving.drop() : seek(at)),
            cancel: moving.cancel,
          });
        }}
        onDblClick={(event) => addKnot(frameUnder(event, event.currentTarget, clip.frames))}
        onKeyDown={onKey}
      />
      {ends.map(({ which, at, min, max, to }) => (
        <Grip
          key={which}
          name={`path ${span.name} ${which.replace("_", " ")}`}
          class={`${which} span`}
          at={Math.max(0, Math.min(last, Math.round(at)))}
          frames={clip.frames}
          top={top}
          min={min}
          max={max}
          title={which.startsWith("ease") ? `${which.replace("_", " ")} over ${shown[which]} frames` : `${which === "start" ? "from" : "to"} frame ${Math.round(at)}`}
          hold={(next) => changing.hold(to(next))}
          drop={changing.drop}
          cancel={changing.cancel}
          set={(next) => void run({ kind: "set_span", span: span.name, ...to(next) })}
          remove={remove}
        />
      ))}
      {span.knots.map((knot, k) => (
        <KnotMark key={k} clip={clip} span={span} number={k} at={knot.frame + by} top={top} />
      ))}
    </>
  );
}

/** A knot in time: dragged between its neighbours. */
function KnotMark(props: { clip: ClipInfo; span: SpanInfo; number: number; at: number; top: number }) {
  const { clip, span, number, top } = props;
  const command = (frame: number): Command => ({ kind: "set_knot", span: span.name, knot: number, frame });
  const { now, hold, drop, cancel } = useHeld<number>(command);
  const before = span.knots[number - 1]?.frame ?? -1;
  const after = span.knots[number + 1]?.frame ?? clip.frames;
  return (
    <Grip
      name={`knot ${number} of ${span.name} in time`}
      class="knot-mark"
      at={Math.round(now.value ?? props.at)}
      frames={clip.frames}
      top={top}
      min={Math.floor(before) + 1}
      max={Math.ceil(after) - 1}
      title={`knot ${number}, frame ${Math.round(now.value ?? props.at)}`}
      hold={hold}
      drop={drop}
      cancel={cancel}
      set={(frame) => void run(command(frame))}
      remove={() => removeKnot(span, number)}
    />
  );
}
