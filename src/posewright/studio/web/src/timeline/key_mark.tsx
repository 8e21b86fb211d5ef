// The keys of a frame as a mark: clicked the frame is shown, dragged they move, as by the arrows; Delete removes them.
import { frame, seek } from "../clip/clip";
import { run } from "../connection";
import type { ClipInfo, Command } from "../protocol";
import { left, TOP } from "./ruler";
import { arrowStep, dragInTime } from "./time_drag";
import { useHeld } from "./use_held";

export function KeyMark({ at, clip }: { at: number; clip: ClipInfo }) {
  const keys = clip.keys.filter((key) => key.frame === at);
  const command = (to: number): Command => ({ kind: "move_key", frame: at, to });
  const { now, hold, drop, cancel } = useHeld<number>(command);
  const within = (to: number) => Math.max(0, Math.min(clip.frames - 1, to));
  const move = (to: number) => to !== at && void run(command(to)).then((done) => done && seek(to));
  return (
    <button
      type="button"
      class={`mark ${at === frame.value ? "here" : ""} ${keys.every((key) => key.reached) ? "" : "missed"}`}
      style={{ left: left(now.value ?? at, clip.frames), top: `${TOP + 8}px` }}
      aria-label={`key ${at}`}
      title={`${keys.map((key) => key.site).join(", ")} at frame ${at}`}
      onPointerDown={(event) => {
        let to = at;
        dragInTime(event, clip.frames, {
          move: (by) => hold((to = within(at + by))),
          end: (moved) => {
            if (moved && to !== at) drop();
            else cancel();
            seek(to);
          },
          cancel,
        });
      }}
      onKeyDown={(event) => {
        const step = arrowStep(event);
        if (step !== 0) move(within(at + step));
        else if (event.key === "Delete") void run({ kind: "delete_key", frame: at });
        else if (event.key === "Enter") seek(at);
        else return;
        event.preventDefault();
      }}
    />
  );
}
