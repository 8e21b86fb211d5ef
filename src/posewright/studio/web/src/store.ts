// What the page knows: signals that the server's messages and the user's gestures set, and everything else reads.
import { computed, signal } from "@preact/signals";
import type { Document, GoalInfo, Scene } from "./protocol";
import type { PoseFrame } from "./pose_frame";

export type Vec3 = [number, number, number];
export type Kind = "goal" | "joint" | "site";
export interface Selection {
  kind: Kind;
  name: string;
}
export interface Toast {
  id: number;
  text: string;
}

export const scene = signal<Scene | null>(null);
export const doc = signal<Document | null>(null);
export const pose = signal<PoseFrame | null>(null);

export const connected = signal(false);
export const waiting = signal(0); // requests that are not answered yet
export const selection = signal<Selection | null>(null);
export const hovered = signal<number>(-1); // joint under the mouse
export const tab = signal("Pose");
export const toasts = signal<Toast[]>([]);

/** A goal with what the newest pose says of it. */
export interface Goal extends GoalInfo {
  target: Vec3 | null;
  error: number | null;
  reached: boolean;
}

export const goals = computed<Goal[]>(() => {
  const infos = doc.value?.goals ?? [];
  const frame = pose.value;
  return infos.map((info, k) => {
    const fits = frame !== null && frame.revision === doc.value?.revision;
    return fits ? { ...info, ...frame.goal(k) } : { ...info, target: null, error: null, reached: false };
  });
});

export function select(kind: Kind, name: string): void {
  selection.value = { kind, name };
}

export const selectedGoal = computed<Goal | null>(() => {
  const chosen = selection.value;
  return chosen?.kind === "goal" ? (goals.value.find((goal) => goal.name === chosen.name) ?? null) : null;
});

let nextToast = 1;
export function toast(text: string): void {
  const id = nextToast++;
  toasts.value = [...toasts.value.slice(-3), { id, text }];
  setTimeout(() => dismiss(id), 8000);
}

export function dismiss(id: number): void {
  toasts.value = toasts.value.filter((one) => one.id !== id);
}
