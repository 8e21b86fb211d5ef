// The timeline itself: a ruler to scrub by, and rows of keys, paths and contacts.
import { useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { PLACES } from "../api";
import { clip, frame, keyFrames, lastFrame, range, seek, setRange, timed } from "../clip/clip";
import type { ClipInfo } from "../protocol";
import { readOnly } from "../recording";
import { theme } from "../theme";
import { ContactRow } from "./contact_bars";
import { Grip } from "./grip";
import { KeyMark } from "./key_mark";
import { contactAt, draw, heightOf, KEYS, left, TOP, width, xOf } from "./ruler";
import { SpanRow } from "./span_bars";
import { frameUnder } from "./time_drag";

let track: HTMLElement | null = null; // where keys and contacts are on the page

export function Track({ clip: open }: { clip: ClipInfo }) {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const redraw = () => {
    if (canvas.current !== null && clip.value !== null) draw(canvas.current, clip.value, frame.value, range.value);
  };
  useEffect(() => {
    track = box.current;
    const resized = new ResizeObserver(redraw);
    resized.observe(box.current!);
    return () => resized.disconnect();
  }, []);
  useSignalEffect(() => {
    void theme.value;
    redraw();
  });
  useEffect(redraw);
  const editable = !readOnly && timed.value === null;
  const about = open.feet.map((foot) => {
    const bars = open.contacts.filter((one) => one.foot === foot);
    return `${foot} on the ground in frames ${bars.map((bar) => `${bar.start} to ${bar.end}`).join(", ") || "none"}`;
  });
  return (
    <div class="track" ref={box} style={{ height: `${heightOf(open)}px` }}>
      <canvas ref={canvas} role="img" aria-label={about.join("; ") || "no contacts"} />
      <div
        class="scrub"
        style={editable ? { height: `${TOP + KEYS}px` } : {}}
        role="slider"
        tabIndex={0}
        aria-label="frame"
        aria-valuemin={0}
        aria-valuemax={lastFrame.value}
        aria-valuenow={frame.value}
        aria-valuetext={`frame ${frame.value} of ${lastFrame.value}`}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          seek(frameUnder(event, event.currentTarget, open.frames));
        }}
        onPointerMove={(event) => {
          if (event.currentTarget.hasPointerCapture(event.pointerId)) seek(frameUnder(event, event.currentTarget, open.frames));
        }}
      />
      <Range open={open} />
      {open.feet.map((foot) => (
        <ContactRow key={foot} clip={open} foot={foot} editable={editable} />
      ))}
      {open.spans.map((span, row) => (
        <SpanRow key={span.name} clip={open} span={span} row={row} />
      ))}
      {keyFrames.value.map((at) => (
        <KeyMark key={at} at={at} clip={open} />
      ))}
    </div>
  );
}

/** The ends of what is played. */
function Range({ open }: { open: ClipInfo }) {
  const [first, last] = range.value;
  const nothing = () => {};
  return (
    <>
      <span class="range" style={{ left: left(first, open.frames), width: width(first, last, open.frames) }} />
      {(["start", "end"] as const).map((which) => {
        const set = (at: number) => (which === "start" ? setRange(at, last) : setRange(first, at));
        return (
          <Grip
            key={which}
            name={`play range ${which}`}
            class={`range-${which}`}
            at={which === "start" ? first : last}
            frames={open.frames}
            top={0}
            min={which === "start" ? 0 : first + 1}
            max={which === "start" ? last - 1 : open.frames - 1}
            title={which === "start" ? "Play from here (I)" : "Play to here (O)"}
            hold={set}
            drop={nothing}
            cancel={nothing}
            set={set}
          />
        );
      })}
    </>
  );
}

PLACES.set("key", (name) => {
  if (track === null || !track.isConnected || clip.value === null || !keyFrames.value.includes(Number(name))) return null;
  const box = track.getBoundingClientRect();
  return [box.left + xOf(Number(name), clip.value.frames, box.width), box.top + TOP + 8];
});

PLACES.set("contact", (name) => {
  const [foot, number] = name.split(":");
  if (track === null || !track.isConnected || clip.value === null) return null;
  const box = track.getBoundingClientRect();
  const at = contactAt(clip.value, foot ?? "", Number(number), box.width);
  return at === null ? null : [box.left + at[0], box.top + at[1]];
});
