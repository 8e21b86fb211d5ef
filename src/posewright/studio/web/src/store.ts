// What the page knows: signals that the server's messages and the user's gestures set, and everything else reads.
import { computed, effect, signal } from "@preact/signals";
import type { BeginDrag, Document, Editing, ErrorInfo, Files, GoalInfo, JobInfo, Proposals, Scene } from "./protocol";
import type { ParticleFrame, PoseFrame } from "./pose_frame";

export type Vec3 = [number, number, number];
export type Kind = "goal" | "joint" | "site";
export interface Selection {
  kind: Kind;
  name: string;
  /** Of a joint: all below it too. */
  below?: boolean;
}
export type Tool = "select" | "move" | "turn";
export type Mode = NonNullable<BeginDrag["mode"]>;
export const MODES: Mode[] = ["full body", "limb", "joint"];
export interface Toast {
  id: number;
  text: string;
}

export const sessionScene = signal<Scene | null>(null);
/** A figure and its pose that are shown in place of the session's, and the figure that stands beside it. */
export const stage = signal<{ scene: Scene; pose: PoseFrame; source: Scene } | null>(null);
/** The figure that the view shows. */
export const scene = computed<Scene | null>(() => stage.value?.scene ?? sessionScene.value);
export const doc = signal<Document | null>(null);
/** Folder, project, and what can be recovered. */
export const files = signal<Files | null>(null);
/** The pose that the server solves. */
export const solvedPose = signal<PoseFrame | null>(null);
/** The frame of a clip, where that is shown in place of the pose. */
export const clipPose = signal<PoseFrame | null>(null);
/** A design, and how goals fare in it, where that is shown in place of the pose. */
export const designPose = signal<PoseFrame | null>(null);
export const designErrors = signal<ErrorInfo[]>([]);
/** What the view shows. */
export const pose = computed(() => stage.value?.pose ?? clipPose.value ?? designPose.value ?? solvedPose.value);
/** Whether goals are shown: they are about the pose, not about a clip or another figure. */
export const showsGoals = computed(() => clipPose.value === null && stage.value === null);

export const connected = signal(false);
export const uploading = signal(0); // files on their way to the server
export const waiting = signal(0); // requests that are not answered yet
/** Whether what was asked takes long enough to say so. */
export const slow = signal(false);
let soon: ReturnType<typeof setTimeout> | undefined;
effect(() => {
  clearTimeout(soon);
  if (waiting.value === 0) slow.value = false;
  else soon = setTimeout(() => (slow.value = true), 300);
});
/** What is done with files beside all else. */
export const jobs = signal<JobInfo[]>([]);
/** The edit of the clip that is made beside all else; nothing while `what` is empty. */
export const editing = signal<Editing>({ kind: "editing", what: "", steps: 0, waiting: 0 });
export const selection = signal<Selection | null>(null);
export const hovered = signal<number>(-1); // joint under the mouse
export const tab = signal("Pose");
export const toasts = signal<Toast[]>([]);

// How the user works: not part of the session.
export const tool = signal<Tool>("move");
export const mode = signal<Mode>("full body");
export const symmetric = signal(false);
export const helpOpen = signal(false);
/** The drawer that is open below the top bar; empty: none. */
export const drawer = signal("");
/** Where goals can be added by a menu: at a point of the page, about a point of the body or a site. */
export interface Menu {
  x: number;
  y: number;
  at: string;
  point: Vec3 | null;
  /** Where it is wanted, if not where it is in the pose. */
  target?: Vec3 | null;
}
export const menu = signal<Menu | null>(null);

// Other answers that stand beside the work.
export const proposals = signal<Proposals>({ kind: "proposals", running: false, wanted: 0, proposals: [], refusals: [] });
export const proposalPoses = signal<Map<number, Float32Array[]>>(new Map());
/** What was drawn on the way to a proposal, by its number. */
export const proposalParticles = signal<Map<number, ParticleFrame>>(new Map());
export const showsParticles = signal(true);
export const chosenProposal = signal(0);
/** Frame of the path of the chosen proposal that is shown; null: its answer. */
export const pathFrame = signal<number | null>(null);

/** A goal with what the newest pose says of it. */
export interface Goal extends GoalInfo {
  target: Vec3 | null;
  error: number | null;
  reached: boolean;
  branch: number;
}

/** What poses said of goals last, by name: until the pose to a new document is there, handles stay where they are. */
let known = new Map<string, ReturnType<PoseFrame["goal"]>>();

export const goals = computed<Goal[]>(() => {
  const infos = showsGoals.value ? (doc.value?.goals ?? []) : [];
  const frame = solvedPose.value;
  const designed = designPose.value === null ? null : designErrors.value;
  if (frame !== null && frame.revision === doc.value?.revision) known = new Map(infos.map(({ name }, k) => [name, frame.goal(k)]));
  return infos.map((info) => {
    const own = known.get(info.name) ?? { target: null, error: null, reached: false, branch: -1 };
    const told = designed?.find((one) => one.goal === info.name);
    return told === undefined ? { ...info, ...own } : { ...info, ...own, error: told.error, reached: told.reached, why: "" };
  });
});

export function select(kind: Kind, name: string): void {
  selection.value = { kind, name };
}

export const selectedGoal = computed<Goal | null>(() => {
  const chosen = selection.value;
  return chosen?.kind === "goal" ? (goals.value.find((goal) => goal.name === chosen.name) ?? null) : null;
});

/** Joints that are selected, by index. */
export const selectedJoints = computed<Set<number>>(() => {
  const chosen = selection.value;
  const joints = scene.value?.joints ?? [];
  const found = new Set<number>();
  if (chosen?.kind !== "joint") return found;
  joints.forEach((joint, k) => {
    if (joint.name === chosen.name || (chosen.below && found.has(joint.parent))) found.add(k);
  });
  return found;
});

// What is no longer there is not selected: undone, deleted, or of another figure.
effect(() => {
  const [chosen, told] = [selection.value, doc.value];
  if (chosen === null || told === null) return;
  const known = { goal: told.goals, site: told.sites, joint: [...(scene.value?.joints ?? []), ...(sessionScene.value?.joints ?? [])] };
  if (!known[chosen.kind].some((one) => one.name === chosen.name)) selection.value = null;
});

let nextToast = 1;
export function toast(text: string): void {
  const id = nextToast++;
  toasts.value = [...toasts.value.filter((one) => one.text !== text).slice(-3), { id, text }];
  setTimeout(() => dismiss(id), 8000);
}

export function dismiss(id: number): void {
  toasts.value = toasts.value.filter((one) => one.id !== id);
}
