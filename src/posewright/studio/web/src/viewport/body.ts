// The body: rounded cones, one instance each, shaped on the GPU and posed by a small texture of joint frames.
import { effect } from "@preact/signals";
import {
  BufferAttribute,
  Color,
  DataTexture,
  FloatType,
  InstancedBufferAttribute,
  InstancedBufferGeometry,
  type Material,
  Mesh,
  MeshDepthMaterial,
  MeshStandardMaterial,
  NearestFilter,
  RGBADepthPacking,
  RGBAFormat,
  type WebGLProgramParametersWithUniforms,
} from "three";
import { JOINT_NUMBERS, type ConeInfo, type Scene } from "../protocol";
import { hovered, pose, scene, selectedJoints } from "../store";
import type { View } from "./view";

const AROUND = 22; // vertices around a cone
const RINGS = 6; // per end
const TEXELS = 12; // numbers per joint in the texture: place, turn, light

// A rounded cone is where a ball sweeps from one end to the other. By its normal n, with s = (ra - rb)/length: points with
// n·axis <= s are on the first ball, the others on the second; between the two rings with n·axis = s lies the cone.
const SHAPE = /* glsl */ `
attribute float cap;
attribute float joint;
attribute vec4 from;
attribute vec4 to;
attribute vec3 tint;
uniform sampler2D frames;
varying vec3 coneTint;
varying vec3 coneLight;
varying vec3 conePoint;
vec3 turned(vec4 q, vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }
void cone(out vec3 place, out vec3 normal_) {
  vec4 at = texelFetch(frames, ivec2(0, int(joint)), 0);
  vec4 q = texelFetch(frames, ivec2(1, int(joint)), 0);
  vec3 axis = to.xyz - from.xyz;
  float len = length(axis);
  vec3 u = len > 0.0 ? axis / len : vec3(0.0, 1.0, 0.0);
  vec3 e = normalize(cross(u, abs(u.y) < 0.9 ? vec3(0.0, 1.0, 0.0) : vec3(1.0, 0.0, 0.0)));
  vec3 f = cross(u, e);
  float seam = len > 0.0 ? asin(clamp((from.w - to.w) / len, -1.0, 1.0)) : 0.0;
  float latitude = cap < 0.5 ? mix(-1.5707963, seam, position.y) : mix(seam, 1.5707963, position.y);
  vec3 n = cos(latitude) * (position.x * e + position.z * f) + sin(latitude) * u;
  vec3 local = (cap < 0.5 ? from.xyz + from.w * n : to.xyz + to.w * n);
  place = at.xyz + turned(q, local);
  normal_ = turned(q, n);
}`;

/** A body of rounded cones: solid, or a ghost in one colour that casts no shadow. */
export class ConeBody {
  readonly mesh: Mesh;
  private readonly frames: { value: DataTexture };

  constructor(figure: Pick<Scene, "joints" | "cones">, ghost: { colour: string; opacity: number } | null = null) {
    this.frames = { value: emptyFrames(figure.joints.length) };
    const material = ghost === null ? solidMaterial(this.frames) : ghostMaterial(this.frames, ghost);
    this.mesh = new Mesh(coneGeometry(figure.cones), material);
    if (ghost === null) {
      const depth = new MeshDepthMaterial({ depthPacking: RGBADepthPacking });
      depth.onBeforeCompile = (shader) => withCones(shader, this.frames, false);
      this.mesh.customDepthMaterial = depth;
      this.mesh.castShadow = this.mesh.receiveShadow = true;
    }
    this.mesh.frustumCulled = false;
    this.mesh.visible = false;
  }

  /** Seven numbers per joint. */
  pose(joints: ArrayLike<number>): void {
    writeFrames(this.frames.value, joints);
    this.mesh.visible = true;
  }

  /** Per joint how light it is, how much it is selected and whether it is at a limit, 0 to 1. */
  light(joint: number, hovered: number, selected: number, atLimit: number): void {
    (this.frames.value.image.data as Float32Array).set([hovered, selected, atLimit], TEXELS * joint + 8);
    this.frames.value.needsUpdate = true;
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    (this.mesh.material as Material).dispose();
    this.frames.value.dispose();
  }
}

export function body(view: View): void {
  let shown: ConeBody | null = null;
  effect(() => {
    const figure = scene.value;
    if (shown !== null) {
      view.scene.remove(shown.mesh);
      shown.dispose();
      shown = null;
    }
    if (figure === null) return;
    shown = new ConeBody(figure);
    view.scene.add(shown.mesh);
  });
  effect(() => {
    const [frame, figure] = [pose.value, scene.value];
    if (frame === null || figure === null || shown === null) return;
    shown.pose(frame.joints);
    const [over, chosen] = [hovered.value, selectedJoints.value];
    figure.joints.forEach((_, k) => shown!.light(k, k === over ? 1 : 0, chosen.has(k) ? 1 : 0, frame.atLimit[k] ?? 0));
    view.invalidate();
  });
}

