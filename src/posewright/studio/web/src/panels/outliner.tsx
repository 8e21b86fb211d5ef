// The outliner: joints as a tree, then sites.
import { doc, pose, scene, select, selection, type Kind } from "../store";
import type { Panel } from "../room/panel";
import { shownJoint } from "../units";

function Body() {
  const figure = scene.value;
  if (figure === null) return <p class="empty">Nothing is open yet.</p>;
  const depths: number[] = [];
  figure.joints.forEach((joint, k) => (depths[k] = joint.parent < 0 ? 0 : depths[joint.parent]! + 1));
  return (
    <>
      <h3>{figure.figure}</h3>
      <ul class="tree" aria-label="joints" onKeyDown={walk}>
        {figure.joints.map((joint, k) => (
          <Item key={joint.name} kind="joint" name={joint.name} depth={depths[k]!} stop={stopsAt("joint", figure.joints, k)} atLimit={!!pose.value?.atLimit[k]} />
        ))}
      </ul>
      <h3>sites</h3>
      <ul class="tree" aria-label="sites" onKeyDown={walk}>
        {doc.value?.sites.map((site, k, all) => <Item key={site.name} kind="site" name={site.name} depth={0} stop={stopsAt("site", all, k)} />)}
      </ul>
    </>
  );
}

/** Up, down, Home and End go from one to another; Tab comes to the one that is selected, or to the first. */
function walk(event: KeyboardEvent): void {
  const all = [...(event.currentTarget as HTMLElement).querySelectorAll("button")];
  const at = all.indexOf(event.target as HTMLButtonElement);
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
  if (at < 0 || next === undefined) return;
  event.preventDefault();
  all[next]?.focus();
}

/** Whether Tab comes to one of a list. */
function stopsAt(kind: Kind, all: { name: string }[], k: number): boolean {
  const chosen = selection.value?.kind === kind ? all.findIndex((one) => one.name === selection.value!.name) : -1;
  return k === Math.max(0, chosen);
}

function Item({ kind, name, depth, stop, atLimit = false }: { kind: Kind; name: string; depth: number; stop: boolean; atLimit?: boolean }) {
  const chosen = selection.value?.kind === kind && selection.value.name === name;
  return (
    <li>
      <button
        type="button"
        aria-pressed={chosen}
        tabIndex={stop ? 0 : -1}
        aria-label={name}
        style={{ paddingInlineStart: `${8 + 5 * Math.min(depth, 12)}px` }}
        title={atLimit ? `${name}, at a limit` : name}
        onClick={() => select(kind, name)}
      >
        {shownJoint(name)}
      </button>
      {atLimit && <span class="limit">limit</span>}
    </li>
  );
}

export const outliner: Panel = { title: "Outliner", body: Body };
