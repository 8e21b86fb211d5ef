// The body: the character's own mesh where it has one, else rounded cones, one instance each, shaped on the graphics card
// and posed by a small texture of joint frames.
import { effect, signal } from "@preact/signals";
import {
  BufferAttribute,
  Color,
  DataTexture,
  FloatType,
  Group,
  InstancedBufferAttribute,
  InstancedBufferGeometry,
  type Material,
  Mesh,
  MeshDepthMaterial,
  MeshStandardMaterial,
  NearestFilter,
  type Object3D,
  RGBADepthPacking,
  RGBAFormat,
  type Scene as ThreeScene,
  type WebGLProgramParametersWithUniforms,
} from "three";
import { JOINT_NUMBERS, type ConeInfo, type Scene } from "../protocol";
import { hovered, pose, scene, selectedJoints } from "../store";
import { CharacterBody } from "../character/character";
import { characterAt, isComing } from "../character/characters";
import { mixLights } from "../character/joint_lights";
import { bySoftware } from "./detail";
import { ghostMaterials, inTurn, type GhostLook } from "./ghost_look";
import type { View } from "./view";

// A picture of few pixels shows no more facets, and a processor draws no more in time.
const FINENESS = Math.min(devicePixelRatio, bySoftware ? 0.7 : 1);
const AROUND = 4 * Math.ceil(8 * FINENESS); // vertices around a cone
const RINGS = Math.ceil(6 * FINENESS); // per end
const SHADOW = 0.85; // of its radii: what casts the shadow is thinner than what it falls on, so facets do not shade themselves
const ROUGH = 3; // of its facets in either direction: a soft shadow shows no more
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
vec3 turned(vec4 q, vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }
void cone(float size, out vec3 place, out vec3 normal_) {
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
  vec3 local = cap < 0.5 ? from.xyz + size * from.w * n : to.xyz + size * to.w * n;
  place = at.xyz + turned(q, local);
  normal_ = turned(q, n);
}`;

/** How a body looks: solid as the figure is, unless told otherwise. */
export interface Look {
  /** In one colour that lets through what is behind it; it casts no shadow. */
  ghost?: GhostLook;
  /** Each joint in a colour of its own. */
  colours?: string[];
}

/** Something that looks like the figure in a pose. */
export interface Body {
  readonly object: Object3D;
  /** What `pickPixel` draws: the joint and the place of what is seen; null: a ray finds it. */
  readonly forPicking: ThreeScene | null;
  /** Seven numbers per joint. */
  pose(joints: ArrayLike<number>): void;
  /** Of a joint: how much it is under the mouse, selected and at a limit, 0 to 1. */
  light(joint: number, hovered: number, selected: number, atLimit: number): void;
  dispose(): void;
}

export function makeBody(figure: Scene, look: Look = {}): Body {
  const known = characterAt(figure.mesh);
  return known !== null && known.joints === figure.joints.length ? new CharacterBody(known, look) : new ConeBody(figure, look);
}

/** Rounded cones. */
class ConeBody implements Body {
  readonly object = new Group();
  readonly forPicking = null;
  private readonly frames: { value: DataTexture };
  private readonly geometry: InstancedBufferGeometry;

  constructor(figure: Scene, { ghost, colours }: Look) {
    this.frames = { value: emptyFrames(figure.joints.length) };
    const cones = figure.cones.map((cone) => ({ ...cone, colour: colours?.[cone.joint] ?? cone.colour }));
    this.geometry = coneGeometry(cones);
    const [fine, rough] = [this.geometry.index, new BufferAttribute(new Uint16Array(facets(ROUGH)), 1)];
    const materials = ghost === undefined ? [solidMaterial(this.frames)] : ghostMaterials(ghost);
    for (const material of materials) {
      const mesh = new Mesh(this.geometry, material);
      if (ghost === undefined) {
        const depth = new MeshDepthMaterial({ depthPacking: RGBADepthPacking });
        depth.onBeforeCompile = (shader) => withCones(shader, this.frames, false);
        mesh.customDepthMaterial = depth;
        mesh.castShadow = mesh.receiveShadow = true;
        mesh.onBeforeShadow = () => void (this.geometry.index = rough);
        mesh.onAfterShadow = () => void (this.geometry.index = fine);
      } else material.onBeforeCompile = (shader) => asGhost(shader, this.frames);
      mesh.frustumCulled = false;
      this.object.add(mesh);
    }
    inTurn(this.object.children, ghost);
    this.object.visible = false;
  }

  pose(joints: ArrayLike<number>): void {
    writeFrames(this.frames.value, joints);
    this.object.visible = true;
  }

  light(joint: number, hovered: number, selected: number, atLimit: number): void {
    (this.frames.value.image.data as Float32Array).set([hovered, selected, atLimit], TEXELS * joint + 8);
    this.frames.value.needsUpdate = true;
  }

  dispose(): void {
    this.geometry.dispose();
    for (const mesh of this.object.children as Mesh[]) {
      (mesh.material as Material).dispose();
      mesh.customDepthMaterial?.dispose();
    }
    this.frames.value.dispose();
  }
}

export function body(view: View): void {
  const shown = signal<Body | null>(null);
  effect(() => {
    const figure = scene.value;
    const made = figure === null || isComing(figure.mesh) ? null : makeBody(figure);
    const old = shown.peek();
    if (old !== null) view.scene.remove(old.object);
    if (made !== null) view.scene.add(made.object);
    view.forPicking = made?.forPicking ?? null;
    shown.value = made;
    old?.dispose();
  });
  effect(() => {
    const [frame, figure, own] = [pose.value, scene.value, shown.value];
    if (frame === null || figure === null || own === null) return;
    own.pose(frame.joints);
    const [over, chosen] = [hovered.value, selectedJoints.value];
    figure.joints.forEach((_, k) => own.light(k, k === over ? 1 : 0, chosen.has(k) ? 1 : 0, frame.atLimit[k] ?? 0));
    view.invalidate();
  });
}

function solidMaterial(frames: { value: DataTexture }): MeshStandardMaterial {
  const material = new MeshStandardMaterial({ roughness: 0.62, metalness: 0 });
  material.onBeforeCompile = (shader) => {
    withCones(shader, frames, true);
    shader.vertexShader = shader.vertexShader.replace(
      "#include <beginnormal_vertex>",
      `vec3 conePlace; vec3 objectNormal; cone(1.0, conePlace, objectNormal); coneTint = tint;
      coneLight = texelFetch(frames, ivec2(2, int(joint)), 0).xyz;`,
    );
    shader.fragmentShader =
      "varying vec3 coneTint; varying vec3 coneLight;\n" +
      shader.fragmentShader.replace(
        "#include <color_fragment>",
        `diffuseColor.rgb *= coneTint;
