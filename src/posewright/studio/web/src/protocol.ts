// Written by `python -m posewright.studio.typescript` from the protocol: change that, then run it again.

export const VERSION = 1;
export const LARGEST_REQUEST = 262144;
export const LARGEST_UPLOAD = 536870912;
export const POSE_FRAME = 1;
export const JOINT_NUMBERS = 7;
export const GOAL_NUMBERS = 6;
export const PROPOSAL_FRAME = 2;
export const PARTICLE_FRAME = 4;
export const CLIP_FRAME = 3;
export const SOURCE = 0;
export const EDITED = 1;
export const RETARGET_SOURCE = 2;
export const RETARGETED = 3;
export const DESIGNED = 4;

export const POSE_HEADER_BYTES = 32;

export const PROPOSAL_HEADER_BYTES = 16;

export const PARTICLE_HEADER_BYTES = 20;

export const CLIP_HEADER_BYTES = 28;

export interface PickPoint {
  kind: "pick_point";
  joint: string;
  point: [number, number, number];
  target?: [number, number, number] | null;
}

export interface NewGoal {
  kind: "new_goal";
  goal_kind: string;
  at: string;
  point?: [number, number, number] | null;
  target?: [number, number, number] | null;
  priority?: number;
}

export interface RenameSite {
  kind: "rename_site";
  site: string;
  to: string;
}

export interface MirrorGoal {
  kind: "mirror_goal";
  name: string;
}

export interface AddGoal {
  kind: "add_goal";
  goal: Record<string, unknown>;
}

export interface MoveGoals {
  kind: "move_goals";
  targets: Record<string, [number, number, number]>;
  turns?: Record<string, [number, number, number, number]>;
  mode?: "full body" | "limb" | "joint";
}

export interface SetGoal {
  kind: "set_goal";
  name: string;
  weight?: number | null;
  priority?: number | null;
  enabled?: boolean | null;
  fields?: Record<string, unknown>;
}

export interface PinGoal {
  kind: "pin_goal";
  name: string;
  pinned: boolean;
  position?: boolean;
  orientation?: boolean;
}

export interface DeleteGoal {
  kind: "delete_goal";
  name: string;
}

export interface SetPose {
  kind: "set_pose";
  q: number[];
  what: string;
  goals_follow?: boolean;
}

export interface MirrorPose {
  kind: "mirror_pose";
}

export interface SetDofs {
  kind: "set_dofs";
  values: Record<string, number>;
}

export interface Solve {
  kind: "solve";
}

export interface SetRigidity {
  kind: "set_rigidity";
  joint: string;
  rigidity: number;
}

export interface SetRelation {
  kind: "set_relation";
  name: string;
  on: boolean;
}

export interface SetSolver {
  kind: "set_solver";
  solver: string;
}

export interface OpenFile {
  kind: "open_file";
  name: string;
}

export interface OpenClip {
  kind: "open_clip";
  clip: string;
}

export interface SetKey {
  kind: "set_key";
  frame: number;
  site: string;
  point?: [number, number, number] | null;
  target: [number, number, number];
}

export interface SetKeys {
  kind: "set_keys";
  keys: SetKey[];
}

export interface MoveKey {
  kind: "move_key";
  frame: number;
  to: number;
  also?: number[];
}

export interface EaseKey {
  kind: "ease_key";
  frame: number;
  ease?: [number, number] | null;
}

export interface DeleteKey {
  kind: "delete_key";
  frame: number;
  site?: string | null;
  also?: number[];
}

export interface AddPath {
  kind: "add_path";
  site: string;
  point?: [number, number, number] | null;
  start: number;
  end: number;
}

export interface Hold {
  kind: "hold";
  what: "position" | "orientation" | "placement" | "aim";
  site: string;
  point?: [number, number, number] | null;
  frame: number;
  start: number;
  end: number;
}

export interface SetSpan {
  kind: "set_span";
  span: string;
  start?: number | null;
  end?: number | null;
  ease_in?: number | null;
  ease_out?: number | null;
  tension?: number | null;
  continuity?: number | null;
  bias?: number | null;
}

export interface MoveSpan {
  kind: "move_span";
  span: string;
  by: number;
}

export interface DeleteSpan {
  kind: "delete_span";
  span: string;
}

export interface TurnSpan {
  kind: "turn_span";
  span: string;
  turn: [number, number, number, number];
}

export interface SetKnot {
  kind: "set_knot";
  span: string;
  knot: number;
  point?: [number, number, number] | null;
  frame?: number | null;
}

export interface AddKnot {
  kind: "add_knot";
  span: string;
  frame: number;
}

export interface DeleteKnot {
  kind: "delete_knot";
  span: string;
  knot: number;
}

