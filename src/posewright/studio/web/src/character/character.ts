// A character: its own mesh, bent on the graphics card by the joints of the figure, with its materials and textures.
import {
  Box3,
  BufferAttribute,
  BufferGeometry,
  Color,
  DataTexture,
  DetachedBindMode,
  DoubleSide,
  FloatType,
  Group,
  type Material,
  Matrix4,
  MeshStandardMaterial,
  NearestFilter,
  RGBAFormat,
  Scene as ThreeScene,
  ShaderMaterial,
  Skeleton,
  SkinnedMesh,
  Sphere,
  Vector3,
} from "three";
import { JOINT_NUMBERS, type MeshPartInfo } from "../protocol";
import type { Body, Look } from "../viewport/body";
import { ghostMaterials, inTurn } from "../viewport/ghost_look";
import { bySoftware, FINE, ROUGH } from "../viewport/detail";
import { mixLights } from "./joint_lights";
import { MeshFile } from "./mesh_file";
import { roughParts } from "./rough";
import { decoded, material, Textures } from "./surfaces";

const SAMPLED = 500; // points of a part that say where it is

/** Geometry and materials, shared by all bodies that look so. */
export class Character {
  readonly joints: number;
  readonly parts: { geometry: BufferGeometry; rough: BufferGeometry | null; material: Material; bind: number }[];
  /** Rows of 3 x 4 matrices: joints and world of one bind after another. */
  private readonly binds: Float32Array;
  readonly bindCount: number;
  /** Per joint: under the mouse, selected, at a limit. */
  readonly lights: { value: DataTexture };
  private readonly textures: Textures;

  private constructor(file: MeshFile, pictures: (ImageBitmap | null)[]) {
    const { info } = file;
    this.joints = info.joints;
    this.binds = file.float32(info.binds);
    this.bindCount = this.binds.length / (12 * (info.joints + 1));
    this.lights = { value: numbersPer(info.joints + 1, 1) };
    this.textures = new Textures(pictures);
    const materials = new Map<string, Material>();
    const shapes = info.parts.map((part) => geometry(file, part));
    const rough = bySoftware ? roughParts(shapes) : [];
    this.parts = info.parts.map((part, k) => {
      const key = `${part.surface} ${part.colours !== null}`;
      let own = materials.get(key);
      if (own === undefined) {
        own = material(info.surfaces[part.surface]!, this.textures, part.colours !== null);
        own.onBeforeCompile = (shader) => withLights(shader, this.lights);
        materials.set(key, own);
      }
      return { geometry: shapes[k]!, rough: rough[k] ?? null, material: own, bind: part.bind };
    });
  }

  static async from(bytes: ArrayBuffer): Promise<{ character: Character | null; notes: string[] }> {
    const file = new MeshFile(bytes);
    const { notes, parts } = file.info;
    const pictures = await decoded(file);
    if (pictures.includes(null)) notes.push("A picture of the character cannot be shown by this browser.");
    return { character: parts.length === 0 ? null : new Character(file, pictures), notes };
  }

  /** Where it is in a pose, from some of its points. */
  box(joints: ArrayLike<number>): Box3 {
    const [box, point] = [new Box3(), new Vector3()];
    for (const { geometry, bind } of this.parts) {
      const skeleton = this.skeleton(bind);
      skeleton.follow(joints);
      const [points, owners] = [geometry.getAttribute("position"), geometry.getAttribute("skinIndex")];
      for (let k = 0; k < points.count; k += Math.ceil(points.count / SAMPLED)) {
        point.fromBufferAttribute(points, k);
        box.expandByPoint(point.applyMatrix4(new Matrix4().fromArray(skeleton.boneMatrices!, 16 * owners.getX(k))));
      }
      skeleton.dispose();
    }
    return box;
  }

  skeleton(bind: number): JointSkeleton {
    const size = 12 * (this.joints + 1);
    return new JointSkeleton(this.binds.subarray(size * bind, size * (bind + 1)));
  }

  dispose(): void {
    for (const part of this.parts) {
      part.geometry.dispose();
      part.rough?.dispose();
      part.material.dispose();
    }
    this.textures.dispose();
    this.lights.value.dispose();
  }
}

