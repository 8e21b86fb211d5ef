// Poses as they arrive: the binary frames of protocol/frames.py, read in place.
import { GOAL_NUMBERS, JOINT_NUMBERS, PARTICLE_HEADER_BYTES, POSE_FRAME, POSE_HEADER_BYTES, PROPOSAL_HEADER_BYTES } from "./protocol";
import type { Vec3 } from "./store";

export class PoseFrame {
  readonly revision: number;
  readonly dragging: boolean;
  readonly milliseconds: number;
  readonly frame: number;
  readonly frames: number;
  /** Seven numbers per joint: position (m), quaternion xyzw. */
  readonly joints: Float64Array;
  private readonly goalNumbers: Float64Array;
  /** 1 per joint that is at a limit. */
  readonly atLimit: Float64Array;
  /** Centre of mass, m; null: the figure has no masses. */
  readonly centre: Vec3 | null;

  constructor(bytes: ArrayBuffer) {
    const header = new DataView(bytes, 0, POSE_HEADER_BYTES);
    if (header.getUint32(0, true) !== POSE_FRAME) throw new Error("this is no frame of a pose");
    this.revision = header.getUint32(4, true);
    const joints = header.getUint32(8, true);
    const goals = header.getUint32(12, true);
    this.dragging = header.getUint32(16, true) !== 0;
    this.milliseconds = header.getFloat32(20, true);
    this.frame = header.getUint32(24, true);
    this.frames = header.getUint32(28, true);
    this.joints = new Float64Array(bytes, POSE_HEADER_BYTES, joints * JOINT_NUMBERS);
    const after = POSE_HEADER_BYTES + this.joints.byteLength;
    this.goalNumbers = new Float64Array(bytes, after, goals * GOAL_NUMBERS);
    const behind = after + this.goalNumbers.byteLength;
    this.atLimit = new Float64Array(bytes, behind, joints);
    const [x, y, z] = new Float64Array(bytes, behind + this.atLimit.byteLength, 3);
    this.centre = Number.isNaN(x) ? null : [x!, y!, z!];
  }

  position(joint: number): Vec3 {
    const at = joint * JOINT_NUMBERS;
    return [this.joints[at]!, this.joints[at + 1]!, this.joints[at + 2]!];
  }

  /** A point of a joint's frame, in the world. */
  toWorld(joint: number, point: Vec3): Vec3 {
    const [x, y, z] = rotated(this.quaternion(joint), point);
    const [px, py, pz] = this.position(joint);
    return [px + x, py + y, pz + z];
  }

  /** A point of the world, in a joint's frame. */
  toJoint(joint: number, point: Vec3): Vec3 {
    const [qx, qy, qz, qw] = this.quaternion(joint);
    const [px, py, pz] = this.position(joint);
    return rotated([-qx, -qy, -qz, qw], [point[0] - px, point[1] - py, point[2] - pz]);
  }

  goal(index: number): { target: Vec3 | null; error: number | null; reached: boolean; branch: number } {
    const [x, y, z, error, reached, branch] = this.goalNumbers.subarray(index * GOAL_NUMBERS, (index + 1) * GOAL_NUMBERS);
    return {
      target: x === undefined || Number.isNaN(x) ? null : [x, y!, z!],
      error: error === undefined || Number.isNaN(error) ? null : error,
      reached: reached === 1,
      branch: branch ?? -1,
    };
  }

  private quaternion(joint: number): [number, number, number, number] {
    const at = joint * JOINT_NUMBERS;
    return [this.joints[at + 3]!, this.joints[at + 4]!, this.joints[at + 5]!, this.joints[at + 6]!];
  }
}

/** The poses of a proposal: seven numbers per joint and frame. */
export class ProposalFrame {
  readonly number: number;
  readonly frames: Float32Array[];

  constructor(bytes: ArrayBuffer) {
    const header = new DataView(bytes, 0, PROPOSAL_HEADER_BYTES);
    this.number = header.getUint32(4, true);
    const size = header.getUint32(12, true) * JOINT_NUMBERS;
    this.frames = Array.from(
      { length: header.getUint32(8, true) },
      (_, k) => new Float32Array(bytes, PROPOSAL_HEADER_BYTES + 4 * k * size, size),
    );
  }
}

/** What was drawn at random on the path of a proposal: the places of the joints of each particle, frame by frame. */
export class ParticleFrame {
  readonly number: number;
  readonly joints: number;
  /** Three numbers per joint and particle. */
  readonly frames: Float32Array[];

  constructor(bytes: ArrayBuffer) {
    const header = new DataView(bytes, 0, PARTICLE_HEADER_BYTES);
    this.number = header.getUint32(4, true);
    this.joints = header.getUint32(16, true);
    const size = 3 * this.joints * header.getUint32(12, true);
    this.frames = Array.from(
      { length: header.getUint32(8, true) },
      (_, k) => new Float32Array(bytes, PARTICLE_HEADER_BYTES + 4 * k * size, size),
    );
  }
}

export function rotated([qx, qy, qz, qw]: [number, number, number, number], [x, y, z]: Vec3): Vec3 {
  const tx = 2 * (qy * z - qz * y);
  const ty = 2 * (qz * x - qx * z);
  const tz = 2 * (qx * y - qy * x);
  return [x + qw * tx + qy * tz - qz * ty, y + qw * ty + qz * tx - qx * tz, z + qw * tz + qx * ty - qy * tx];
}
