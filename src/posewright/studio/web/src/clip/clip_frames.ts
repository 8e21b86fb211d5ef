// The poses of a clip as they arrive: the source once, then what an edit changed of it.
import { CLIP_HEADER_BYTES, JOINT_NUMBERS, POSE_FRAME, POSE_HEADER_BYTES, SOURCE } from "../protocol";
import { PoseFrame } from "../pose_frame";

export class ClipFrames {
  /** Numbers of all frames in a row, seven per joint. */
  edited: Float32Array;

  constructor(
    readonly frames: number,
    readonly joints: number,
    readonly source: Float32Array,
  ) {
    this.edited = source;
  }

  /** The numbers of one frame. */
  at(frame: number, before = false): Float32Array {
    const size = this.joints * JOINT_NUMBERS;
    return (before ? this.source : this.edited).subarray(frame * size, (frame + 1) * size);
  }
}

export class ClipReceiver {
  private clip: ClipFrames | null = null;
  private begins = true;

  /** `whole`: what comes before any edit. */
  constructor(private readonly whole: number = SOURCE) {}

  /** The clip when a message completes it; null while more follow. */
  receive(bytes: ArrayBuffer): ClipFrames | null {
    const header = new DataView(bytes, 0, CLIP_HEADER_BYTES);
    const [which, total, first, joints, isLast] = [4, 8, 12, 20, 24].map((at) => header.getUint32(at, true)) as [
      number,
      number,
      number,
      number,
      number,
    ];
    const size = joints * JOINT_NUMBERS;
    if (which === this.whole && this.begins) this.clip = new ClipFrames(total, joints, new Float32Array(total * size));
    const clip = this.clip;
    if (clip === null) throw new Error("an edit came before its clip");
    if (which !== this.whole && this.begins) clip.edited = clip.source.slice();
    clip.edited.set(new Float32Array(bytes, CLIP_HEADER_BYTES), first * size);
    this.begins = isLast === 1;
    return this.begins ? clip : null;
  }
}

/** A frame as a pose without goals: revision 0 belongs to no document. */
export function asPose(numbers: Float32Array, frame: number, frames: number): PoseFrame {
  const joints = numbers.length / JOINT_NUMBERS;
  const bytes = new ArrayBuffer(POSE_HEADER_BYTES + 8 * (numbers.length + joints + 3));
  const header = new DataView(bytes);
  header.setUint32(0, POSE_FRAME, true);
  header.setUint32(8, joints, true);
  header.setUint32(24, frame, true);
  header.setUint32(28, frames, true);
  new Float64Array(bytes, POSE_HEADER_BYTES).set(numbers);
  new Float64Array(bytes, POSE_HEADER_BYTES + 8 * (numbers.length + joints)).fill(NaN); // no centre of mass
  return new PoseFrame(bytes);
}
