// What the mouse does in the view. A press asks each grab in turn; the first that answers has the mouse until release.
import { showsClip } from "../clip/clip";
import { grabKey } from "../clip/key_drag";
import { grabKnot } from "../clip/knots";
import { hold } from "../hand";
import { mark } from "../marks";
import { readOnly } from "../recording";
import { hovered, menu, scene, selection } from "../store";
import { grabJoint } from "../retarget/match_click";
import { grabGizmo } from "./gizmo";
import { grabBody, grabHandle, openMenu } from "../goals/goal_drag";
import { pick } from "./picking";
import type { View } from "./view";

export interface Gesture {
  /** The mouse stays with the element it pressed. */
  chrome?: boolean;
  /** It turns the camera or takes a click: keys do what they always do meanwhile. */
  looks?: boolean;
  move(event: PointerEvent): void;
  /** Released; `moved` is false for a click. */
  end(moved: boolean): void;
  /** Escape or Undo, or the browser took the mouse away. */
  cancel(): void;
}

export type Grab = (view: View, event: PointerEvent) => Gesture | null;

export const GRABS: Grab[] = [grabChrome, grabJoint, grabKnot, grabKey, grabHandle, grabGizmo, grabBody, grabCamera];

/** Where there is nothing to edit: a drag turns the camera wherever it begins, a click selects a joint. */
const VIEWING: Grab[] = [grabChrome, grabLook];

/** Buttons over the picture do what they do. */
function grabChrome(_: View, event: PointerEvent): Gesture | null {
  const own = event.target instanceof Element && event.target.closest("[data-chrome]") !== null;
  return own ? { chrome: true, move() {}, end() {}, cancel() {} } : null;
}

const CLICK = 3; // px; a press that moves less is a click

export function listenToMouse(view: View, box: HTMLElement): void {
  let gesture: Gesture | null = null;
  let released = () => {};
  let button = 0;
  let from: [number, number] = [0, 0];
  let moved = false;
  box.addEventListener("pointerdown", (event) => {
    if (gesture !== null) return;
    from = [event.clientX, event.clientY];
    moved = false;
    for (const grab of readOnly ? VIEWING : GRABS) {
      gesture = grab(view, event);
      if (gesture !== null) break;
    }
    menu.value = gesture?.chrome ? menu.value : null;
    if (gesture?.chrome) gesture = null;
    if (gesture === null) return;
    box.setPointerCapture(event.pointerId);
    box.dataset["busy"] = "true";
    button = event.button;
    released = gesture.looks ? () => {} : hold(finish((held) => held.cancel()));
  });
  const follow = (event: PointerEvent) => {
    if (gesture === null || (!moved && Math.hypot(event.clientX - from[0], event.clientY - from[1]) < CLICK)) return;
    moved = true;
    mark("drag", event);
    gesture.move(event);
  };
  // What is in the hand follows the mouse itself where the browser tells of it, not only once per picture of the screen.
  box.addEventListener("onpointerrawupdate" in window ? "pointerrawupdate" : "pointermove", follow as EventListener);
  box.addEventListener("pointermove", (event) => {
    if (gesture === null) hover(view, box, event);
    else if (event.button === button && event.buttons !== 0) finish((ended) => ended.end(moved))(); // others are down
  });
  const finish = (how: (gesture: Gesture) => void) => () => {
    const ended = gesture;
    gesture = null;
    released();
    delete box.dataset["busy"];
    if (ended !== null) how(ended);
  };
  box.addEventListener("pointerup", finish((ended) => ended.end(moved)));
  box.addEventListener("pointercancel", finish((ended) => ended.cancel()));
  box.addEventListener("pointerleave", () => (hovered.value = -1));
  box.addEventListener("contextmenu", (event) => event.preventDefault());
  box.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      view.orbit.zoom(event.deltaY);
      view.invalidate();
    },
    { passive: false },
  );
}

function hover(view: View, box: HTMLElement, event: PointerEvent): void {
  const onHandle = event.target instanceof Element && event.target.closest("[data-goal], [data-axis], [data-key], [data-knot]") !== null;
  const found = onHandle ? null : pick(view, event.clientX, event.clientY);
  hovered.value = found?.joint ?? -1;
  box.dataset["over"] = onHandle ? "handle" : found === null ? "nothing" : "body";
}

function grabLook(view: View, event: PointerEvent): Gesture {
  const camera = grabCamera(view, event);
  return {
    ...camera,
    end(moved) {
      if (moved || event.button !== 0) return;
      const found = pick(view, event.clientX, event.clientY);
      const joint = found === null ? undefined : scene.value?.joints[found.joint];
      selection.value = joint === undefined ? null : { kind: "joint", name: joint.name };
    },
  };
}

/** Empty space: the left button turns the camera, the right one (or Shift) shifts it. */
export function grabCamera(view: View, event: PointerEvent): Gesture {
  const shift = event.button === 2 || event.shiftKey;
  let [x, y] = [event.clientX, event.clientY];
  return {
    looks: true,
    move(next) {
      const [dx, dy] = [next.clientX - x, next.clientY - y];
      [x, y] = [next.clientX, next.clientY];
      if (shift) view.orbit.pan(dx, dy, view.camera, view.canvas.clientHeight);
      else view.orbit.turn(dx, dy);
      view.invalidate();
    },
    end(moved) {
      if (moved) return;
      if (event.button === 2 && !showsClip.value && openMenu(view, event.clientX, event.clientY)) return;
      selection.value = null;
    },
    cancel() {},
  };
}
