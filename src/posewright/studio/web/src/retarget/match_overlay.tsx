// The match over the picture: a dot per joint of both figures, a link per part that both have.
import { useAfterDraw } from "../viewport/after_draw";
import type { PartInfo } from "../protocol";
import type { View } from "../viewport/view";
import { clickJoint } from "./match_click";
import { jointPlace, partOf, picked, retargeting, stageView, staging, type Role } from "./retarget";

export const DOUBTFUL = 0.6;
const ROLES: Role[] = ["source", "target"];

export function confidenceLook({ confidence, corrected }: PartInfo): string {
  return corrected ? "corrected" : confidence === 0 ? "unmatched" : confidence < DOUBTFUL ? "doubtful" : "";
}

export function MatchOverlay({ view }: { view: View }) {
  const layer = useAfterDraw(view, place);
  if (stageView.value !== "Match" || staging.value === null || retargeting.value === null) return null;
  const { parts } = retargeting.value;
  const first = picked.value;
  const part = first === null ? null : "part" in first ? first.part : partOf(first.role, first.joint);
  return (
    <div ref={layer}>
      <svg class="links" aria-hidden="true">
        {parts
          .filter((one) => one.source.length > 0 && one.target.length > 0)
          .map((one) => (
            <line
              key={one.part}
              class={`${confidenceLook(one)} ${one.part === part ? "chosen" : ""}`}
              data-source={one.source[0]}
              data-target={one.target[0]}
            />
          ))}
      </svg>
      <div class="handles">
        {ROLES.flatMap((role) =>
          staging.value![role].scene.joints.map(({ name }) => {
            const own = parts.find((one) => one[role].includes(name));
            const chosen = first !== null && "role" in first && first.role === role && first.joint === name;
            const looks = ["dot", own === undefined ? "unmatched" : confidenceLook(own), chosen ? "chosen" : own?.part === part && part !== null ? "partner" : ""];
            return (
              <button
                key={`${role} ${name}`}
                type="button"
                class={looks.filter(Boolean).join(" ")}
                data-role={role}
                data-joint={name}
                aria-pressed={chosen}
                aria-label={`${role} ${name}`}
                title={own === undefined ? `${name}: no part, stays at rest` : `${name}: ${own.part.replaceAll("_", " ")}`}
                onKeyDown={(event) => {
                  if (event.key !== "Enter" && event.key !== " ") return;
                  event.preventDefault();
                  clickJoint(role, name);
                }}
              />
            );
          }),
        )}
      </div>
      <p class="hint">{hint(part)}</p>
    </div>
  );
}

function hint(part: string | null): string {
  const first = picked.value;
  if (first === null) return "Click a joint of the source, then its partner on the target. Dashed links are doubtful.";
  if ("part" in first) return `Click the joint that is the ${first.part.replaceAll("_", " ")}, on either figure. Delete clears it.`;
  const other = first.role === "source" ? "target" : "source";
  const now = part === null ? "" : ` (now ${part.replaceAll("_", " ")})`;
  return `${first.joint}${now}: click its partner on the ${other}. Delete clears the pair, Escape lets go.`;
}

function place(layer: HTMLElement | null, view: View): void {
  if (layer === null) return;
  const corner = layer.parentElement!.getBoundingClientRect();
  const spot = (role: Role, joint: string): [number, number] | null => {
    const point = jointPlace(role, joint);
    const client = point === null ? null : view.clientPoint(point);
    return client === null ? null : [client[0] - corner.left, client[1] - corner.top];
  };
  for (const dot of layer.querySelectorAll<HTMLElement>(".dot")) {
    const at = spot(dot.dataset["role"] as Role, dot.dataset["joint"]!);
    dot.hidden = at === null;
    if (at !== null) dot.style.translate = `${at[0]}px ${at[1]}px`;
  }
  for (const line of layer.querySelectorAll<SVGLineElement>("line")) {
    const [from, to] = ROLES.map((role) => spot(role, line.dataset[role]!));
    line.style.visibility = from && to ? "visible" : "hidden";
    if (!from || !to) continue;
    line.setAttribute("x1", String(from[0]));
    line.setAttribute("y1", String(from[1]));
    line.setAttribute("x2", String(to[0]));
    line.setAttribute("y2", String(to[1]));
  }
}
