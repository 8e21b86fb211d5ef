// `window.posewright`: what tests and people who cannot see the page may ask (docs/studio.md).
import {
  doc,
  editing,
  files,
  goals,
  mode,
  pathFrame,
  pose,
  proposals,
  scene,
  selection,
  solvedPose,
  stage,
  symmetric,
  tab,
  tool,
  uploading,
  waiting,
  type Vec3,
} from "./store";
import { clip, clipIsComing, frame as clipFrame, playing, range } from "./clip/clip";
import { modelling } from "./clip/modelling";
import { designIsComing, designState } from "./design/design";
import { retargetState, stageIsComing } from "./retarget/retarget";
import { character, meshIsComing } from "./character/characters";
import { particleCount } from "./viewport/particles";
import { clientPoint, isDrawing } from "./viewport/view";

/** Places on the page by name, for what modules add: "gizmo:x", "knot:3", "key:12". */
export const PLACES = new Map<string, (name: string) => [number, number] | null>();

/** Where a joint or site is in the world. */
export function place(name: string): Vec3 | null {
  const frame = pose.value;
  if (frame === null) return null;
  const site = stage.value === null ? doc.value?.sites.find((one) => one.name === name) : undefined;
  if (site !== undefined) return frame.toWorld(site.joint, site.point);
  const joint = scene.value?.joints.findIndex((one) => one.name === name) ?? -1;
  return joint < 0 ? null : frame.position(joint);
}

function state() {
  const joints = (scene.value?.joints ?? []).map((joint) => [joint.name, place(joint.name)]);
  const sites = (stage.value === null ? (doc.value?.sites ?? []) : []).map((site) => [site.name, place(site.name)]);
  return {
    figure: scene.value?.figure ?? null,
    joints: Object.fromEntries(joints) as Record<string, Vec3>,
    sites: Object.fromEntries(sites) as Record<string, Vec3>,
    goals: goals.value.map((goal) => ({
      name: goal.name,
      kind: goal.goal_kind,
      site: goal.site,
      weight: goal.weight,
      priority: goal.priority,
      enabled: goal.enabled,
      target: goal.target,
      error: goal.error,
      unit: goal.unit,
      reached: goal.reached,
      why: goal.why,
    })),
    frame: clip.value === null ? 0 : clipFrame.value,
    frames: clip.value?.frames ?? 1,
    fps: clip.value?.fps ?? 0,
    playing: playing.value,
    keys: clip.value?.keys ?? [],
    paths: clip.value?.spans ?? [],
    contacts: clip.value?.contacts ?? [],
    range: range.value,
    modelling: modelling.value,
    editing: editing.value.what,
    selection: selection.value?.name ?? null,
    tool: tool.value,
    mode: mode.value,
    symmetric: symmetric.value,
    proposals: proposals.value.proposals.map((one) => one.name),
    proposing: proposals.value.running,
    search_step: pathFrame.value,
    particles: particleCount.value,
    tab: tab.value,
    retarget: retargetState.value,
    design: designState.value,
    solver: doc.value?.solver ?? null,
    solve_ms: solvedPose.value?.milliseconds ?? 0,
    unsaved: doc.value?.unsaved ?? false,
    project: files.value?.project ?? null,
    mesh: character.value !== null,
    busy:
      waiting.value + uploading.value > 0 ||
      doc.value === null ||
      solvedPose.value?.revision !== doc.value.revision ||
      clipIsComing.value ||
      stageIsComing.value ||
      designIsComing.value ||
      meshIsComing.value ||
      (!playing.value && isDrawing()),
  };
}

function screen(name: string): [number, number] | null {
  const prefix = name.split(":", 1)[0]!;
  const added = name.includes(":") ? PLACES.get(prefix) : undefined;
  if (added !== undefined) return added(name.slice(prefix.length + 1));
  const point = place(name);
  return point === null ? null : clientPoint(point);
}

PLACES.set("goal", (name) => {
  const target = goals.value.find((goal) => goal.name === name)?.target ?? null;
  return target === null ? null : clientPoint(target);
});

declare global {
  interface Window {
    posewright: { state: typeof state; screen: typeof screen };
  }
}

export function offer(): void {
  window.posewright = { state, screen };
}
