// The view cube: it turns with the camera, and each of its sides looks from there. Those turned away are in a list below it.
import { useEffect, useRef } from "preact/hooks";
import type { View } from "./view";

const SIDES = {
  front: [0, 0],
  right: [-Math.PI / 2, 0],
  back: [Math.PI, 0],
  left: [Math.PI / 2, 0],
  top: [0, Math.PI / 2],
  bottom: [0, -Math.PI / 2],
} as const;
export type Side = keyof typeof SIDES;
const ALL = Object.keys(SIDES) as Side[];

let current: View | null = null;

/** Look from a side of the figure, which faces the front. */
export function lookFrom(side: Side): void {
  const [azimuth, elevation] = SIDES[side];
  current?.orbit.look(azimuth, elevation);
  current?.invalidate();
}

/** Or, for 1, farther: as by a turn of the wheel. */
export function lookNearer(way: 1 | -1): void {
  current?.orbit.zoom(way * 100);
  current?.invalidate();
}

export function switchOrthographic(): void {
  if (current === null) return;
  current.orbit.orthographic = !current.orbit.orthographic;
  current.invalidate();
}

export function currentView(): View | null {
  return current;
}

export function ViewCube({ view }: { view: View }) {
  const cube = useRef<HTMLDivElement>(null);
  current = view;
  useEffect(() => {
    const follow = () => {
      const { azimuth, elevation } = view.orbit;
      if (cube.current !== null) cube.current.style.transform = `rotateX(${-elevation}rad) rotateY(${-azimuth}rad)`;
    };
    view.afterDraw.push(follow);
    follow();
    return () => void view.afterDraw.splice(view.afterDraw.indexOf(follow), 1);
  }, [view]);
  return (
    <div class="views" data-chrome role="group" aria-label="view cube">
      <div class="cube" aria-hidden="true">
        <div ref={cube}>
          {ALL.map((side) => (
            <span key={side} class={side} onClick={() => lookFrom(side)}>
              {side}
            </span>
          ))}
        </div>
      </div>
      <p>
        {ALL.map((side) => (
          <button key={side} type="button" aria-label={`view ${side}`} onClick={() => lookFrom(side)}>
            {side}
          </button>
        ))}
      </p>
    </div>
  );
}
