// The view: renderer, camera and the layers it draws. It draws only when something asks for it.
import {
  Color,
  FloatType,
  NeutralToneMapping,
  PerspectiveCamera,
  Scene,
  SRGBColorSpace,
  Vector3,
  WebGLRenderer,
  WebGLRenderTarget,
} from "three";
import { mark } from "../marks";
import type { Vec3 } from "../store";
import { bySoftware, Detail } from "./detail";
import { Orbit } from "./orbit";

export class View {
  readonly scene = new Scene();
  readonly camera = new PerspectiveCamera(32, 1, 0.01, 500);
  readonly orbit = new Orbit();
  readonly canvas: HTMLCanvasElement;
  /** Called after each drawing: what lies over the picture moves along. */
  readonly afterDraw: (() => void)[] = [];
  /** Called before each drawing: what keeps its size on the screen is made anew. */
  readonly beforeDraw: (() => void)[] = [];
  /** What is drawn to find out what is under the mouse; null: nothing that has to be drawn for it. */
  forPicking: Scene | null = null;
  /** The same of what stands beside it. */
  forPickingSource: Scene | null = null;
  private readonly renderer: WebGLRenderer;
  private readonly pixel: WebGLRenderTarget | null;
  private readonly detail: Detail;
  private asked = 0; // the request for the next drawing
  private answered = false; // since the screen showed a picture

  /** `isMoving`: as of `Detail`; `answerIsDue`: whether the server will soon have answered the mouse. */
  constructor(
    private readonly box: HTMLElement,
    isMoving: () => boolean,
    private readonly answerIsDue: () => boolean,
  ) {
    this.renderer = new WebGLRenderer({ antialias: !bySoftware, alpha: true, powerPreference: "high-performance" });
    this.renderer.setClearColor(new Color(0), 0);
    this.renderer.outputColorSpace = SRGBColorSpace;
    this.renderer.toneMapping = NeutralToneMapping;
    this.renderer.shadowMap.enabled = true;
    const floats = this.renderer.extensions.has("EXT_color_buffer_float");
    this.pixel = floats ? new WebGLRenderTarget(1, 1, { type: FloatType }) : null;
    this.canvas = this.renderer.domElement;
    this.detail = new Detail(this.renderer, this.camera, () => this.draw(false), isMoving);
    box.prepend(this.canvas);
    new ResizeObserver(() => this.resize()).observe(box);
    this.resize();
  }

  /** Pixels of the picture per pixel of the page. */
  get ratio(): number {
    return this.renderer.getPixelRatio();
  }

  /** Whether something has changed that is not drawn yet, nor what lies over the picture moved along. */
  get isDrawing(): boolean {
    return this.asked !== 0;
  }

  /** Draw soon, once, however often it is asked. */
  invalidate = (): void => {
    if (this.asked === 0) this.asked = requestAnimationFrame(this.onFrame);
  };

  private onFrame = (): void => {
    if (this.answerIsDue()) this.asked = requestAnimationFrame(this.onFrame); // it will be drawn, and nothing twice
    else this.draw();
  };

  /** What answers the mouse is drawn at once, but once per picture of the screen. */
  answer(): void {
    if (this.asked === 0 || this.answered) return;
    this.answered = true;
    requestAnimationFrame(() => (this.answered = false));
    this.draw();
  }

  /** Where a point of the world is, in CSS pixels of the page; null: not in view. */
  clientPoint(point: Vec3): [number, number] | null {
    this.place();
    const at = new Vector3(...point).project(this.camera);
    if (at.z < -1 || at.z > 1 || Math.abs(at.x) > 1 || Math.abs(at.y) > 1) return null;
    const box = this.box.getBoundingClientRect();
    return [box.left + (0.5 + 0.5 * at.x) * box.width, box.top + (0.5 - 0.5 * at.y) * box.height];
  }

  /** How long a pixel is at a point of the world, m. */
  metresPerPixel(at: Vector3): number {
    this.place();
    const depth = at.clone().sub(this.camera.position).dot(this.camera.getWorldDirection(new Vector3()));
    return (2 * Math.abs(depth) * Math.tan((this.camera.fov * Math.PI) / 360)) / (this.box.clientHeight || 1);
  }

  /** The ray through a pixel of the page: origin and unit direction. */
  ray(clientX: number, clientY: number): { origin: Vector3; direction: Vector3 } {
    this.place();
    const box = this.box.getBoundingClientRect();
    const x = (2 * (clientX - box.left)) / box.width - 1;
    const y = 1 - (2 * (clientY - box.top)) / box.height;
    const origin = this.camera.getWorldPosition(new Vector3());
    return { origin, direction: new Vector3(x, y, 0.5).unproject(this.camera).sub(origin).normalize() };
  }

  /** The four numbers that a scene draws at a pixel of the page; null: there is nothing to draw, or no way to. */
  pickPixel(scene: Scene | null, clientX: number, clientY: number): Float32Array | null {
    if (scene === null || this.pixel === null) return null;
    this.place();
    const box = this.box.getBoundingClientRect();
    this.camera.setViewOffset(box.width, box.height, clientX - box.left - 0.5, clientY - box.top - 0.5, 1, 1);
    this.detail.layers(true);
    this.renderer.setRenderTarget(this.pixel);
    this.renderer.clear();
    this.renderer.render(scene, this.camera);
    const found = new Float32Array(4);
    this.renderer.readRenderTargetPixels(this.pixel, 0, 0, 1, 1, found);
    this.renderer.setRenderTarget(null);
    this.camera.clearViewOffset();
    return found;
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.box;
    if (width === 0 || height === 0) return;
    this.renderer.setSize(width, height);
    this.draw(); // at once: a canvas that was resized is empty
  }

  private place(): void {
    const aspect = this.box.clientWidth / (this.box.clientHeight || 1) || 1;
    if (aspect !== this.camera.aspect) {
      this.camera.aspect = aspect; // whoever asks may know of another size before the picture has it
      this.camera.updateProjectionMatrix();
    }
    this.orbit.place(this.camera);
  }

  private draw(moving = true): void {
    cancelAnimationFrame(this.asked);
    this.asked = 0;
    this.detail.choose(moving);
    this.place();
    for (const prepare of this.beforeDraw) prepare();
    mark("draw");
    this.renderer.render(this.scene, this.camera);
    if (moving) this.detail.drawn();
    for (const follow of this.afterDraw) follow();
  }
}

let current: View | null = null;

export function show(view: View): void {
  current = view;
}

/** What the server answered is drawn. */
export function drawAnswer(): void {
  current?.answer();
}

/** `View.isDrawing` of the view on the page; where nobody looks nothing is drawn. */
export function isDrawing(): boolean {
  return current !== null && current.isDrawing && document.visibilityState === "visible";
}

/** `View.clientPoint` of the view on the page. */
export function clientPoint(point: Vec3): [number, number] | null {
  return current?.clientPoint(point) ?? null;
}
