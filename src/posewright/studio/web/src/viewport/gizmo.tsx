// The gizmo: arrows that move the selected goal along an axis (W), rings that turn it, or what a clip holds, about one (E).
import { computed, effect } from "@preact/signals";
import { Color, Plane, Quaternion, Vector3 } from "three";
import { LineMaterial } from "three/addons/lines/LineMaterial.js";
import { LineSegments2 } from "three/addons/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/addons/lines/LineSegmentsGeometry.js";
import { place, PLACES } from "../api";
import { frame, showsClip } from "../clip/clip";
import { Preview } from "../clip/preview";
import { chosenSpan } from "../clip/spans";
import { run } from "../connection";
import type { Command } from "../protocol";
import { selectedGoal, tool, type Vec3 } from "../store";
import { theme } from "../theme";
import { useAfterDraw } from "./after_draw";
import type { Gesture } from "./gestures";
import { under } from "../goals/goal_drag";
import { handleUnder } from "./handle_under";
import { held, LiveDrag, type Turn } from "./live_drag";
import { stepped } from "./nudge";
import type { View } from "./view";

type Axis = "x" | "y" | "z";
const AXES: Record<Axis, Vector3> = { x: new Vector3(1, 0, 0), y: new Vector3(0, 1, 0), z: new Vector3(0, 0, 1) };
const NAMES: Axis[] = ["x", "y", "z"];
const COLOURS: Record<Axis, { dark: string; light: string }> = {
  x: { dark: "#ff6b6b", light: "#c22f2f" },
  y: { dark: "#6fd36f", light: "#23802b" },
  z: { dark: "#6aa8ff", light: "#1f5fc0" },
};
const LENGTH = 74; // px
const NEAREST = 24; // px: a grip nearer to the goal's handle would cover it
const STEP = 0.01; // m
const ANGLE = (5 * Math.PI) / 180;
const ROUND = 64;

/** Something that the gizmo moves or turns. */
interface Subject {
  at: Vec3;
  turns: boolean;
  /** The mouse takes it. */
  take(): Hand;
  /** The keyboard moves it by a step, or turns it. */
  step(by: Vector3 | null, turn: Turn | null): void;
}

interface Hand {
  move(target: Vec3 | null, turn: Turn | null): void;
  end(): void;
  cancel(): void;
}

const wxyz = ([x, y, z, w]: Turn): Turn => [w, x, y, z];

/** The selected goal, by the chosen tool, if it can be moved or turned so. */
function ofGoal(): Subject | null {
  const goal = selectedGoal.value;
  const turns = tool.value === "turn";
  if (goal === null || tool.value === "select" || !(turns ? goal.turnable : goal.movable)) return null;
  const inHand = held.value?.name === goal.name ? held.value.target : null;
  const at = inHand ?? goal.target;
  if (at === null) return null;
  const { name } = goal;
  const step = (by: Vector3 | null, turn: Turn | null) => {
    if (by !== null) stepped(`goal ${name}`, at, by, (to) => run({ kind: "move_goals", targets: { [name]: to } }));
    if (turn !== null) void run({ kind: "move_goals", targets: {}, turns: { [name]: wxyz(turn) } });
  };
  return { at, turns, take: () => new LiveDrag(name, null), step };
}

/** What is held turned in a clip, in the frames in which it is. */
function ofSpan(): Subject | null {
  const span = showsClip.value ? chosenSpan.value : null;
  if (span === null || !span.turnable || span.site === null || frame.value < span.start || frame.value > span.end) return null;
  const at = place(span.site);
  if (at === null) return null;
  const command = (turn: Turn): Command => ({ kind: "turn_span", span: span.name, turn: wxyz(turn) });
  const take = (): Hand => {
    const preview = new Preview();
    return { move: (_, turn) => turn !== null && preview.show(command(turn)), end: () => void preview.end(), cancel: () => preview.cancel() };
  };
  return { at, turns: true, take, step: (_, turn) => turn !== null && void run(command(turn)) };
}

const shown = computed<Subject | null>(() => ofGoal() ?? ofSpan());

let lastView: View | null = null;

/** Length of the gizmo at a point, m. */
function reach(view: View, at: Vector3): number {
  return LENGTH * view.metresPerPixel(at);
}

/** Where an axis is taken hold of: the tip of its arrow, or the point of its ring that is nearest to the camera. */
function grip(view: View, axis: Axis, at: Vector3, turns: boolean): Vector3 {
  const along = AXES[axis];
  const length = reach(view, at);
  if (!turns) return at.clone().addScaledVector(along, length);
  const towards = view.camera.position.clone().sub(at).normalize();
  // Away from the other rings' crossings: a little aside of the nearest point.
  const aside = new Vector3().crossVectors(along, towards).normalize();
  const near = towards.clone().addScaledVector(along, -towards.dot(along)).normalize();
  return at.clone().addScaledVector(near.multiplyScalar(0.77).addScaledVector(aside, 0.64).normalize(), length);
}