${mixLights("coneLight")}`,
      );
  };
  return material;
}

function asGhost(shader: WebGLProgramParametersWithUniforms, frames: { value: DataTexture }): void {
  withCones(shader, frames, true);
  shader.vertexShader = shader.vertexShader.replace(
    "#include <beginnormal_vertex>",
    "vec3 conePlace; vec3 objectNormal; cone(1.0, conePlace, objectNormal);",
  );
}

function withCones(shader: WebGLProgramParametersWithUniforms, frames: { value: DataTexture }, lit: boolean): void {
  shader.uniforms["frames"] = frames;
  shader.vertexShader = `${SHAPE}\n${shader.vertexShader}`;
  const found = lit ? "" : `vec3 conePlace; vec3 coneNormal; cone(${SHADOW}, conePlace, coneNormal);`;
  shader.vertexShader = shader.vertexShader.replace("#include <begin_vertex>", `${found} vec3 transformed = conePlace;`);
}

/** One ring of vertices after another, from one pole to the other; each is placed in its cone by the shader. */
function coneGeometry(cones: ConeInfo[]): InstancedBufferGeometry {
  const points: number[] = [];
  const caps: number[] = [];
  for (const cap of [0, 1]) {
    for (let ring = 0; ring <= RINGS; ring++) {
      for (let k = 0; k < AROUND; k++) {
        const angle = (2 * Math.PI * k) / AROUND;
        points.push(Math.cos(angle), ring / RINGS, Math.sin(angle));
        caps.push(cap);
      }
    }
  }
  const geometry = new InstancedBufferGeometry();
  geometry.setIndex(facets(1));
  const places = new BufferAttribute(new Float32Array(points), 3);
  geometry.setAttribute("position", places);
  geometry.setAttribute("normal", places); // the shader makes its own, but what has none is shaded flatly
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

/** Triangles between every so many of the vertices around, of every so many of the rings. */
function facets(every: number): number[] {
  const around = Array.from({ length: Math.ceil(AROUND / every) }, (_, k) => every * k);
  const rings = [0, 1].flatMap((cap) =>
    Array.from({ length: Math.ceil(RINGS / every) + 1 }, (_, k) => cap * (RINGS + 1) + Math.min(every * k, RINGS)),
  );
  const faces: number[] = [];
  for (let ring = 1; ring < rings.length; ring++) {
    const [low, high] = [AROUND * rings[ring - 1]!, AROUND * rings[ring]!];
    around.forEach((a, k) => {
      const b = around[(k + 1) % around.length]!;
      faces.push(low + a, low + b, high + a, low + b, high + b, high + a);
    });
  }
  return faces;
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
