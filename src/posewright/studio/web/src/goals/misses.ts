// A line from a site to the goal that it does not reach.
import { effect } from "@preact/signals";
import { BufferAttribute, BufferGeometry, LineBasicMaterial, LineSegments } from "three";
import { place } from "../api";
import { goals } from "../store";
import type { View } from "../viewport/view";

/** Kinds whose site belongs at the target itself. */
const DIRECT = new Set(["position", "placement"]);

export function misses(view: View): void {
  const geometry = new BufferGeometry();
  const material = new LineBasicMaterial({ color: "#f2b04a", depthTest: false, transparent: true });
  const lines = new LineSegments(geometry, material);
  lines.frustumCulled = false;
  lines.renderOrder = 10;
  view.scene.add(lines);
  effect(() => {
    const points: number[] = [];
    for (const goal of goals.value) {
      const site = goal.site === null ? null : place(goal.site);
      if (goal.enabled && !goal.reached && DIRECT.has(goal.goal_kind) && goal.target !== null && site !== null) points.push(...site, ...goal.target);
    }
    geometry.setAttribute("position", new BufferAttribute(new Float32Array(points), 3));
    lines.visible = points.length > 0;
    view.invalidate();
  });
}
