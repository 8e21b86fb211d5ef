// Dragging something along the timeline, in whole frames.
import { hold } from "../hand";
import { frameAt } from "./ruler";

/** What is dragged sees how many frames it has gone. */
export interface TimeDrag {
  move(by: number, at: number): void;
  /** Let go; `moved`: whether it went anywhere. */
  end(moved: boolean): void;
  cancel(): void;
}

/** The frame under the mouse, with fractions, in the timeline that an element is in. */
export function frameUnder(event: MouseEvent, element: Element, frames: number): number {
  const box = element.closest(".track")!.getBoundingClientRect();
  return frameAt(event.clientX - box.left, frames, box.width);
}

/** To be called on a press; the mouse stays with the element until it is released. */
export function dragInTime(event: PointerEvent, frames: number, drag: TimeDrag): void {
  const element = event.currentTarget as HTMLElement;
  if (event.button !== 0) return;
  event.stopPropagation();
  element.setPointerCapture(event.pointerId);
  const from = frameUnder(event, element, frames);
  const x = event.clientX;
  let by = 0;
  let moved = false;
  const over = new AbortController();
  const { signal } = over;
  const move = (next: PointerEvent) => {
    if (!moved && Math.abs(next.clientX - x) < 3) return;
    moved = true;
    const at = frameUnder(next, element, frames);
    const now = Math.round(at - from);
    if (now === by && by !== 0) return;
    by = now;
    drag.move(by, at);
  };
  const finish = (how: () => void) => {
    over.abort();
    released();
    how();
  };
  const released = hold(() => finish(() => drag.cancel()));
  element.addEventListener("pointermove", move, { signal });
  element.addEventListener("pointerup", () => finish(() => drag.end(moved)), { signal });
  element.addEventListener("pointercancel", () => finish(() => drag.cancel()), { signal });
}

/** Frames that an arrow key means; 0: it is another key. */
export function arrowStep(event: KeyboardEvent): number {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key] ?? 0;
  return step * (event.shiftKey ? 10 : 1);
}
