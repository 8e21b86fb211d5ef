// The menu of goals, at the point of the body that was clicked or at a site.
import { useLayoutEffect, useRef } from "preact/hooks";
import { run } from "../connection";
import { doc, menu, scene, select, type Vec3 } from "../store";

const ABOUT: Record<string, string> = {
  position: "at a point",
  orientation: "turned so",
  placement: "at a point and turned so",
  aim: "pointing at something",
  distance: "at a distance",
  line: "on a line",
  plane: "on a plane",
  half_space: "on one side of a plane",
  outside: "outside a box",
  any_of: "at one of several points",
  centre_of_mass: "balance of the body",
  posture: "near this pose",
  smoothness: "bent evenly",
};

/** Make a goal and select it. */
export async function addGoal(goal_kind: string, at: string, point: Vec3 | null, priority = 2, target: Vec3 | null = null): Promise<void> {
  const known = new Set(doc.value?.goals.map((goal) => goal.name));
  if (!(await run({ kind: "new_goal", goal_kind, at, point, priority, target }))) return;
  const made = doc.value?.goals.find((goal) => !known.has(goal.name));
  if (made !== undefined) select("goal", made.name);
}

export function GoalMenu() {
  const open = menu.value;
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (open !== null) list.current?.querySelector("button")?.focus();
  }, [open]);
  if (open === null) return null;
  const close = () => (menu.value = null);
  const choose = (kind: string, priority?: number) => {
    close();
    void addGoal(kind, open.at, open.point, priority, open.target);
  };
  const walk = (event: KeyboardEvent) => {
    const items = [...list.current!.querySelectorAll("button")];
    const at = items.indexOf(document.activeElement as HTMLButtonElement);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
    if (event.key === "Escape" || event.key === "Tab") close();
    else if (next === undefined) return;
    else items[(next + items.length) % items.length]?.focus();
    event.preventDefault();
    event.stopPropagation();
  };
  const left = (event: FocusEvent) => {
    if (list.current?.contains(event.relatedTarget as Node | null) === false) close();
  };
  const title = scene.value?.joints.find((joint) => joint.name === open.at)?.segment ?? open.at;
  const kinds = doc.value?.goal_kinds ?? [];
  const style = {
    left: `${Math.min(open.x, innerWidth - 310)}px`,
    top: `${Math.max(4, Math.min(open.y, innerHeight - 30 * (kinds.length + 3)))}px`,
  };
  return (
    <div class="menu" data-chrome role="menu" aria-label={`goals for ${title}`} style={style} ref={list} onKeyDown={walk} onFocusOut={left}>
      <p role="presentation">{title}</p>
      <button type="button" role="menuitem" onClick={() => choose("placement", 1)}>
        Pin <span>in place, before all other goals</span>
      </button>
      {kinds.map((kind) => (
        <button key={kind} type="button" role="menuitem" onClick={() => choose(kind)}>
          {kind.replaceAll("_", " ")} <span>{ABOUT[kind] ?? ""}</span>
        </button>
      ))}
    </div>
  );
}
