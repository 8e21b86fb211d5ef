// How a ghost looks: one colour that lets through what is behind it, and of itself only what is in front.
import { type Material, type Mesh, MeshStandardMaterial, type Object3D } from "three";

export interface GhostLook {
  colour: string;
  /** 0 to 1 */
  opacity: number;
  /** Ghosts are drawn in this order; those behind others are hidden by them. */
  turn?: number;
}

const FIRST = 10; // after all that is solid

/** Drawn one after the other: first only how near each place is, then its colour where nothing of the ghost is nearer. */
export function ghostMaterials({ colour: color, opacity }: GhostLook): MeshStandardMaterial[] {
  // A little behind where it is: what it shares with the body looks like the body.
  const behind = { polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 16 };
  const look = { roughness: 0.9, color, transparent: true, opacity, ...behind };
  return [false, true].map((colorWrite) => new MeshStandardMaterial({ ...look, colorWrite }));
}

/** All nearness of a ghost before all its colour. */
export function inTurn(meshes: Object3D[], ghost: GhostLook | undefined): void {
  if (ghost === undefined) return;
  for (const mesh of meshes as Mesh[]) mesh.renderOrder = FIRST + 2 * (ghost.turn ?? 0) + Number((mesh.material as Material).colorWrite);
}