/** Where on the page an axis is taken hold of; null: it is not in view, or points at the camera. */
function gripOnPage(view: View, axis: Axis, on: { at: Vec3; turns: boolean }): [number, number] | null {
  const [tip, centre] = [grip(view, axis, new Vector3(...on.at), on.turns), view.clientPoint(on.at)];
  const at = view.clientPoint(tip.toArray() as Vec3);
  if (at === null || centre === null) return at;
  return Math.hypot(at[0] - centre[0], at[1] - centre[1]) < NEAREST ? null : at;
}

PLACES.set("gizmo", (name) => {
  const on = shown.value;
  if (on === null || lastView === null || !NAMES.includes(name as Axis)) return null;
  return gripOnPage(lastView, name as Axis, on);
});

/** The lines of the gizmo, as a layer of the view. */
export function gizmo(view: View): void {
  lastView = view;
  const material = new LineMaterial({ linewidth: 3, vertexColors: true, depthTest: false, transparent: true });
  const lines = new LineSegments2(new LineSegmentsGeometry(), material);
  lines.frustumCulled = false;
  lines.renderOrder = 20;
  lines.visible = false;
  view.scene.add(lines);
  const draw = () => {
    const on = shown.value;
    lines.visible = on !== null;
    if (on === null) return;
    const at = new Vector3(...on.at);
    const length = reach(view, at);
    const points: number[] = [];
    const colours: number[] = [];
    for (const axis of NAMES) {
      const colour = new Color(COLOURS[axis][theme.value]);
      for (const [from, to] of pieces(view, axis, at, length, on.turns)) {
        points.push(...from.toArray(), ...to.toArray());
        colours.push(...colour.toArray(), ...colour.toArray());
      }
    }
    lines.geometry.dispose();
    lines.geometry = new LineSegmentsGeometry();
    lines.geometry.setPositions(points);
    lines.geometry.setColors(colours);
  };
  view.beforeDraw.push(draw);
  effect(() => {
    void [shown.value, theme.value];
    view.invalidate();
  });
}

function pieces(view: View, axis: Axis, at: Vector3, length: number, turns: boolean): [Vector3, Vector3][] {
  const along = AXES[axis];
  if (!turns) {
    const tip = at.clone().addScaledVector(along, length);
    return [[at.clone().addScaledVector(along, 0.18 * length), tip]];
  }
  const u = AXES[axis === "x" ? "y" : "x"];
  const v = new Vector3().crossVectors(along, u);
  const points = Array.from({ length: ROUND + 1 }, (_, k) => {
    const angle = (2 * Math.PI * k) / ROUND;
    return at.clone().addScaledVector(u, length * Math.cos(angle)).addScaledVector(v, length * Math.sin(angle));
  });
  // Only the half that faces the camera: which ring is in front is then clear.
  const towards = view.camera.position.clone().sub(at);
  return points
    .slice(1)
    .map((point, k) => [points[k]!, point] as [Vector3, Vector3])
    .filter(([from]) => from.clone().sub(at).dot(towards) > -0.05 * length * towards.length());
}

/** Elements where axes are taken hold of, which the keyboard moves. */
export function GizmoGrips({ view }: { view: View }) {
  const layer = useAfterDraw(view, placeGrips);
  const on = shown.value;
  return (
    <div class="handles grips" ref={layer}>
      {on !== null &&
        NAMES.map((axis) => (
          <button
            key={axis}
            type="button"
            class={`grip ${axis} ${on.turns ? "turns" : "moves"}`}
            data-axis={axis}
            aria-label={`gizmo ${axis}`}
            title={`${on.turns ? "Turn about" : "Move along"} ${axis}`}
            onKeyDown={(event) => step(event, axis, on)}
          >
            {axis}
          </button>
        ))}
    </div>
  );
}

function placeGrips(layer: HTMLElement | null, view: View): void {
  const on = shown.value;
  if (layer === null || on === null) return;
  const corner = layer.getBoundingClientRect();
  for (const element of layer.children as HTMLCollectionOf<HTMLElement>) {
    const at = gripOnPage(view, element.dataset["axis"] as Axis, on);
    element.hidden = at === null;
    if (at !== null) element.style.translate = `${at[0] - corner.left}px ${at[1] - corner.top}px`;
  }
}

function step(event: KeyboardEvent, axis: Axis, on: Subject): void {
  const sign = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
  if (sign === undefined) return;
  event.preventDefault();
  if (on.turns) on.step(null, about(axis, sign * ANGLE * (event.shiftKey ? 6 : 1)));
  else on.step(AXES[axis].clone().multiplyScalar(sign * STEP * (event.shiftKey ? 10 : 1)), null);
}

function about(axis: Axis, angle: number): Turn {
  return new Quaternion().setFromAxisAngle(AXES[axis], angle).toArray() as Turn;
}