/** A character in a pose. */
export class CharacterBody implements Body {
  readonly object = new Group();
  readonly forPicking = new ThreeScene();
  private readonly skeletons: JointSkeleton[];
  private readonly own: Material[]; // instead of those of the character

  constructor(
    private readonly character: Character,
    look: Look = {},
  ) {
    this.skeletons = Array.from({ length: character.bindCount }, (_, k) => character.skeleton(k));
    this.own = look.ghost !== undefined ? ghostMaterials(look.ghost) : look.colours !== undefined ? [inColours(look.colours)] : [];
    for (const part of character.parts) {
      const skeleton = this.skeletons[part.bind]!;
      for (const material of this.own.length > 0 ? this.own : [part.material]) {
        for (const mesh of skinned(part, material, skeleton)) {
          mesh.castShadow = mesh.receiveShadow = look.ghost === undefined;
          this.object.add(mesh);
        }
      }
      if (look.ghost === undefined) this.forPicking.add(...skinned(part, PICKING, skeleton));
    }
    inTurn(this.object.children, look.ghost);
    this.object.visible = false;
  }

  pose(joints: ArrayLike<number>): void {
    for (const skeleton of this.skeletons) skeleton.follow(joints);
    this.object.visible = true;
  }

  light(joint: number, hovered: number, selected: number, atLimit: number): void {
    const texture = this.character.lights.value;
    (texture.image.data as Float32Array).set([hovered, selected, atLimit], 4 * joint);
    texture.needsUpdate = true;
  }

  dispose(): void {
    for (const material of this.own) material.dispose();
    for (const skeleton of this.skeletons) skeleton.dispose();
  }
}

/** Bones that are not objects: matrices made from the joints of a pose. */
class JointSkeleton extends Skeleton {
  private readonly count: number;

  /** Rows of 3 x 4 matrices: from the points of the mesh to each joint; the last is the world. */
  constructor(private readonly binds: Float32Array) {
    super([], []);
    this.count = binds.length / 12;
    const side = Math.max(4, Math.ceil(Math.sqrt(4 * this.count) / 4) * 4); // four texels per matrix, in one row
    this.boneMatrices = new Float32Array(4 * side * side);
    this.boneTexture = numbersPer(side, side, this.boneMatrices as Float32Array<ArrayBuffer>);
  }

  follow(joints: ArrayLike<number>): void {
    const out = this.boneMatrices as Float32Array;
    for (let k = 0; k < this.count; k++) {
      const at = JOINT_NUMBERS * k;
      const inWorld = k === this.count - 1;
      const [qx, qy, qz, qw] = inWorld ? [0, 0, 0, 1] : [joints[at + 3]!, joints[at + 4]!, joints[at + 5]!, joints[at + 6]!];
      const rows = [
        [1 - 2 * (qy * qy + qz * qz), 2 * (qx * qy - qw * qz), 2 * (qx * qz + qw * qy)],
        [2 * (qx * qy + qw * qz), 1 - 2 * (qx * qx + qz * qz), 2 * (qy * qz - qw * qx)],
        [2 * (qx * qz - qw * qy), 2 * (qy * qz + qw * qx), 1 - 2 * (qx * qx + qy * qy)],
      ] as const;
      const [from, to] = [12 * k, 16 * k];
      for (let row = 0; row < 3; row++) {
        const [a, b, c] = rows[row]!;
        for (let column = 0; column < 4; column++) {
          out[to + 4 * column + row] =
            a * this.binds[from + column]! + b * this.binds[from + 4 + column]! + c * this.binds[from + 8 + column]!;
        }
        if (!inWorld) out[to + 12 + row]! += joints[at + row]!;
      }
      out[to + 15] = 1;
    }
    this.boneTexture!.needsUpdate = true;
  }

  override update(): void {}
}

/** The part, and its rough twin where it has one: which of them is seen is up to the camera's layers. */
function skinned({ geometry, rough }: Character["parts"][number], look: Material, skeleton: Skeleton): SkinnedMesh[] {
  const shapes = rough === null ? [geometry] : [geometry, rough];
  return shapes.map((shape, k) => {
    const mesh = new SkinnedMesh(shape, look);
    mesh.bindMode = DetachedBindMode; // bent first, then put aside
    mesh.bind(skeleton, new Matrix4());
    mesh.frustumCulled = false;
    mesh.boundingSphere = new Sphere(); // three would find it by bending every point on the processor
    if (rough !== null) mesh.layers.set(k === 0 ? FINE : ROUGH);
    return mesh;
  });
}

