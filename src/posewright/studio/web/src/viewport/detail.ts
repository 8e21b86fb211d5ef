// How fine the picture is: full at rest; while things move, as coarse as it takes for pictures to come in time.
import { type Camera, Vector2, type WebGLRenderer } from "three";

const LATE = 50; // ms from the call that draws a picture until it is there
const STEP = 0.7; // of the pixels along a side
const COARSEST = 0.5; // of them
const SHADOWS = 3; // pictures of the coarsest until shadows follow
const MOST = 4e6; // pixels
const REST = 200; // ms without drawing

/** Whether the processor draws, for want of a graphics card: every pixel counts, so no edge is smoothed while things move, and
 * pictures begin coarse. */
export const bySoftware = drawsBySoftware();

const EARLY = bySoftware ? 10 : 25; // ms; a processor that draws has to solve meanwhile

/** Layers of meshes that are drawn in all, or in few of their triangles. */
export const [FINE, ROUGH] = [1, 2];

export class Detail {
  private readonly gl: WebGL2RenderingContext;
  private share = bySoftware ? COARSEST : 1; // of the pixels along a side, while things move
  private pictures = 0; // of the coarsest, since one was finer
  private late = 0; // pictures in a row
  private waiting = false; // for a picture
  private resting: ReturnType<typeof setTimeout> | undefined;

  /** `isMoving`: whether the picture will soon be another one, so that a fine one would only hold it up. */
  constructor(
    private readonly renderer: WebGLRenderer,
    private readonly camera: Camera,
    private readonly drawFinely: () => void,
    private readonly isMoving: () => boolean,
  ) {
    this.gl = renderer.getContext() as WebGL2RenderingContext;
  }

  /** Before a picture is drawn. */
  choose(moving: boolean): void {
    const full = Math.min(devicePixelRatio, 2);
    const ratio = moving ? full * this.share : bySoftware ? this.smooth(full) : full;
    if (ratio !== this.renderer.getPixelRatio()) this.renderer.setPixelRatio(ratio);
    this.pictures = moving && this.share <= COARSEST ? this.pictures + 1 : 0;
    this.renderer.shadowMap.autoUpdate = this.pictures % SHADOWS === 0;
    this.layers(moving);
  }

  /** How much of meshes the camera sees. */
  layers(moving: boolean): void {
    this.camera.layers.set(0);
    this.camera.layers.enable(moving && bySoftware ? ROUGH : FINE);
  }

  /** After one was drawn while things move. */
  drawn(): void {
    clearTimeout(this.resting);
    if (this.share < 1 || bySoftware) this.resting = setTimeout(this.rest, REST);
    if (this.waiting) return;
    const fence = this.gl.fenceSync(this.gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    if (fence === null) return;
    this.gl.flush();
    this.waiting = true;
    const began = performance.now();
    const look = (): void => {
      const there = this.gl.getSyncParameter(fence, this.gl.SYNC_STATUS) === this.gl.SIGNALED || this.gl.isContextLost();
      if (!there) return void setTimeout(look, 2);
      this.gl.deleteSync(fence);
      this.waiting = false;
      this.learn(performance.now() - began);
    };
    setTimeout(look, 2);
  }

  private rest = (): void => {
    if (this.waiting || this.isMoving()) this.resting = setTimeout(this.rest, REST);
    else this.drawFinely();
  };

  /** More pixels than the screen has: edges are smooth without a card that does it. */
  private smooth(full: number): number {
    const { x, y } = this.renderer.getSize(new Vector2());
    return Math.min(2 * full, Math.max(full, Math.sqrt(MOST / (x * y))));
  }

  private learn(took: number): void {
    this.late = took > LATE ? this.late + 1 : 0; // one alone may have been held up by something else
    if (this.late > 1) this.share = Math.max(COARSEST, this.share * STEP);
    else if (took < EARLY) this.share = Math.min(1, this.share / STEP);
  }
}

function drawsBySoftware(): boolean {
  const gl = document.createElement("canvas").getContext("webgl2");
  const named = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = gl && named ? String(gl.getParameter(named.UNMASKED_RENDERER_WEBGL)) : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|softpipe|basic render/i.test(name);
}
