// Knots of the path that is worked at: handles that the mouse drags and the keyboard moves.
import { signal } from "@preact/signals";
import { PLACES } from "../api";
import { run } from "../connection";
import type { SpanInfo } from "../protocol";
import type { Vec3 } from "../store";
import { useAfterDraw } from "../viewport/after_draw";
import type { Gesture } from "../viewport/gestures";
import { handleUnder } from "../viewport/handle_under";
import { clientPoint, type View } from "../viewport/view";
import { seek, showsClip } from "./clip";
import { nudged } from "../viewport/nudge";
import { PlaneDrag } from "./plane_drag";
import { chosenSpan } from "./spans";

/** The knot in the user's hand, and where. */
export const heldKnot = signal<{ number: number; target: Vec3 } | null>(null);

/** A press on a knot. */
export function grabKnot(view: View, event: PointerEvent): Gesture | null {
  const handle = handleUnder(event);
  const span = chosenSpan.value;
  if (handle?.dataset["knot"] === undefined || span === null || event.button !== 0) return null;
  const number = Number(handle.dataset["knot"]);
  const knot = span.knots[number];
  if (knot === undefined) return null;
  handle.focus({ preventScroll: true });
  seek(knot.frame);
  return new PlaneDrag(view, event, {
    at: knot.point,
    command: (point) => ({ kind: "set_knot", span: span.name, knot: number, point }),
    held: (target) => (heldKnot.value = target === null ? null : { number, target }),
    click: () => {},
  });
}

export function Knots({ view }: { view: View }) {
  const layer = useAfterDraw(view, place);
  void heldKnot.value;
  const span = chosenSpan.value;
  return (
    <div class="handles" ref={layer}>
      {showsClip.value &&
        span?.knots.map((knot, k) => (
          <button
            key={k}
            type="button"
            class={`handle knot ${span.reached ? "" : "missed"}`}
            data-knot={k}
            aria-label={`knot ${k} of ${span.name}`}
            title={`${span.name}, knot ${k}, frame ${+knot.frame.toFixed(2)}`}
            onKeyDown={(event) => onKey(event, span, k, view)}
          />
        ))}
    </div>
  );
}

/** Arrows move the knot in the plane of the camera; Delete removes it. */
function onKey(event: KeyboardEvent, span: SpanInfo, number: number, view: View): void {
  const move = (point: Vec3) => run({ kind: "set_knot", span: span.name, knot: number, point });
  if (nudged(event, `knot ${number} ${span.name}`, span.knots[number]!.point, view, move)) event.preventDefault();
  else if (event.key === "Delete") removeKnot(span, number);
  else if (event.key === "Enter") seek(span.knots[number]!.frame);
  else return;
  event.preventDefault();
}

/** The last knot goes with its path. */
export function removeKnot(span: SpanInfo, number: number): void {
  const last = span.knots.length === 1;
  void run(last ? { kind: "delete_span", span: span.name } : { kind: "delete_knot", span: span.name, knot: number });
}

function place(layer: HTMLElement | null, view: View): void {
  if (layer === null) return;
  const corner = layer.getBoundingClientRect();
  for (const element of layer.children) {
    if (!(element instanceof HTMLElement)) continue;
    const number = Number(element.dataset["knot"]);
    const target = heldKnot.value?.number === number ? heldKnot.value.target : chosenSpan.value?.knots[number]?.point;
    const at = target === undefined ? null : view.clientPoint(target);
    element.hidden = at === null;
    if (at !== null) element.style.translate = `${at[0] - corner.left}px ${at[1] - corner.top}px`;
  }
}

PLACES.set("knot", (name) => {
  const knot = chosenSpan.value?.knots[Number(name)];
  return knot === undefined ? null : clientPoint(knot.point);
});