export interface SetContact {
  kind: "set_contact";
  foot: string;
  number?: number | null;
  start: number;
  end: number;
}

export interface CutContact {
  kind: "cut_contact";
  foot: string;
  number: number;
  frame: number;
}

export interface DeleteContact {
  kind: "delete_contact";
  foot: string;
  number: number;
}

export interface FindContacts {
  kind: "find_contacts";
}

export interface TakeModel {
  kind: "take_model";
  clips: string[];
  model: string;
}

export interface SetEditing {
  kind: "set_editing";
  in_model?: boolean | null;
  hold_contacts?: "usual" | "on" | "off" | null;
  keep_detail?: boolean | null;
  limits?: boolean | null;
  max_deviation?: number | null;
}

export interface SetRetargeting {
  kind: "set_retargeting";
  source?: string | null;
  target?: string | null;
}

export interface PairJoints {
  kind: "pair_joints";
  source: string;
  target: string;
}

export interface SetPart {
  kind: "set_part";
  part: string;
  of: "source" | "target";
  joint: string;
}

export interface ClearPart {
  kind: "clear_part";
  part: string;
}

export interface FindMatch {
  kind: "find_match";
}

export interface SetRetargetOptions {
  kind: "set_retarget_options";
  options?: Record<string, unknown>;
}

export interface AcceptRetarget {
  kind: "accept_retarget";
  q: Record<string, unknown>;
}

export interface UsePostures {
  kind: "use_postures";
  clips: string[];
}

export interface SetDonor {
  kind: "set_donor";
  part: string;
  posture: number | null;
}

export interface SetDesign {
  kind: "set_design";
  recruiting?: Record<string, "limb" | "limb+spine" | "whole" | null> | null;
  keep_rest?: boolean | null;
}

export interface SavePose {
  kind: "save_pose";
  name: string;
}

export interface ApplyPose {
  kind: "apply_pose";
  name: string;
  flipped?: boolean;
}

