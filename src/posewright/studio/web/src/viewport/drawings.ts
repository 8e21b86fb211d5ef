// What goals want, drawn in the view: directions, rays, lines, patches, boxes, the plumb line. A drawing per kind.
import { effect } from "@preact/signals";
import { BufferAttribute, BufferGeometry, Color, DoubleSide, Mesh, MeshBasicMaterial, Quaternion, Vector3 } from "three";
import { LineMaterial } from "three/addons/lines/LineMaterial.js";
import { LineSegments2 } from "three/addons/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/addons/lines/LineSegmentsGeometry.js";
import { place } from "../api";
import { goals, pose, scene, selection, type Goal, type Vec3 } from "../store";
import { theme } from "../theme";
import { held } from "../goals/goal_drag";
import { supportPolygon } from "./support";
import type { View } from "./view";

type Fields = Record<string, unknown>;

/** Lines and patches in the making. */
class Sketch {
  readonly lines: number[] = [];
  readonly lineColours: number[] = [];
  readonly faces: number[] = [];
  readonly faceColours: number[] = [];
  colour = new Color();

  constructor(
    readonly size: number,
    readonly turn: Quaternion | null,
  ) {}

  line(from: Vector3, to: Vector3): void {
    this.lines.push(...from.toArray(), ...to.toArray());
    for (let k = 0; k < 2; k++) this.lineColours.push(...this.colour.toArray());
  }

  path(points: Vector3[], closed = false): void {
    points.slice(1).forEach((point, k) => this.line(points[k]!, point));
    if (closed && points.length > 1) this.line(points.at(-1)!, points[0]!);
  }

  /** A line with a head. */
  arrow(from: Vector3, along: Vector3, length: number): void {
    const to = from.clone().addScaledVector(along, length);
    this.line(from, to);
    const [u, v] = across(along);
    for (const side of [u, u.clone().negate(), v, v.clone().negate()]) {
      this.line(to, to.clone().addScaledVector(along, -0.18 * length).addScaledVector(side, 0.08 * length));
    }
  }

  face(corners: Vector3[]): void {
    for (let k = 1; k + 1 < corners.length; k++) {
      for (const corner of [corners[0]!, corners[k]!, corners[k + 1]!]) {
        this.faces.push(...corner.toArray());
        this.faceColours.push(...this.colour.toArray());
      }
    }
  }

  patch(middle: Vector3, normal: Vector3): void {
    const [u, v] = across(normal);
    const half = 0.17 * this.size;
    const corners = [[1, 1], [1, -1], [-1, -1], [-1, 1]].map(([a, b]) =>
      middle.clone().addScaledVector(u, a! * half).addScaledVector(v, b! * half),
    );
    this.face(corners);
    this.path(corners, true);
  }

  circle(middle: Vector3, normal: Vector3, radius: number): void {
    const [u, v] = across(normal);
    const points = Array.from({ length: 48 }, (_, k) => {
      const angle = (2 * Math.PI * k) / 48;
      return middle.clone().addScaledVector(u, radius * Math.cos(angle)).addScaledVector(v, radius * Math.sin(angle));
    });
    this.path(points, true);
  }

  /** A direction of the goal, turned as the user holds it. */
  direction(value: unknown): Vector3 | null {
    if (!Array.isArray(value)) return null;
    const found = new Vector3(...(value as Vec3));
    return this.turn === null ? found : found.applyQuaternion(this.turn);
  }
}

function across(along: Vector3): [Vector3, Vector3] {
  const aside = Math.abs(along.y) < 0.9 ? new Vector3(0, 1, 0) : new Vector3(0, 0, 1);
  const u = new Vector3().crossVectors(along, aside).normalize();
  return [u, new Vector3().crossVectors(along, u)];
}

/** A point of a goal: numbers, or the name of a site. */
function point(value: unknown): Vector3 | null {
  if (typeof value === "string") return point(place(value));
  return Array.isArray(value) ? new Vector3(...(value as Vec3)) : null;
}

type Drawing = (sketch: Sketch, fields: Fields, at: Vector3 | null, branch: number) => void;

function axes(sketch: Sketch, fields: Fields, at: Vector3 | null): void {
  const where = at ?? point(fields["site"]);
  if (where === null) return;
  for (const [name, length] of [["x", 0.12], ["y", 0.07]] as const) {
    const along = sketch.direction(fields[name]);
    if (along !== null) sketch.arrow(where, along, length * sketch.size);
  }
}

function surface(sketch: Sketch, fields: Fields, at: Vector3 | null): void {
  const [middle, normal] = [at ?? point(fields["point"]), sketch.direction(fields["normal"])];
  if (middle === null || normal === null) return;
  sketch.patch(middle, normal);
  sketch.arrow(middle, normal, 0.1 * sketch.size);
}