function geometry(file: MeshFile, part: MeshPartInfo): BufferGeometry {
  const made = new BufferGeometry();
  made.setIndex(new BufferAttribute(file.uint32(part.triangles), 1));
  made.setAttribute("position", new BufferAttribute(file.float32(part.points), 3));
  if (part.uv !== null) made.setAttribute("uv", new BufferAttribute(file.float32(part.uv), 2));
  if (part.colours !== null) made.setAttribute("color", new BufferAttribute(file.uint8(part.colours), 4, true));
  made.setAttribute("skinIndex", new BufferAttribute(file.uint16(part.joints), 4));
  made.setAttribute("skinWeight", new BufferAttribute(file.uint16(part.weights), 4, true));
  if (part.normals !== null) made.setAttribute("normal", new BufferAttribute(file.int16(part.normals), 4, true));
  else made.computeVertexNormals();
  return made;
}

function numbersPer(width: number, height: number, data = new Float32Array(4 * width * height)): DataTexture {
  const texture = new DataTexture(data, width, height, RGBAFormat, FloatType);
  texture.minFilter = texture.magFilter = NearestFilter;
  texture.needsUpdate = true;
  return texture;
}

/** One colour per joint; between joints they mix as these move the mesh. */
function inColours(colours: string[]): Material {
  const texture = { value: numbersPer(colours.length + 1, 1) };
  colours.forEach((colour, k) => (texture.value.image.data as Float32Array).set(new Color(colour).toArray(), 4 * k));
  const material = new MeshStandardMaterial({ roughness: 0.62, metalness: 0 });
  material.onBeforeCompile = (shader) => {
    shader.uniforms["colours"] = texture;
    shader.vertexShader =
      "uniform sampler2D colours; varying vec3 jointColour;\n" +
      shader.vertexShader.replace(
        "#include <project_vertex>",
        `#include <project_vertex>
        jointColour = vec3(0.0);
        for (int k = 0; k < 4; k++) jointColour += skinWeight[k] * texelFetch(colours, ivec2(int(skinIndex[k]), 0), 0).xyz;`,
      );
    shader.fragmentShader =
      "varying vec3 jointColour;\n" +
      shader.fragmentShader.replace("#include <color_fragment>", "#include <color_fragment>\ndiffuseColor.rgb = jointColour;");
  };
  material.addEventListener("dispose", () => texture.value.dispose());
  return material;
}

function withLights(shader: Parameters<Material["onBeforeCompile"]>[0], lights: { value: DataTexture }): void {
  shader.uniforms["lights"] = lights;
  shader.vertexShader =
    "uniform sampler2D lights; varying vec3 jointLight;\n" +
    shader.vertexShader.replace(
      "#include <project_vertex>",
      `#include <project_vertex>
      jointLight = vec3(0.0);
      for (int k = 0; k < 4; k++) jointLight += skinWeight[k] * texelFetch(lights, ivec2(int(skinIndex[k]), 0), 0).xyz;`,
    );
  shader.fragmentShader =
    "varying vec3 jointLight;\n" +
    shader.fragmentShader.replace("#include <color_fragment>", `#include <color_fragment>\n${mixLights("jointLight")}`);
}

/** The joint that moves most of the triangle, from 1 on, and the place in the world. */
const PICKING = new ShaderMaterial({
  side: DoubleSide,
  vertexShader: /* glsl */ `
    #include <skinning_pars_vertex>
    flat varying float joint;
    varying vec3 place;
    void main() {
      #include <skinbase_vertex>
      #include <begin_vertex>
      #include <skinning_vertex>
      float heaviest = -1.0;
      for (int k = 0; k < 4; k++) if (skinWeight[k] > heaviest) { heaviest = skinWeight[k]; joint = skinIndex[k] + 1.0; }
      place = (modelMatrix * vec4(transformed, 1.0)).xyz;
      gl_Position = projectionMatrix * viewMatrix * vec4(place, 1.0);
    }`,
  fragmentShader: /* glsl */ `
    flat varying float joint;
    varying vec3 place;
    void main() { gl_FragColor = vec4(place, joint); }`,
});
