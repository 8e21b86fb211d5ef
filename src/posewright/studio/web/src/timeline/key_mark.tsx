// The keys of a frame as a mark: clicked the frame is shown, with Shift it is chosen too; dragged they move, as by the
// arrows, with all that are chosen; Delete removes them. Grips on either side say over how many frames they fade.
import { chosenKeys, goingAlong, mark, markMoved, unmark } from "../clip/chosen_keys";
import { frame, seek } from "../clip/clip";
import { run } from "../connection";
import type { ClipInfo, Command, KeyInfo } from "../protocol";
import { Grip } from "./grip";
import { left, TOP, width } from "./ruler";
import { arrowStep, dragInTime } from "./time_drag";
import { useHeld } from "./use_held";

const MIDDLE = TOP + 8; // px

export function KeyMark({ at, clip }: { at: number; clip: ClipInfo }) {
  const keys = clip.keys.filter((key) => key.frame === at);
  const chosen = chosenKeys.value.includes(at);
  const command = (to: number): Command => ({ kind: "move_key", frame: at, to, also: goingAlong(at) });
  const { now, hold, drop, cancel } = useHeld<number>(command);
  const within = (to: number) => {
    const all = [at, ...goingAlong(at)];
    return at + Math.max(-Math.min(...all), Math.min(clip.frames - 1 - Math.max(...all), to - at));
  };
  const went = (to: number) => {
    markMoved(to - at);
    seek(to);
  };
  const move = (to: number) => to !== at && void run(command(to)).then((done) => done && went(to));
  const looks = ["mark", at === frame.value && "here", chosen && "chosen", !keys.every((key) => key.reached) && "missed"];
  return (
    <>
      {at === frame.value && now.value === null && <Eases at={at} clip={clip} keys={keys} />}
      <button
        type="button"
        class={looks.filter(Boolean).join(" ")}
        style={{ left: left(now.value ?? at, clip.frames), top: `${MIDDLE}px` }}
        aria-label={`key ${at}`}
        aria-pressed={chosen}
        title={`${keys.map((key) => key.site).join(", ")} at frame ${at}. Shift-click chooses several.`}
        onPointerDown={(event) => {
          let to = at;
          const several = event.shiftKey;
          dragInTime(event, clip.frames, {
            move: (by) => hold((to = within(at + by))),
            end: (moved) => {
              if (moved && to !== at) {
                drop();
                went(to);
                return;
              }
              cancel();
              if (several) mark(at);
              else {
                unmark();
                seek(at);
              }
            },
            cancel,
          });
        }}
        onKeyDown={(event) => {
          const step = arrowStep(event);
          if (step !== 0) move(within(at + step));
          else if (event.key === "Delete") void run({ kind: "delete_key", frame: at, also: goingAlong(at) });
          else if (event.key === "Enter" && event.shiftKey) mark(at);
          else if (event.key === "Enter") seek(at);
          else return;
          event.preventDefault();
        }}
      />
    </>
  );
}

/** Over how many frames the keys of the frame shown fade in and out. */
function Eases({ at, clip, keys }: { at: number; clip: ClipInfo; keys: KeyInfo[] }) {
  const longest = (which: "ease_in" | "ease_out") => Math.max(...keys.map((key) => key[which]));
  const own: [number, number] = [longest("ease_in"), longest("ease_out")];
  const command = (ease: [number, number]): Command => ({ kind: "ease_key", frame: at, ease });
  const { now, hold, drop, cancel } = useHeld<[number, number]>(command);
  const [before, after] = now.value ?? own;
  if (own[0] <= 0) return null; // in a motion model
  const last = clip.frames - 1;
  const [from, to] = [Math.max(0, at - before), Math.min(last, at + after)];
  const by = keys.some((key) => key.eased) ? "by hand" : "as far as it goes";
  return (
    <>
      <span class="key-ease" style={{ left: left(from, clip.frames), width: width(from, to, clip.frames), top: `${MIDDLE}px` }} />
      {(["in", "out"] as const).map((which) => {
        const is = (frames: number): [number, number] => (which === "in" ? [at - frames, after] : [before, frames - at]);
        return (
          <Grip
            key={which}
            name={`key ${at} ease ${which}`}
            class={`ease_${which} of-key`}
            at={Math.round(which === "in" ? from : to)}
            frames={clip.frames}
            top={MIDDLE}
            min={which === "in" ? 0 : at + 1}
            max={which === "in" ? at - 1 : last}
            title={`ease ${which} over ${Math.round(which === "in" ? before : after)} frames, ${by}; Delete: as far as it takes`}
            hold={(next) => hold(is(next))}
            drop={drop}
            cancel={cancel}
            set={(next) => void run(command(is(next)))}
            remove={() => void run({ kind: "ease_key", frame: at })}
          />
        );
      })}
    </>
  );
}
