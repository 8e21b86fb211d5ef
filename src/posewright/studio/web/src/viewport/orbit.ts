// The camera's place: a point it looks at, and from where. It never turns over, and zooms by ratios.
import { Vector3, type PerspectiveCamera } from "three";

const STEEPEST = 1.5707; // rad
const OPEN = 32; // degrees
const NARROW = 0.5; // degrees: from so far away that nothing looks nearer than the rest

export class Orbit {
  readonly target = new Vector3(0, 0.9, 0);
  azimuth = 0.55; // rad; 0 is in front
  elevation = 0.16; // rad
  distance = 4.2; // m, for a camera of the usual angle
  orthographic = false;

  turn(dx: number, dy: number): void {
    this.azimuth -= 0.006 * dx;
    this.elevation = Math.max(-STEEPEST, Math.min(STEEPEST, this.elevation + 0.006 * dy));
  }

  zoom(steps: number): void {
    this.distance = Math.max(0.05, Math.min(200, this.distance * Math.exp(0.0012 * steps)));
  }

  /** Metres of a pixel at the point looked at, in a view of some height. */
  private metresPerPixel(height: number): number {
    return (2 * this.distance * Math.tan((OPEN * Math.PI) / 360)) / height;
  }

  /** By pixels of a view of some height. */
  pan(dx: number, dy: number, camera: PerspectiveCamera, height: number): void {
    const metres = this.metresPerPixel(height);
    const right = new Vector3().setFromMatrixColumn(camera.matrix, 0);
    const up = new Vector3().setFromMatrixColumn(camera.matrix, 1);
    this.target.addScaledVector(right, -dx * metres).addScaledVector(up, dy * metres);
  }

  /** Look at something of some size. */
  frame(centre: Vector3, size: number): void {
    this.target.copy(centre);
    this.distance = 2.4 * size;
  }

  /** Look from a side. */
  look(azimuth: number, elevation: number): void {
    this.azimuth = azimuth;
    this.elevation = Math.max(-STEEPEST, Math.min(STEEPEST, elevation));
  }

  place(camera: PerspectiveCamera): void {
    camera.fov = this.orthographic ? NARROW : OPEN;
    const back = (this.distance * Math.tan((OPEN * Math.PI) / 360)) / Math.tan((camera.fov * Math.PI) / 360);
    const flat = Math.cos(this.elevation) * back;
    camera.position.set(
      this.target.x + flat * Math.sin(this.azimuth),
      this.target.y + back * Math.sin(this.elevation),
      this.target.z + flat * Math.cos(this.azimuth),
    );
    camera.near = Math.max(back - 30 * this.distance, this.distance / 100);
    camera.far = back + 50 * this.distance;
    camera.updateProjectionMatrix();
    camera.lookAt(this.target);
    camera.updateMatrixWorld();
  }
}
