// Written by `python -m posewright.studio.typescript` from protocol.py: change that, then run it again.

export const VERSION = 1;
export const LARGEST_REQUEST = 262144;
export const POSE_FRAME = 1;
export const JOINT_NUMBERS = 7;
export const GOAL_NUMBERS = 5;

export const POSE_HEADER_BYTES = 32;

export interface PickPoint {
  kind: "pick_point";
  joint: string;
  point: [number, number, number];
}

export interface AddGoal {
  kind: "add_goal";
  goal: Record<string, unknown>;
}

export interface MoveGoals {
  kind: "move_goals";
  targets: Record<string, [number, number, number]>;
}

export interface SetGoal {
  kind: "set_goal";
  name: string;
  weight?: number | null;
  priority?: number | null;
  enabled?: boolean | null;
}

export interface PinGoal {
  kind: "pin_goal";
  name: string;
  pinned: boolean;
}

export interface DeleteGoal {
  kind: "delete_goal";
  name: string;
}

export interface Together {
  kind: "together";
  commands: Command[];
}

export interface Run {
  id: number;
  kind: "run";
  command: Command;
}

export interface Undo {
  id: number;
  kind: "undo";
}

export interface Redo {
  id: number;
  kind: "redo";
}

export interface BeginDrag {
  id: number;
  kind: "begin_drag";
  first?: Command | null;
}

export interface MoveDrag {
  id: number;
  kind: "move_drag";
  targets: Record<string, [number, number, number]>;
}

export interface EndDrag {
  id: number;
  kind: "end_drag";
}

export interface CancelDrag {
  id: number;
  kind: "cancel_drag";
}

export interface JointInfo {
  name: string;
  parent: number;
  side: string;
  segment: string;
}

export interface ConeInfo {
  joint: number;
  start: [number, number, number];
  end: [number, number, number];
  radii: [number, number];
  colour: string;
}

export interface SiteInfo {
  name: string;
  joint: number;
  point: [number, number, number];
  made: boolean;
}

export interface GoalInfo {
  name: string;
  goal_kind: string;
  site: string | null;
  weight: number;
  priority: number;
  enabled: boolean;
  pinned: boolean;
  movable: boolean;
  unit: "m" | "rad";
  why: string;
}

export interface Scene {
  kind: "scene";
  version: number;
  figure: string;
  height: number;
  floor: number;
  joints: JointInfo[];
  cones: ConeInfo[];
}

export interface Document {
  kind: "document";
  revision: number;
  title: string;
  sites: SiteInfo[];
  goals: GoalInfo[];
  undoes: string | null;
  redoes: string | null;
  unsaved: boolean;
  solver: string;
  dragging: boolean;
}

export interface Done {
  kind: "done";
  id: number;
}

export interface Failed {
  kind: "error";
  id: number | null;
  message: string;
}

export type Command = PickPoint | AddGoal | MoveGoals | SetGoal | PinGoal | DeleteGoal | Together;

export type Request = Run | Undo | Redo | BeginDrag | MoveDrag | EndDrag | CancelDrag;

export type Reply = Scene | Document | Done | Failed;
