// The outliner: joints as a tree, then sites.
import { doc, pose, scene, select, selection, type Kind } from "../store";
import type { Panel } from "../room/panel";

function Body() {
  const figure = scene.value;
  if (figure === null) return <p class="empty">Nothing is open yet.</p>;
  const depths: number[] = [];
  figure.joints.forEach((joint, k) => (depths[k] = joint.parent < 0 ? 0 : depths[joint.parent]! + 1));
  return (
    <>
      <h3>{figure.figure}</h3>
      <ul class="tree" aria-label="joints">
        {figure.joints.map((joint, k) => (
          <Item key={joint.name} kind="joint" name={joint.name} depth={depths[k]!} atLimit={!!pose.value?.atLimit[k]} />
        ))}
      </ul>
      <h3>sites</h3>
      <ul class="tree" aria-label="sites">
        {doc.value?.sites.map((site) => <Item key={site.name} kind="site" name={site.name} depth={0} />)}
      </ul>
    </>
  );
}

function Item({ kind, name, depth, atLimit = false }: { kind: Kind; name: string; depth: number; atLimit?: boolean }) {
  const chosen = selection.value?.kind === kind && selection.value.name === name;
  return (
    <li>
      <button
        type="button"
        aria-pressed={chosen}
        style={{ paddingInlineStart: `${8 + 5 * Math.min(depth, 12)}px` }}
        title={atLimit ? `${name}, at a limit` : name}
        onClick={() => select(kind, name)}
      >
        {name}
      </button>
      {atLimit && <span class="limit">limit</span>}
    </li>
  );
}

export const outliner: Panel = { title: "Outliner", body: Body };
