// Paths through knots, drawn in the view: the one that is worked at bright, others quiet.
import { effect } from "@preact/signals";
import { Line2 } from "three/addons/lines/Line2.js";
import { LineGeometry } from "three/addons/lines/LineGeometry.js";
import { LineMaterial } from "three/addons/lines/LineMaterial.js";
import { place } from "../api";
import type { SpanInfo } from "../protocol";
import type { Vec3 } from "../store";
import { theme } from "../theme";
import type { View } from "../viewport/view";
import { frame } from "./clip";
import { heldKnot } from "./knots";
import { chosenSpan, spans } from "./spans";

/** From what aims to what it aims at. */
function ray({ site, start, end, knots }: SpanInfo): Vec3[] {
  const [eye, knot] = [site === null ? null : place(site), knots[0]];
  if (eye === null || knot === undefined || frame.value < start || frame.value > end) return [];
  return [eye, heldKnot.value?.target ?? knot.point];
}

export function paths(view: View): void {
  let lines: Line2[] = [];
  effect(() => {
    for (const line of lines) {
      view.scene.remove(line);
      line.geometry.dispose();
      line.material.dispose();
    }
    const dark = theme.value === "dark";
    lines = spans.value.flatMap((span) => {
      const points = span.goal_kind === "aim" ? ray(span) : span.points;
      if (points.length === 0) return [];
      const chosen = span === chosenSpan.value;
      const color = chosen ? (dark ? "#ffd166" : "#8a5a00") : dark ? "#8d97a3" : "#6b7682";
      const material = new LineMaterial({ color, linewidth: chosen ? 3 : 1.5, transparent: true, depthTest: false });
      const line = new Line2(new LineGeometry().setPositions(points.flat()), material);
      line.frustumCulled = false;
      line.renderOrder = 9;
      view.scene.add(line);
      return [line];
    });
    view.invalidate();
  });
}