export interface ForgetPose {
  kind: "forget_pose";
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

export interface CopyPose {
  id: number;
  kind: "copy_pose";
}

export interface PastePose {
  id: number;
  kind: "paste_pose";
  flipped?: boolean;
}

export interface Look {
  id: number;
  kind: "look";
  at: "retarget" | "design" | "nothing";
}

export interface BeginDrag {
  id: number;
  kind: "begin_drag";
  first?: Command | null;
  goals?: string[];
  mode?: "full body" | "limb" | "joint";
  symmetric?: boolean;
}

export interface MoveDrag {
  id: number;
  kind: "move_drag";
  targets: Record<string, [number, number, number]>;
  turns?: Record<string, [number, number, number, number]>;
}

export interface EndDrag {
  id: number;
  kind: "end_drag";
}

export interface CancelDrag {
  id: number;
  kind: "cancel_drag";
}

export interface Propose {
  id: number;
  kind: "propose";
  what: "solvers" | "answers";
}

export interface StopProposing {
  id: number;
  kind: "stop_proposing";
}

export interface Accept {
  id: number;
  kind: "accept";
  number: number;
}

export interface Reject {
  id: number;
  kind: "reject";
}

export interface Preview {
  id: number;
  kind: "preview";
  command: Command;
}

export interface StopPreview {
  id: number;
  kind: "stop_preview";
}

export interface CopyKeys {
  id: number;
  kind: "copy_keys";
  frame: number;
  also?: number[];
}

export interface PasteKeys {
  id: number;
  kind: "paste_keys";
  frame: number;
  flipped?: boolean;
}

export interface StopEditing {
  id: number;
  kind: "stop_editing";
}

export interface LookAtCurves {
  id: number;
  kind: "look_at_curves";
  joint: string;
}

export interface FitModel {
  id: number;
  kind: "fit_model";
  clips: string[];
  explained_variance: number;
}

export interface StopFitting {
  id: number;
  kind: "stop_fitting";
}

export interface Save {
  id: number;
  kind: "save";
  name?: string | null;
  overwrite?: boolean;
}

export interface Open {
  id: number;
  kind: "open";
  names?: string[];
  uploads?: string[];
  beside?: boolean;
}

export interface Export {
  id: number;
  kind: "export";
  what: string;
  name?: string | null;
  overwrite?: boolean;
}

export interface Recover {
  id: number;
  kind: "recover";
  name: string;
}

export interface Discard {
  id: number;
  kind: "discard";
  name: string;
}

export interface StopJob {
  id: number;
  kind: "stop_job";
  number: number;
}

export interface Retarget {
  id: number;
  kind: "retarget";
}

export interface StopRetarget {
  id: number;
  kind: "stop_retarget";
}

export interface TakeRetarget {
  id: number;
  kind: "take_retarget";
}

export interface DropRetarget {
  id: number;
  kind: "drop_retarget";
}

export interface CollectPostures {
  id: number;
  kind: "collect_postures";
  clips: string[];
}

export interface StopCollecting {
  id: number;
  kind: "stop_collecting";
}

export interface TakeDesign {
  id: number;
  kind: "take_design";
}

export interface DofInfo {
  name: string;
  unit: "m" | "rad";
  lower: number | null;
  upper: number | null;
}

export interface JointInfo {
  name: string;
  parent: number;
  side: string;
  segment: string;
  rigidity: number;
  dofs: DofInfo[];
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
  turnable: boolean;
  fields: Record<string, unknown>;
  tolerance: number | null;
  unit: "m" | "rad";
  why: string;
}

export interface RelationInfo {
  name: string;
  is_group: boolean;
  on: boolean;
  about: string;
}

export interface ErrorInfo {
  goal: string;
  error: number;
  unit: "m" | "rad";
  reached: boolean;
}

export interface ProposalInfo {
  name: string;
  errors: ErrorInfo[];
  milliseconds: number;
  iterations: number;
  stopped: string;
  frames: number;
  has_particles: boolean;
}

export interface CurveInfo {
  name: string;
  unit: "m" | "rad" | "m/s" | "m/s³";
  of: "dofs" | "height" | "speed" | "jerk";
  source: number[];
  edited: number[];
}

export interface KeyInfo {
  frame: number;
  site: string;
  target: [number, number, number];
  error: number;
  reached: boolean;
  ease_in: number;
  ease_out: number;
  eased: boolean;
}

export interface KnotInfo {
  frame: number;
  point: [number, number, number];
}

export interface SpanInfo {
  name: string;
  goal_kind: string;
  turnable: boolean;
  site: string | null;
  start: number;
  end: number;
  ease_in: number;
  ease_out: number;
  knots: KnotInfo[];
  points: [number, number, number][];
  tension: number;
  continuity: number;
  bias: number;
  error: number;
  unit: "m" | "rad";
  reached: boolean;
}

export interface ContactInfo {
  foot: string;
  start: number;
  end: number;
}

export interface ClipInfo {
  name: string;
  frames: number;
  fps: number;
  keys: KeyInfo[];
  spans: SpanInfo[];
  feet: string[];
  contacts: ContactInfo[];
  contacts_by_hand: boolean;
  notes: string[];
}

export interface ModelInfo {
  name: string;
  clips: string[];
  frames: number;
  modes: number;
  explained: number;
  shares: number[];
  warnings: string[];
}

export interface JobInfo {
  number: number;
  doing: string;
  step: string;
}

export interface ExportInfo {
  name: string;
  title: string;
  suffix: string;
}

export interface RecoveryInfo {
  name: string;
  title: string;
  when: number;
  crashed: boolean;
}

export interface ChoiceInfo {
  id: string;
  name: string;
}

export interface PartInfo {
  part: string;
  source: string[];
  target: string[];
  confidence: number;
  corrected: boolean;
  essential: boolean;
}

export interface OptionsInfo {
  feet: boolean;
  hands: boolean;
  smooth: number;
  imitation: number | null;
  scale: number | null;
  floor: number | null;
  speed_limits: boolean;
  slides: boolean;
  solver: string;
}

export interface MeasureInfo {
  name: string;
  unit: string;
  value: number;
  source: number | null;
  bound: number | null;
  passed: boolean | null;
  frame: number | null;
}

export interface RetargetedInfo {
  sentence: string;
  measures: MeasureInfo[];
  warnings: string[];
  seconds: number;
}

export interface SampleInfo {
  posture: number;
  clip: string;
  frame: number;
  weight: number;
}

export interface SplicedInfo {
  name: string;
  joints: string[];
  colour: string;
  samples: SampleInfo[];
  donor: number | null;
}

export interface DesignedInfo {
  parts: SplicedInfo[];
  rest: string;
  rest_colour: string;
  errors: ErrorInfo[];
  warnings: string[];
  splice_ms: number;
  milliseconds: number;
}

export interface Block {
  start: number;
  count: number;
}

export interface MeshPartInfo {
  points: Block;
  normals: Block | null;
  uv: Block | null;
  colours: Block | null;
  joints: Block;
  weights: Block;
  triangles: Block;
  surface: number;
  bind: number;
}

export interface PictureInfo {
  media_type: string;
  data: Block;
}

export interface SurfacePicture {
  picture: number;
  wrap: ["repeat" | "clamp" | "mirror", "repeat" | "clamp" | "mirror"];
  offset: [number, number];
  turn: number;
  scale: [number, number];
}

export interface Surface {
  colour: [number, number, number, number];
  metal: number;
  rough: number;
  glow: [number, number, number];
  alpha: "OPAQUE" | "MASK" | "BLEND";
  alpha_cutoff: number;
  two_sided: boolean;
  unlit: boolean;
  bumps: number;
  colour_picture: SurfacePicture | null;
  metal_picture: SurfacePicture | null;
  normal_picture: SurfacePicture | null;
  glow_picture: SurfacePicture | null;
}

export interface MeshInfo {
  joints: number;
  parts: MeshPartInfo[];
  binds: Block;
  surfaces: Surface[];
  pictures: PictureInfo[];
  notes: string[];
}

export interface Scene {
  kind: "scene";
  version: number;
  figure: string;
  height: number;
  floor: number;
  joints: JointInfo[];
  cones: ConeInfo[];
  mesh: string | null;
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
  solvers: string[];
  goal_kinds: string[];
  relations: RelationInfo[];
  dof_values: number[];
  dragging: boolean;
  poses: string[];
  copied: boolean;
  copied_keys: number;
  clip: ClipInfo | null;
  clip_names: string[];
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

export interface Proposals {
  kind: "proposals";
  running: boolean;
  wanted: number;
  proposals: ProposalInfo[];
  refusals: string[];
}

export interface Curves {
  kind: "curves";
  joint: string;
  frames: number[];
  curves: CurveInfo[];
}

export interface Previewed {
  kind: "previewed";
  clip: ClipInfo | null;
}

export interface Editing {
  kind: "editing";
  what: string;
  steps: number;
  waiting: number;
}

export interface Modelling {
  kind: "modelling";
  clips: ChoiceInfo[];
  model: ModelInfo | null;
  in_model: boolean;
  hold_contacts: "usual" | "on" | "off";
  keep_detail: boolean;
  limits: boolean;
  max_deviation: number;
  fitting: boolean;
  done: number;
  total: number;
  why_not: string;
}

export interface Jobs {
  kind: "jobs";
  jobs: JobInfo[];
}

export interface Files {
  kind: "files";
  folder: string | null;
  project: string | null;
  saved_at: number | null;
  names: string[];
  suffixes: string[];
  notices: string[];
  recoveries: RecoveryInfo[];
  exports: ExportInfo[];
}

export interface Retargeting {
  kind: "retargeting";
  sources: ChoiceInfo[];
  targets: ChoiceInfo[];
  source: string;
  target: string;
  parts: PartInfo[];
  options: OptionsInfo;
  solvers: string[];
  states_speeds: boolean;
  why_not: string;
  name: string;
  frames: number;
  fps: number;
  contacts: ContactInfo[];
  running: boolean;
  done: number;
  result: RetargetedInfo | null;
}

export interface Staged {
  kind: "staged";
  role: "source" | "target";
  scene: Scene;
  rest: number[];
}

export interface Design {
  kind: "design";
  clips: ChoiceInfo[];
  chosen: string[];
  postures: string;
  file: string;
  recruiting: Record<string, string>;
  keep_rest: boolean;
  why_not: string;
  collecting: boolean;
  done: number;
  total: number;
  result: DesignedInfo | null;
}

export interface ShowInfo {
  name: string;
  scene: Scene;
  document: Document;
  poses: Block[];
  mesh: Block | null;
}

export interface RecordingInfo {
  shows: ShowInfo[];
}

export type Command = PickPoint | NewGoal | RenameSite | MirrorGoal | AddGoal | MoveGoals | SetGoal | PinGoal | DeleteGoal | SetPose | MirrorPose | SetDofs | Solve | SetRigidity | SetRelation | SetSolver | OpenFile | OpenClip | SetKey | SetKeys | MoveKey | EaseKey | DeleteKey | AddPath | Hold | SetSpan | MoveSpan | DeleteSpan | TurnSpan | SetKnot | AddKnot | DeleteKnot | SetContact | CutContact | DeleteContact | FindContacts | TakeModel | SetEditing | SetRetargeting | PairJoints | SetPart | ClearPart | FindMatch | SetRetargetOptions | AcceptRetarget | UsePostures | SetDonor | SetDesign | SavePose | ApplyPose | ForgetPose | Together;

export type Request = Run | Undo | Redo | CopyPose | PastePose | Look | BeginDrag | MoveDrag | EndDrag | CancelDrag | Propose | StopProposing | Accept | Reject | Preview | StopPreview | CopyKeys | PasteKeys | StopEditing | LookAtCurves | FitModel | StopFitting | Save | Open | Export | Recover | Discard | StopJob | Retarget | StopRetarget | TakeRetarget | DropRetarget | CollectPostures | StopCollecting | TakeDesign;

export type Reply = Scene | Document | Done | Failed | Proposals | Curves | Previewed | Editing | Modelling | Jobs | Files | Retargeting | Staged | Design;
