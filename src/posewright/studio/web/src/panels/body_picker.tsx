// The body picker: a small standing figure, to select what is hidden in the view.
import { signal } from "@preact/signals";
import { solid } from "../viewport/body";
import type { Panel } from "../room/panel";
import type { PoseFrame } from "../pose_frame";
import { pose, scene, select, selectedJoints, type Vec3 } from "../store";

/** The first pose of the figure that was shown: it stands. */
const standing = signal<{ figure: string; frame: PoseFrame } | null>(null);
pose.subscribe((frame) => {
  const figure = scene.value?.figure;
  if (frame !== null && figure !== undefined && standing.value?.figure !== figure) standing.value = { figure, frame };
});

function Body() {
  const [figure, stands] = [scene.value, standing.value];
  if (figure === null || stands === null) return <p class="empty">Nothing is open yet.</p>;
  const at = (joint: number, point: Vec3) => {
    const [x, y] = stands.frame.toWorld(joint, point);
    return [x, -y] as const;
  };
  const cones = figure.cones.map(solid).map((cone) => {
    const [from, to] = [at(cone.joint, cone.start), at(cone.joint, cone.end)];
    return { ...cone, from, to, width: cone.radii[0] + cone.radii[1] };
  });
  const xs = cones.flatMap((cone) => [cone.from[0], cone.to[0]]);
  const ys = cones.flatMap((cone) => [cone.from[1], cone.to[1]]);
  const edge = 0.08 * figure.height;
  const [left, top] = [Math.min(...xs) - edge, Math.min(...ys) - edge];
  const box = [left, top, Math.max(...xs) + edge - left, Math.max(...ys) + edge - top];
  return (
    <svg class="picker" viewBox={box.join(" ")} role="group" aria-label="body picker">
      {figure.joints.map((joint, k) => {
        const own = cones.filter((cone) => cone.joint === k);
        if (own.length === 0) return null;
        const pick = () => select("joint", joint.name);
        return (
          <g
            key={joint.name}
            role="button"
            tabIndex={0}
            aria-label={`pick ${joint.segment}`}
            aria-pressed={selectedJoints.value.has(k)}
            onClick={pick}
            onKeyDown={(event) => (event.key === "Enter" || event.key === " ") && (event.preventDefault(), pick())}
          >
            <title>{joint.segment}</title>
            {own.map((cone, i) => {
              const width = Math.max(cone.width, 0.012 * figure.height);
              const [[x1, y1], [x2, y2]] = [cone.from, cone.to];
              return (
                <g key={i}>
                  <circle cx={x1} cy={y1} r={0.5 * width} />
                  <line x1={x1} y1={y1} x2={x2} y2={y2} stroke-width={width} />
                </g>
              );
            })}
          </g>
        );
      })}
    </svg>
  );
}

export const bodyPicker: Panel = { title: "Body", body: Body, folded: true };
