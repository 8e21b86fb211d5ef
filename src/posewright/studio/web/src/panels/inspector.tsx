// The inspector: what is selected. A kind of thing that can be selected has a component here.
import type { ComponentType } from "preact";
import type { Panel } from "../room/panel";
import { selection, type Kind } from "../store";
import { OfGoal } from "./inspect_goal";
import { OfJoint, OfSite } from "./inspect_joint";

const INSPECTORS: Record<Kind, ComponentType<{ name: string }>> = { goal: OfGoal, joint: OfJoint, site: OfSite };

function Body() {
  const chosen = selection.value;
  if (chosen === null) return <p class="empty">Select a goal, a joint or a site.</p>;
  const Inspector = INSPECTORS[chosen.kind];
  return <Inspector key={chosen.name} name={chosen.name} />;
}

export const inspector: Panel = { title: "Inspector", body: Body };
