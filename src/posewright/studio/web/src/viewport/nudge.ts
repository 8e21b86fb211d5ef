// Places moved by arrow keys. Steps add up, also those that are faster than the server answers.
import { Vector3 } from "three";
import type { Vec3 } from "../store";
import type { View } from "./view";

const STEP = 0.01; // m
const LATER = 100; // ms from an answer until it is shown
const onTheWay = new Map<string, { at: Vec3 }>(); // what was asked for last, until it is shown

/** One step more of what stands at a point of the world (m), unless more is asked for already. */
export function stepped(what: string, at: Vec3, by: Vector3, ask: (to: Vec3) => Promise<boolean>): void {
  const one = { at: by.clone().add(new Vector3(...(onTheWay.get(what)?.at ?? at))).toArray() as Vec3 };
  onTheWay.set(what, one);
  const shown = () => onTheWay.get(what) === one && onTheWay.delete(what);
  void ask(one.at).then((accepted) => setTimeout(shown, accepted ? LATER : 0));
}

/** Arrows move a point in the plane of the camera by 1 cm, with Shift by 10; false: another key. */
export function nudged(event: KeyboardEvent, what: string, at: Vec3, view: View, ask: (to: Vec3) => Promise<boolean>): boolean {
  const direction = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
  if (direction === undefined) return false;
  const step = STEP * (event.shiftKey ? 10 : 1);
  const axis = (column: number) => new Vector3().setFromMatrixColumn(view.camera.matrix, column).multiplyScalar(step * direction[column]!);
  stepped(what, at, axis(0).add(axis(1)), ask);
  return true;
}