function solidMaterial(frames: { value: DataTexture }): MeshStandardMaterial {
  const material = new MeshStandardMaterial({ roughness: 0.62, metalness: 0 });
  material.onBeforeCompile = (shader) => {
    withCones(shader, frames, true);
    shader.vertexShader = shader.vertexShader.replace(
      "#include <beginnormal_vertex>",
      `vec3 conePlace; vec3 objectNormal; cone(conePlace, objectNormal); coneTint = tint;
      coneLight = texelFetch(frames, ivec2(2, int(joint)), 0).xyz; conePoint = conePlace;`,
    );
    // A joint at a limit is striped besides its colour.
    shader.fragmentShader =
      "varying vec3 coneTint; varying vec3 coneLight; varying vec3 conePoint;\n" +
      shader.fragmentShader.replace(
        "#include <color_fragment>",
        `diffuseColor.rgb *= coneTint;
        float stripe = step(0.5, fract((conePoint.x + conePoint.y + conePoint.z) * 60.0));
        diffuseColor.rgb = mix(diffuseColor.rgb, vec3(0.75, 0.09, 0.06), coneLight.z * (0.22 + 0.33 * stripe));
        diffuseColor.rgb = mix(diffuseColor.rgb, vec3(1.0, 0.86, 0.5), 0.5 * coneLight.y);
        diffuseColor.rgb = mix(diffuseColor.rgb, vec3(1.0), 0.22 * coneLight.x);`,
      );
  };
  return material;
}

function ghostMaterial(frames: { value: DataTexture }, ghost: { colour: string; opacity: number }): MeshStandardMaterial {
  const material = new MeshStandardMaterial({ roughness: 0.9, color: ghost.colour, transparent: true, opacity: ghost.opacity });
  material.onBeforeCompile = (shader) => {
    withCones(shader, frames, true);
    shader.vertexShader = shader.vertexShader.replace(
      "#include <beginnormal_vertex>",
      "vec3 conePlace; vec3 objectNormal; cone(conePlace, objectNormal);",
    );
  };
  return material;
}

function withCones(shader: WebGLProgramParametersWithUniforms, frames: { value: DataTexture }, lit: boolean): void {
  shader.uniforms["frames"] = frames;
  shader.vertexShader = `${SHAPE}\n${shader.vertexShader}`;
  const found = lit ? "" : "vec3 conePlace; vec3 coneNormal; cone(conePlace, coneNormal);";
  shader.vertexShader = shader.vertexShader.replace("#include <begin_vertex>", `${found} vec3 transformed = conePlace;`);
}

/** One ring of vertices after another, from one pole to the other; each is placed in its cone by the shader. */
function coneGeometry(cones: ConeInfo[]): InstancedBufferGeometry {
  const points: number[] = [];
  const caps: number[] = [];
  const faces: number[] = [];
  for (const cap of [0, 1]) {
    for (let ring = 0; ring <= RINGS; ring++) {
      for (let k = 0; k < AROUND; k++) {
        const angle = (2 * Math.PI * k) / AROUND;
        points.push(Math.cos(angle), ring / RINGS, Math.sin(angle));
        caps.push(cap);
      }
    }
  }
  for (let ring = 0; ring < 2 * RINGS + 1; ring++) {
    for (let k = 0; k < AROUND; k++) {
      const [a, b] = [ring * AROUND + k, ring * AROUND + ((k + 1) % AROUND)];
      faces.push(a, b, a + AROUND, b, b + AROUND, a + AROUND);
    }
  }
  const geometry = new InstancedBufferGeometry();
  geometry.setIndex(faces);
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(points), 3));
  geometry.setAttribute("cap", new BufferAttribute(new Float32Array(caps), 1));
  geometry.instanceCount = cones.length;
  const shapes = cones.map(solid);
  const instanced = (values: number[][], size: number) =>
    new InstancedBufferAttribute(new Float32Array(values.flat()), size);
  geometry.setAttribute("joint", instanced(shapes.map((cone) => [cone.joint]), 1));
  geometry.setAttribute("from", instanced(shapes.map((cone) => [...cone.start, cone.radii[0]]), 4));
  geometry.setAttribute("to", instanced(shapes.map((cone) => [...cone.end, cone.radii[1]]), 4));
  geometry.setAttribute("tint", instanced(shapes.map((cone) => new Color(cone.colour).toArray()), 3));
  return geometry;
}

/** Where one ball holds the other, the larger one alone. */
export function solid(cone: ConeInfo): ConeInfo {
  const { start, end, radii } = cone;
  const length = Math.hypot(end[0] - start[0], end[1] - start[1], end[2] - start[2]);
  if (length > Math.abs(radii[0] - radii[1])) return cone;
  const centre = radii[0] >= radii[1] ? start : end;
  const radius = Math.max(...radii);
  return { ...cone, start: centre, end: centre, radii: [radius, radius] };
}

function emptyFrames(joints: number): DataTexture {
  const texture = new DataTexture(new Float32Array(TEXELS * joints), TEXELS / 4, joints, RGBAFormat, FloatType);
  texture.minFilter = texture.magFilter = NearestFilter;
  return texture;
}

function writeFrames(texture: DataTexture, joints: ArrayLike<number>): void {
  const data = texture.image.data as Float32Array;
  for (let joint = 0; TEXELS * joint < data.length; joint++) {
    const [at, to] = [joint * JOINT_NUMBERS, TEXELS * joint];
    for (let k = 0; k < 3; k++) data[to + k] = joints[at + k]!;
    for (let k = 0; k < 4; k++) data[to + 4 + k] = joints[at + 3 + k]!;
  }
  texture.needsUpdate = true;
}
