// The end of a bar: a slider that the mouse drags and the arrows move.
import { left } from "./ruler";
import { arrowStep, dragInTime } from "./time_drag";

export function Grip(props: {
  name: string;
  class: string;
  at: number;
  frames: number;
  top: number;
  min: number;
  max: number;
  title: string;
  /** Dragged to a frame. */
  hold(at: number): void;
  /** Let go of it there. */
  drop(): void;
  cancel(): void;
  /** Put there by the keyboard. */
  set(at: number): void;
  remove?(): void;
}) {
  const within = (at: number) => Math.max(props.min, Math.min(props.max, at));
  return (
    <span
      class={`grip-end ${props.class}`}
      role="slider"
      tabIndex={0}
      aria-label={props.name}
      aria-valuemin={props.min}
      aria-valuemax={props.max}
      aria-valuenow={props.at}
      title={props.title}
      style={{ left: left(props.at, props.frames), top: `${props.top}px` }}
      onPointerDown={(event) => {
        const from = props.at;
        dragInTime(event, props.frames, {
          move: (by) => props.hold(within(from + by)),
          end: props.drop,
          cancel: props.cancel,
        });
      }}
      onKeyDown={(event) => {
        const step = arrowStep(event);
        if (step !== 0) props.set(within(props.at + step));
        else if (event.key === "Delete" && props.remove !== undefined) props.remove();
        else return;
        event.preventDefault();
      }}
    />
  );
}
