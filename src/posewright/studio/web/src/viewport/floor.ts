// The floor: a grid that fades into the distance, the sun's shadow, and a darkening where the body is near it.
import { effect } from "@preact/signals";
import { Color, Mesh, PlaneGeometry, ShaderMaterial, ShadowMaterial, Vector3, Vector4 } from "three";
import { carrier } from "../carrier";
import type { PoseFrame } from "../pose_frame";
import type { Scene } from "../protocol";
import { pose, scene } from "../store";
import { theme } from "../theme";
import { shadowAt, shadowReach } from "./lights";
import type { View } from "./view";

const SPOTS = 16; // balls of the body nearest to the floor

const VERTEX = /* glsl */ `
varying vec3 at;
void main() {
  at = (modelMatrix * vec4(position, 1.0)).xyz;
  gl_Position = projectionMatrix * viewMatrix * vec4(at, 1.0);
}`;

const FRAGMENT = /* glsl */ `
varying vec3 at;
uniform vec3 line;
uniform vec3 centre;
uniform float spacing;
uniform float ratio; // pixels of the picture per pixel of the page
uniform vec4 spots[${SPOTS}]; // x, height above the floor, z, radius
uniform vec3 near; // x, z, radius: beyond it they darken nothing
float lines(vec2 place, float wide) {
  vec2 width = max(fwidth(place), 1e-6);
  vec2 near = abs(fract(place - 0.5) - 0.5) / width;
  vec2 strength = (1.0 - smoothstep(wide * ratio - 0.5, wide * ratio + 0.5, near)) * (1.0 - smoothstep(0.25, 0.6, width * ratio));
  return max(strength.x, strength.y);
}
void main() {
  vec2 place = at.xz / spacing;
  float far = length(at.xz - centre.xz) / (36.0 * spacing);
  float grid = max(0.30 * lines(place, 0.55), 0.75 * lines(place / 4.0, 0.75)) * exp(-2.2 * far * far);
  float dark = 0.0;
  if (distance(at.xz, near.xy) < near.z) for (int k = 0; k < ${SPOTS}; k++) {
    float r = spots[k].w;
    if (r <= 0.0) continue;
    float h = max(spots[k].y, 0.0);
    vec2 gap = at.xz - spots[k].xz;
    float reach = dot(gap, gap) + h * h;
    dark = 1.0 - (1.0 - dark) * (1.0 - 0.55 * exp(-reach / (2.2 * r * r)) );
  }
  float alpha = grid + dark * (1.0 - grid);
  gl_FragColor = vec4(mix(vec3(0.0), line, grid / max(alpha, 1e-4)), alpha);
  #include <colorspace_fragment>
}`;

export function floor(view: View): void {
  const spots = Array.from({ length: SPOTS }, () => new Vector4());
  const uniforms = {
    line: { value: new Color() },
    centre: { value: view.orbit.target },
    spacing: { value: 0.25 },
    spots: { value: spots },
    near: { value: new Vector3() },
    ratio: { value: 1 },
  };
  const material = new ShaderMaterial({ vertexShader: VERTEX, fragmentShader: FRAGMENT, uniforms, transparent: true });
  material.depthWrite = false;
  const plane = (side: number) => new PlaneGeometry(side, side).rotateX(-Math.PI / 2);
  const grid = new Mesh(plane(60), material);
  const shadow = new Mesh(plane(2), new ShadowMaterial({ opacity: 0.2 }));
  shadow.material.depthWrite = false;
  shadow.receiveShadow = true;
  grid.renderOrder = -2;
  shadow.renderOrder = -1;
  view.scene.add(grid, shadow);
  view.beforeDraw.push(() => (uniforms.ratio.value = view.ratio));
  effect(() => {
    uniforms.line.value.set(theme.value === "dark" ? "#5c6672" : "#8f9cab");
    shadow.material.opacity = theme.value === "dark" ? 0.38 : 0.2;
    view.invalidate();
  });
  effect(() => {
    const figure = scene.value;
    if (figure === null) return;
    const frame = pose.value;
    grid.scale.setScalar(figure.height / 1.75);
    shadow.scale.setScalar(shadowReach(figure.height));
    const below = figure.floor - 0.0005 * figure.height;
    grid.position.y = below;
    shadow.position.copy(shadowAt(frame?.position(carrier(figure)) ?? [0, 0, 0], below));
    uniforms.spacing.value = spacingFor(figure.height);
    if (frame !== null) nearFloor(figure, frame, spots);
    around(spots, uniforms.near.value);
    view.invalidate();
  });
}

/** A quarter of a metre for a human, and its powers of two for others. */
function spacingFor(height: number): number {
  return 0.25 * 2 ** Math.round(Math.log2(height / 1.75));
}

/** A circle outside of which no spot darkens by a grey that can be seen. */
function around(spots: Vector4[], circle: Vector3): void {
  const own = spots.filter((spot) => spot.w > 0);
  const middle = (axis: "x" | "z") => own.reduce((sum, spot) => sum + spot[axis], 0) / Math.max(1, own.length);
  const [x, z] = [middle("x"), middle("z")];
  circle.set(x, z, Math.max(0, ...own.map((spot) => Math.hypot(spot.x - x, spot.z - z) + 3.6 * spot.w)));
}

function nearFloor(figure: Scene, frame: PoseFrame, spots: Vector4[]): void {
  const balls: [number, number, number, number][] = [];
  for (const cone of figure.cones) {
    for (const [point, radius] of [
      [cone.start, cone.radii[0]],
      [cone.end, cone.radii[1]],
    ] as const) {
      const [x, y, z] = frame.toWorld(cone.joint, point);
      const above = y - radius - figure.floor;
      if (above < 3 * radius) balls.push([x, above, z, radius]);
    }
  }
  balls.sort((a, b) => a[1] - b[1]);
  spots.forEach((spot, k) => spot.set(...(balls[k] ?? [0, 0, 0, 0])));
}
