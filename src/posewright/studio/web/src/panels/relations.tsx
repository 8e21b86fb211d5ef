// Joint groups and linear constraints of the figure, each with a switch.
import { run } from "../connection";
import { Switch } from "../controls/switch";
import type { RelationInfo } from "../protocol";
import type { Panel } from "../room/panel";
import { doc } from "../store";

/** Sides of a polygon are one constraint for a user: `left_shoulder_polygon[0]`, `[1]`, ... */
function together(relations: RelationInfo[]): Map<string, RelationInfo[]> {
  const found = new Map<string, RelationInfo[]>();
  for (const one of relations) {
    const name = one.name.replace(/\[\d+\]$/, "");
    found.set(name, [...(found.get(name) ?? []), one]);
  }
  return found;
}

function Body() {
  const all = together(doc.value?.relations ?? []);
  if (all.size === 0) return <p class="empty">This figure has no joint groups and no constraints.</p>;
  return (
    <>
      {[...all].map(([name, members]) => {
        const on = members.every((one) => one.on);
        const change = (next: boolean) =>
          void run({ kind: "together", commands: members.map((one) => ({ kind: "set_relation", name: one.name, on: next })) });
        return (
          <p key={name} class="line" title={members[0]!.about}>
            <span>
              {name.replaceAll("_", " ")} <span class="kind">{members[0]!.is_group ? "group" : "constraint"}</span>
            </span>
            <Switch label={name} on={on} change={change} />
          </p>
        );
      })}
    </>
  );
}

export const relations: Panel = { title: "Groups and constraints", body: Body, folded: true };
