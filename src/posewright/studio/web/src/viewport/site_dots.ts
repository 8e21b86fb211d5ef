// Named sites as small dots while the mouse is over the body.
import { effect } from "@preact/signals";
import { BufferAttribute, BufferGeometry, Points, PointsMaterial } from "three";
import { place } from "../api";
import { doc, hovered, showsGoals } from "../store";
import type { View } from "./view";

export function siteDots(view: View): void {
  const geometry = new BufferGeometry();
  const material = new PointsMaterial({ color: "#ffffff", size: 5, sizeAttenuation: false, depthTest: false, transparent: true, opacity: 0.85 });
  material.onBeforeCompile = (shader) => {
    const round = "if (length(gl_PointCoord - 0.5) > 0.5) discard;";
    shader.fragmentShader = shader.fragmentShader.replace("#include <clipping_planes_fragment>", round);
  };
  const dots = new Points(geometry, material);
  dots.frustumCulled = false;
  dots.renderOrder = 9;
  view.scene.add(dots);
  effect(() => {
    const shown = hovered.value >= 0 && showsGoals.value ? (doc.value?.sites ?? []) : [];
    if (shown.length === 0 && !dots.visible) return;
    const points = shown.flatMap((site) => place(site.name) ?? []);
    geometry.setAttribute("position", new BufferAttribute(new Float32Array(points), 3));
    dots.visible = points.length > 0;
    view.invalidate();
  });
}
