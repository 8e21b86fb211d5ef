// The camera's place: a point it looks at, and from where. It never turns over, and zooms by ratios.
import { Vector3, type PerspectiveCamera } from "three";

const STEEPEST = 1.55; // rad

export class Orbit {
  readonly target = new Vector3(0, 0.9, 0);
  azimuth = 0.55; // rad; 0 is in front
  elevation = 0.16; // rad
  distance = 4.2; // m

  turn(dx: number, dy: number): void {
    this.azimuth -= 0.006 * dx;
    this.elevation = Math.max(-STEEPEST, Math.min(STEEPEST, this.elevation + 0.006 * dy));
  }

  zoom(steps: number): void {
    this.distance = Math.max(0.05, Math.min(200, this.distance * Math.exp(0.0012 * steps)));
  }

  /** By pixels of a view of some height. */
  pan(dx: number, dy: number, camera: PerspectiveCamera, height: number): void {
    const metres = (2 * this.distance * Math.tan((camera.fov * Math.PI) / 360)) / height;
    const right = new Vector3().setFromMatrixColumn(camera.matrix, 0);
    const up = new Vector3().setFromMatrixColumn(camera.matrix, 1);
    this.target.addScaledVector(right, -dx * metres).addScaledVector(up, dy * metres);
  }

  /** Look at a figure of some height that stands somewhere. */
  frame(centre: Vector3, height: number): void {
    this.target.copy(centre);
    this.distance = 2.4 * height;
  }

  place(camera: PerspectiveCamera): void {
    const flat = Math.cos(this.elevation) * this.distance;
    camera.position.set(
      this.target.x + flat * Math.sin(this.azimuth),
      this.target.y + this.distance * Math.sin(this.elevation),
      this.target.z + flat * Math.cos(this.azimuth),
    );
    camera.near = this.distance / 100;
    camera.far = this.distance * 50;
    camera.updateProjectionMatrix();
    camera.lookAt(this.target);
    camera.updateMatrixWorld();
  }
}
