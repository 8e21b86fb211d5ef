// The viewport: the view, its layers, the mouse and the handles.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Vector3 } from "three";
import { goals, hovered, scene } from "../store";
import { listenToMouse } from "./gestures";
import { Handles } from "./handles";
import { LAYERS } from "./layers";
import { show, View } from "./view";

export function Viewport() {
  const box = useRef<HTMLDivElement>(null);
  const view = useSignal<View | null>(null);
  useEffect(() => {
    const made = new View(box.current!);
    for (const layer of LAYERS) layer(made);
    listenToMouse(made, box.current!);
    show(made);
    view.value = made;
    return scene.subscribe((figure) => {
      if (figure === null) return;
      made.orbit.frame(new Vector3(0, figure.floor + 0.5 * figure.height, 0), figure.height);
      made.invalidate();
    });
  }, []);
  const under = scene.value?.joints[hovered.value]?.segment;
  const made = goals.value.some((goal) => !goal.pinned);
  return (
    <div class="viewport" role="application" aria-label="viewport" ref={box}>
      {view.value !== null && <Handles view={view.value} />}
      <p class="hint" hidden={made}>
        Drag any part of the body: the rest follows. Drag beside it to look around.
      </p>
      <p class="under" hidden={under === undefined}>
        {under}
      </p>
    </div>
  );
}
