// The timeline: play, scrub, keys and contacts of the clip.
import { useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { PLACES } from "../api";
import { run } from "../connection";
import { clip, frame, keyFrames, lastFrame, playing, seek, sourceGhost, timed, togglePlay } from "../clip/clip";
import { contactAt, draw, feetOf, frameAt, heightOf, TOP, xOf } from "../clip/ruler";
import { trailsOn } from "../clip/trails";
import type { ClipInfo } from "../protocol";
import { readOnly } from "../recording";
import type { Panel } from "../room/panel";
import { doc } from "../store";
import { theme } from "../theme";

function Head() {
  return clip.value === null ? <NoClip /> : <Transport clip={clip.value} />;
}

function Body() {
  return clip.value === null ? null : <Track clip={clip.value} />;
}

function NoClip() {
  return (
    <div class="transport">
      <p class="empty">No clip is open. Drop one on the page, or try one of these:</p>
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
      {timed.value === null && <OfTheClip keys={keys.length} />}
    </div>
  );
}

/** What there is only for the clip that is edited. */
function OfTheClip({ keys }: { keys: number }) {
  return (
    <>
      {!readOnly && <span class="time">{keys === 0 ? "no keys" : `${keys} ${keys === 1 ? "key" : "keys"}`}</span>}
      {!readOnly && <button
        type="button"
        aria-label="Ghost of the source"
        aria-pressed={sourceGhost.value}
        onClick={() => (sourceGhost.value = !sourceGhost.value)}
      >
        Ghost
      </button>}
      <button
        type="button"
        aria-label="Trails"
        aria-pressed={trailsOn.value}
        title="Paths of hands, feet, head and root"
        onClick={() => (trailsOn.value = !trailsOn.value)}
      >
        Trails
      </button>
      <OpenClip />
    </>
  );
}

let track: HTMLElement | null = null; // where keys and contacts are on the page

function Track({ clip: open }: { clip: ClipInfo }) {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    track = box.current;
    const redraw = new ResizeObserver(() => {
      if (canvas.current !== null && clip.value !== null) draw(canvas.current, clip.value, frame.value);
      place(box.current);
    });
    redraw.observe(box.current!);
    return () => redraw.disconnect();
  }, []);
  useSignalEffect(() => {
    void theme.value;
    if (canvas.current !== null && clip.value !== null) draw(canvas.current, clip.value, frame.value);
  });
  useEffect(() => {
    if (canvas.current !== null) draw(canvas.current, open, frame.peek());
    place(box.current);
  });
  const about = feetOf(open).map((foot) => {
    const bars = open.contacts.filter((one) => one.foot === foot);
    return `${foot} on the ground in frames ${bars.map((bar) => `${bar.start} to ${bar.end}`).join(", ")}`;
  });
  return (
    <div class="track" ref={box} style={{ height: `${heightOf(open)}px` }}>
      <canvas ref={canvas} role="img" aria-label={about.join("; ") || "no contacts"} />
      <div
        class="scrub"
        role="slider"
        tabIndex={0}
        aria-label="frame"
        aria-valuemin={0}
        aria-valuemax={lastFrame.value}
        aria-valuenow={frame.value}
        aria-valuetext={`frame ${frame.value} of ${lastFrame.value}`}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          seek(under(event, open));
        }}
        onPointerMove={(event) => {
          if (event.currentTarget.hasPointerCapture(event.pointerId)) seek(under(event, open));
        }}
      />
      {keyFrames.value.map((at) => (
        <KeyMark key={at} at={at} clip={open} />
      ))}
    </div>
  );
}

function under(event: PointerEvent, { frames }: ClipInfo): number {
  const box = track!.getBoundingClientRect();
  return frameAt(event.clientX - box.left, frames, box.width);
}

/** The keys of a frame: clicked it is shown, dragged they move, as by the arrows; Delete removes them. */
function KeyMark({ at, clip: open }: { at: number; clip: ClipInfo }) {
  const keys = open.keys.filter((key) => key.frame === at);
  const drag = useRef<{ x: number; to: number } | null>(null);
  const move = (to: number) => {
    const nearest = Math.max(0, Math.min(open.frames - 1, Math.round(to)));
    if (nearest === at) return;
    void run({ kind: "move_key", frame: at, to: nearest }).then((done) => done && seek(nearest));
  };
  return (
    <button
      type="button"
      class={`mark ${at === frame.value ? "here" : ""} ${keys.every((key) => key.reached) ? "" : "missed"}`}
      data-frame={at}
      aria-label={`key ${at}`}
      title={`${keys.map((key) => key.site).join(", ")} at frame ${at}`}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        drag.current = { x: event.clientX, to: at };
      }}
      onPointerMove={(event) => {
        if (drag.current === null) return;
        if (Math.abs(event.clientX - drag.current.x) >= 3) drag.current.to = under(event, open);
        setPlace(event.currentTarget, drag.current.to, open.frames);
      }}
      onPointerUp={(event) => {
        const to = drag.current?.to ?? at;
        drag.current = null;
        setPlace(event.currentTarget, at, open.frames);
        if (Math.round(to) === at) seek(at);
        else move(to);
      }}
      onPointerCancel={() => (drag.current = null)}
      onKeyDown={(event) => {
        const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (step !== undefined) move(at + step * (event.shiftKey ? 10 : 1));
        else if (event.key === "Delete") void run({ kind: "delete_key", frame: at });
        else if (event.key === "Enter") seek(at);
        else return;
        event.preventDefault();
      }}
    />
  );
}

function setPlace(mark: HTMLElement, at: number, frames: number): void {
  mark.style.translate = `${xOf(at, frames, mark.parentElement!.clientWidth)}px ${TOP + 8}px`;
}

/** Put the marks where their frames are. */
function place(box: HTMLElement | null): void {
  if (box === null || clip.value === null) return;
  for (const mark of box.querySelectorAll<HTMLElement>(".mark")) setPlace(mark, Number(mark.dataset["frame"]), clip.value.frames);
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

export const timeline: Panel = { title: "Timeline", head: Head, body: Body };
