// The surfaces of a character: materials and textures for three.
import {
  ClampToEdgeWrapping,
  DoubleSide,
  FrontSide,
  type Material,
  MeshBasicMaterial,
  MeshStandardMaterial,
  MirroredRepeatWrapping,
  NoColorSpace,
  RepeatWrapping,
  SRGBColorSpace,
  Texture,
} from "three";
import type { Surface, SurfacePicture } from "../protocol";
import type { MeshFile } from "./mesh_file";

const WRAPS = { repeat: RepeatWrapping, clamp: ClampToEdgeWrapping, mirror: MirroredRepeatWrapping };

/** The pictures of a mesh, decoded; null: the browser cannot. */
export function decoded(file: MeshFile): Promise<(ImageBitmap | null)[]> {
  const options = { premultiplyAlpha: "none", colorSpaceConversion: "none" } as const;
  return Promise.all(
    file.info.pictures.map(({ media_type, data }) =>
      createImageBitmap(new Blob([file.uint8(data)], { type: media_type }), options).catch(() => null),
    ),
  );
}

/** Textures by how they are used, each made once. */
export class Textures {
  private readonly made = new Map<string, Texture>();

  constructor(private readonly pictures: (ImageBitmap | null)[]) {}

  of(use: SurfacePicture | null, isColour: boolean): Texture | null {
    const picture = use === null ? null : this.pictures[use.picture];
    if (use === null || picture == null) return null;
    const key = JSON.stringify([use, isColour]);
    const known = this.made.get(key);
    if (known !== undefined) return known;
    const texture = new Texture(picture as unknown as HTMLImageElement);
    texture.flipY = false;
    texture.colorSpace = isColour ? SRGBColorSpace : NoColorSpace;
    [texture.wrapS, texture.wrapT] = [WRAPS[use.wrap[0]], WRAPS[use.wrap[1]]];
    texture.offset.set(...use.offset);
    texture.repeat.set(...use.scale);
    texture.rotation = use.turn;
    texture.anisotropy = 4;
    texture.needsUpdate = true;
    this.made.set(key, texture);
    return texture;
  }

  dispose(): void {
    for (const texture of this.made.values()) texture.dispose();
    for (const picture of this.pictures) picture?.close();
  }
}

export function material(surface: Surface, textures: Textures, coloured: boolean): Material {
  const [red, green, blue, opacity] = surface.colour;
  const common = {
    map: textures.of(surface.colour_picture, true),
    side: surface.two_sided ? DoubleSide : FrontSide,
    vertexColors: coloured,
    // What blends also hides what is behind it: bodies that are said to blend are mostly opaque.
    transparent: surface.alpha === "BLEND",
    opacity: surface.alpha === "BLEND" ? opacity : 1,
    alphaTest: surface.alpha === "MASK" ? surface.alpha_cutoff : surface.alpha === "BLEND" ? 0.02 : 0,
  };
  if (surface.unlit) {
    const plain = new MeshBasicMaterial(common);
    plain.color.setRGB(red, green, blue);
    return plain;
  }
  const metal = textures.of(surface.metal_picture, false);
  const made = new MeshStandardMaterial({
    ...common,
    roughness: surface.rough,
    metalness: surface.metal,
    roughnessMap: metal,
    metalnessMap: metal,
    normalMap: textures.of(surface.normal_picture, false),
    emissiveMap: textures.of(surface.glow_picture, true),
  });
  made.color.setRGB(red, green, blue);
  made.emissive.setRGB(...surface.glow);
  made.normalScale.set(surface.bumps, -surface.bumps);
  return made;
}
