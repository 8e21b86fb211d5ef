// Contacts as bars, a row per foot: dragged, cut, drawn and deleted.
import { frame, seek } from "../clip/clip";
import { run } from "../connection";
import type { ClipInfo, Command, ContactInfo } from "../protocol";
import { Grip } from "./grip";
import { left, ROW, rowTop, width } from "./ruler";
import { arrowStep, dragInTime, frameUnder } from "./time_drag";
import { useHeld } from "./use_held";

interface Frames {
  start: number;
  end: number;
}

export function ContactRow({ clip, foot, editable }: { clip: ClipInfo; foot: string; editable: boolean }) {
  const top = rowTop(clip.spans.length + clip.feet.indexOf(foot));
  const side = foot.startsWith("right") ? "right-side" : "left-side";
  const bars = clip.contacts.filter((one) => one.foot === foot);
  const drawn = useHeld<Frames>((frames) => ({ kind: "set_contact", foot, ...frames }));
  const within = (at: number) => Math.max(0, Math.min(clip.frames - 1, Math.round(at)));
  /** A press beside the bars draws one; a click there shows the frame. */
  const press = (event: PointerEvent) => {
    const from = within(frameUnder(event, event.currentTarget as Element, clip.frames));
    dragInTime(event, clip.frames, {
      move: (_, at) => drawn.hold({ start: Math.min(from, within(at)), end: Math.max(from, within(at)) }),
      end: (moved) => (moved ? drawn.drop() : seek(from)),
      cancel: drawn.cancel,
    });
  };
  return (
    <>
      {editable && (
        <div
          class="lane"
          role="button"
          tabIndex={0}
          aria-label={`draw contact ${foot}`}
          style={{ top: `${top}px`, height: `${ROW}px` }}
          title="Drag: the foot is on the ground here; Enter: at the frame shown"
          onPointerDown={press}
          onKeyDown={(event) => {
            if (event.key !== "Enter") return;
            event.preventDefault();
            void run({ kind: "set_contact", foot, start: frame.value, end: within(frame.value + 0.2 * clip.fps) });
          }}
        />
      )}
      {bars.map((bar, k) =>
        editable ? (
          <ContactBar key={k} clip={clip} bar={bar} number={k} side={side} top={top} />
        ) : (
          <span key={k} class={`bar contact ${side}`} style={placed(bar, clip, top)} />
        ),
      )}
      {drawn.now.value !== null && <span class={`bar contact ${side} held`} style={placed(drawn.now.value, clip, top)} />}
    </>
  );
}

function placed({ start, end }: Frames, clip: ClipInfo, top: number) {
  return { left: left(start, clip.frames), width: width(start, end, clip.frames), top: `${top}px`, height: `${ROW}px` };
}

function ContactBar(props: { clip: ClipInfo; bar: ContactInfo; number: number; side: string; top: number }) {
  const { clip, bar, number, side, top } = props;
  const command = (to: Frames): Command => ({ kind: "set_contact", foot: bar.foot, number, ...to });
  const { now, hold, drop, cancel } = useHeld<Frames>(command);
  const { start, end } = now.value ?? bar;
  const name = `contact ${bar.foot} ${number}`;
  const last = clip.frames - 1;
  const remove = () => void run({ kind: "delete_contact", foot: bar.foot, number });
  const cut = (at: number) =>
    void run({ kind: "cut_contact", foot: bar.foot, number, frame: Math.max(bar.start, Math.min(bar.end, Math.round(at))) });
  const moved = (by: number): Frames => {
    const step = Math.max(-bar.start, Math.min(last - bar.end, by));
    return { start: bar.start + step, end: bar.end + step };
  };
  const onKey = (event: KeyboardEvent) => {
    const step = arrowStep(event);
    const inside = bar.start <= frame.value && frame.value <= bar.end;
    if (step !== 0) void run(command(moved(step)));
    else if (event.key.toLowerCase() === "c" && !event.ctrlKey && !event.metaKey) cut(inside ? frame.value : 0.5 * (bar.start + bar.end));
    else if (event.key === "Delete") remove();
    else return;
    event.preventDefault();
  };
  return (
    <>
      <button
        type="button"
        class={`bar contact ${side} ${now.value === null ? "" : "held"}`}
        aria-label={name}
        title={`${bar.foot.replace("_", " ")} on the ground, frames ${start} to ${end}. Drag it or its ends; double-click or C cuts it, Delete removes it.`}
        style={placed({ start, end }, clip, top)}
        onPointerDown={(event) => {
          const at = frameUnder(event, event.currentTarget, clip.frames);
          dragInTime(event, clip.frames, {
            move: (by) => hold(moved(by)),
            end: (went) => (went ? drop() : seek(at)),
            cancel,
          });
        }}
        onDblClick={(event) => cut(frameUnder(event, event.currentTarget, clip.frames))}
        onKeyDown={onKey}
      />
      {(["start", "end"] as const).map((which) => (
        <Grip
          key={which}
          name={`${name} ${which}`}
          class={`${which} ${side}`}
          at={which === "start" ? start : end}
          frames={clip.frames}
          top={top}
          min={which === "start" ? 0 : bar.start}
          max={which === "start" ? bar.end : last}
          title={which === "start" ? `from frame ${start}` : `to frame ${end}`}
          hold={(at) => hold({ start: bar.start, end: bar.end, [which]: at })}
          drop={drop}
          cancel={cancel}
          set={(at) => void run(command({ start: bar.start, end: bar.end, [which]: at }))}
          remove={remove}
        />
      ))}
    </>
  );
}