/** How each kind is drawn; `at` is where its handle is. Position goals have their handle alone. */
const DRAWINGS: Record<string, Drawing> = {
  orientation: axes,
  placement: axes,
  plane: surface,
  half_space(sketch, fields, at) {
    surface(sketch, fields, at);
    const [middle, normal] = [at ?? point(fields["point"]), sketch.direction(fields["normal"])];
    if (middle === null || normal === null) return;
    const [u] = across(normal);
    for (const k of [-0.12, -0.06, 0.06, 0.12]) {
      sketch.arrow(middle.clone().addScaledVector(u, k * sketch.size), normal, 0.05 * sketch.size);
    }
  },
  aim(sketch, fields, at) {
    const eye = point(fields["site"]);
    if (eye !== null && at !== null) sketch.line(eye, at);
    if (at !== null) for (const axis of BASIS) sketch.circle(at, axis, 0.018 * sketch.size);
  },
  distance(sketch, fields, at) {
    const site = point(fields["site"]);
    if (at === null || site === null) return;
    const radius = Number(fields["distance"]);
    sketch.line(at, site);
    const up = new Vector3().crossVectors(site.clone().sub(at), BASIS[1]!);
    sketch.circle(at, BASIS[1]!, radius);
    if (up.lengthSq() > 1e-12) sketch.circle(at, up.normalize(), radius);
  },
  line(sketch, fields, at) {
    const [middle, along] = [at ?? point(fields["point"]), sketch.direction(fields["direction"])];
    if (middle === null || along === null) return;
    const half = 0.32 * sketch.size;
    sketch.line(middle.clone().addScaledVector(along, -half), middle.clone().addScaledVector(along, half));
  },
  outside(sketch, fields, at) {
    const box = fields["box"] as [Vec3, Vec3] | undefined;
    if (box === undefined || at === null) return;
    const half = new Vector3(...box[1]).sub(new Vector3(...box[0])).multiplyScalar(0.5);
    const corner = (k: number) =>
      at.clone().add(half.clone().multiply(new Vector3(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1)));
    for (const side of [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]]) {
      sketch.face(side.map(corner));
      sketch.path(side.map(corner), true);
    }
  },
  centre_of_mass(sketch, fields, at) {
    const [figure, frame] = [scene.value, pose.value];
    if (figure === null || frame?.centre == null) return;
    const centre = new Vector3(...frame.centre);
    const foot = new Vector3(centre.x, figure.floor, centre.z);
    sketch.line(centre, foot);
    for (const axis of BASIS) sketch.circle(centre, axis, 0.02 * sketch.size);
    const polygon = supportPolygon(figure, frame).map(([x, z]) => new Vector3(x, figure.floor + 0.002, z));
    sketch.face(polygon);
    sketch.path(polygon, true);
    if (at !== null) sketch.circle(at, BASIS[1]!, 0.03 * sketch.size);
    if (at !== null) sketch.line(fields["vertical"] === false ? centre : foot, at);
  },
  any_of(sketch, fields, at, branch) {
    const members = fields["members"] as Fields[];
    const bright = sketch.colour.clone();
    members.forEach((member, k) => {
      sketch.colour = k === branch ? bright : bright.clone().lerp(new Color("#888"), 0.7);
      const where = point(member["target"] ?? member["point"]);
      if (where !== null) for (const axis of BASIS) sketch.circle(where, axis, (k === branch ? 0.022 : 0.012) * sketch.size);
      if (where !== null && at !== null) sketch.line(at, where);
      DRAWINGS[String(member["kind"])]?.(sketch, member, where, -1);
    });
    sketch.colour = bright;
  },
};

const BASIS = [new Vector3(1, 0, 0), new Vector3(0, 1, 0), new Vector3(0, 0, 1)];

function colourOf(goal: Goal): string {
  const chosen = selection.value?.kind === "goal" && selection.value.name === goal.name;
  if (!goal.enabled) return "#8a929b";
  if (!goal.reached) return theme.value === "dark" ? "#f2b04a" : "#a86a00";
  if (chosen) return theme.value === "dark" ? "#ffb59f" : "#7d2409";
  return theme.value === "dark" ? "#e9714f" : "#b8401d";
}

export function drawings(view: View): void {
  const material = new LineMaterial({ linewidth: 2, vertexColors: true, transparent: true, depthTest: false });
  const lines = new LineSegments2(new LineSegmentsGeometry(), material);
  const fill = new MeshBasicMaterial({ vertexColors: true, transparent: true, opacity: 0.14, side: DoubleSide });
  fill.depthWrite = false;
  const patches = new Mesh(new BufferGeometry(), fill);
  lines.frustumCulled = patches.frustumCulled = false;
  lines.renderOrder = 8;
  patches.renderOrder = 7;
  view.scene.add(lines, patches);
  effect(() => {
    const size = scene.value?.height ?? 1.75;
    const all = goals.value.map((goal) => {
      const inHand = held.value?.name === goal.name ? held.value : null;
      const turn = inHand?.turn == null ? null : new Quaternion(...inHand.turn);
      const sketch = new Sketch(size, turn);
      sketch.colour.set(colourOf(goal));
      const at = inHand?.target ?? goal.target;
      DRAWINGS[goal.goal_kind]?.(sketch, goal.fields, at === null ? null : new Vector3(...at), goal.branch);
      return sketch;
    });
    const points = all.flatMap((sketch) => sketch.lines);
    lines.geometry.dispose();
    lines.geometry = new LineSegmentsGeometry();
    if (points.length > 0) {
      lines.geometry.setPositions(points);
      lines.geometry.setColors(all.flatMap((sketch) => sketch.lineColours));
    }
    lines.visible = points.length > 0;
    const faces = all.flatMap((sketch) => sketch.faces);
    patches.geometry.setAttribute("position", new BufferAttribute(new Float32Array(faces), 3));
    patches.geometry.setAttribute(
      "color",
      new BufferAttribute(new Float32Array(all.flatMap((sketch) => sketch.faceColours)), 3),
    );
    patches.visible = faces.length > 0;
    view.invalidate();
  });
}