/** A press on an arrow or a ring. */
export function grabGizmo(view: View, event: PointerEvent): Gesture | null {
  const element = handleUnder(event);
  const on = shown.value;
  if (event.button !== 0 || on === null) return null;
  const axis = (element?.dataset["axis"] as Axis | undefined) ?? onLine(view, event, on);
  if (axis === null) return null;
  element?.focus({ preventScroll: true });
  return on.turns ? new RingDrag(view, event, axis, on) : new ArrowDrag(view, event, axis, on);
}

/** The axis whose line is under the mouse. */
function onLine(view: View, event: PointerEvent, on: { at: Vec3; turns: boolean }): Axis | null {
  const at = new Vector3(...on.at);
  const mouse = [event.clientX, event.clientY] as const;
  for (const axis of NAMES) {
    for (const [from, to] of pieces(view, axis, at, reach(view, at), on.turns)) {
      const [a, b] = [view.clientPoint(from.toArray() as Vec3), view.clientPoint(to.toArray() as Vec3)];
      if (a !== null && b !== null && fromSegment(mouse, a, b) < 5) return axis;
    }
  }
  return null;
}

function fromSegment(p: readonly [number, number], a: [number, number], b: [number, number]): number {
  const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
  const share = Math.max(0, Math.min(1, ((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / (dx * dx + dy * dy || 1)));
  return Math.hypot(p[0] - a[0] - share * dx, p[1] - a[1] - share * dy);
}

class ArrowDrag implements Gesture {
  private readonly at: Vector3;
  private readonly from: number;
  private readonly drag: Hand;

  constructor(
    private readonly view: View,
    event: PointerEvent,
    private readonly axis: Axis,
    on: Subject,
  ) {
    this.at = new Vector3(...on.at);
    this.from = this.along(event) ?? 0;
    this.drag = on.take();
  }

  move(event: PointerEvent): void {
    const along = this.along(event);
    if (along === null) return;
    this.drag.move(this.at.clone().addScaledVector(AXES[this.axis], along - this.from).toArray() as Vec3, null);
  }

  end(): void {
    this.drag.end();
  }

  cancel(): void {
    this.drag.cancel();
  }

  /** How far along the axis the mouse is: in the plane through the axis that faces the camera best. */
  private along(event: PointerEvent): number | null {
    const along = AXES[this.axis];
    const facing = this.view.camera.getWorldDirection(new Vector3());
    const normal = facing.addScaledVector(along, -facing.dot(along));
    if (normal.length() < 0.05) return null; // it points at the camera
    const place = under(this.view, event, new Plane().setFromNormalAndCoplanarPoint(normal.normalize(), this.at));
    return place === null ? null : place.sub(this.at).dot(along);
  }
}

class RingDrag implements Gesture {
  private readonly at: Vector3;
  private readonly from: number;
  private readonly drag: Hand;
  private readonly start: [number, number];
  private readonly tangent: [number, number];

  constructor(
    private readonly view: View,
    event: PointerEvent,
    private readonly axis: Axis,
    on: Subject,
  ) {
    this.at = new Vector3(...on.at);
    this.start = [event.clientX, event.clientY];
    this.tangent = this.pixelsPerRadian();
    this.from = this.angle(event);
    this.drag = on.take();
  }

  move(event: PointerEvent): void {
    this.drag.move(null, about(this.axis, this.angle(event) - this.from));
  }

  end(): void {
    this.drag.end();
  }

  cancel(): void {
    this.drag.cancel();
  }

  /** Of the mouse about the axis; where the ring is seen from its edge, by how far it went along the ring. */
  private angle(event: PointerEvent): number {
    const along = AXES[this.axis];
    const facing = Math.abs(this.view.camera.getWorldDirection(new Vector3()).dot(along));
    const place = facing < 0.35 ? null : under(this.view, event, new Plane().setFromNormalAndCoplanarPoint(along, this.at));
    if (place !== null) {
      const u = AXES[this.axis === "x" ? "y" : "x"];
      const v = new Vector3().crossVectors(along, u);
      place.sub(this.at);
      return Math.atan2(place.dot(v), place.dot(u));
    }
    const [tx, ty] = this.tangent;
    const moved = (event.clientX - this.start[0]) * tx + (event.clientY - this.start[1]) * ty;
    return moved / (tx * tx + ty * ty || 1);
  }

  private pixelsPerRadian(): [number, number] {
    const place = grip(this.view, this.axis, this.at, true);
    const turned = place.clone().sub(this.at).applyAxisAngle(AXES[this.axis], 0.02).add(this.at);
    const a = this.view.clientPoint(place.toArray() as Vec3) ?? this.start;
    const b = this.view.clientPoint(turned.toArray() as Vec3) ?? a;
    return [(b[0] - a[0]) / 0.02, (b[1] - a[1]) / 0.02];
  }
}
