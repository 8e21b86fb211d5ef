// The viewport: the view, its layers, the mouse, and what lies over the picture.
import { effect, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { clip, clipIsComing, playing, showsClip } from "../clip/clip";
import { Curves } from "../clip/curves";
import { EditBar } from "../clip/edit_bar";
import { KeyHandles } from "../clip/key_handles";
import { Knots } from "../clip/knots";
import { MatchOverlay } from "../retarget/match_overlay";
import { StageBar } from "../retarget/stage_bar";
import { clipPose, designPose, doc, goals, hovered, pose, scene, sessionScene, solvedPose, stage, tab } from "../store";
import { readOnly } from "../recording";
import { meshIsComing } from "../character/characters";
import { frameFigure } from "./framing";
import { listenToMouse } from "./gestures";
import { GizmoGrips } from "./gizmo";
import { GoalMenu } from "../goals/goal_menu";
import { Handles } from "./handles";
import { LAYERS } from "./layers";
import { answerIsDue } from "./live_drag";
import { ToolBar } from "./tool_bar";
import { show, View } from "./view";
import { ViewCube } from "./view_cube";

export function Viewport() {
  const box = useRef<HTMLDivElement>(null);
  const view = useSignal<View | null>(null);
  useEffect(() => {
    const isMoving = () => scene.value === null || clipIsComing.value || meshIsComing.value || playing.value;
    const made = new View(box.current!, isMoving, answerIsDue);
    for (const layer of LAYERS) layer(made);
    listenToMouse(made, box.current!);
    show(made);
    view.value = made;
    let framed = "";
    return effect(() => {
      const [figure, shown, told] = [sessionScene.value, solvedPose.value, doc.value];
      if (figure === null || shown === null || told === null || meshIsComing.value || stage.value !== null) return;
      const key = `${figure.figure} ${figure.height} ${told.clip?.name}`; // the same one with another joint keeps the camera
      if (framed === key) return;
      framed = key;
      // After the stage has given back the camera; a clip may have been scrubbed already.
      queueMicrotask(() => frameFigure(made, figure, clipPose.peek() ?? shown));
    });
  }, []);
  /** Arrows turn the camera. */
  const look = (event: KeyboardEvent) => {
    const by = { ArrowLeft: [-20, 0], ArrowRight: [20, 0], ArrowUp: [0, -20], ArrowDown: [0, 20] }[event.key];
    if (by === undefined || event.target !== box.current || view.value === null) return;
    if ((showsClip.value || stage.value !== null) && by[0] !== 0) return; // these step through frames
    event.preventDefault();
    view.value.orbit.turn(by[0]!, by[1]!);
    view.value.invalidate();
  };
  const over = scene.value?.joints[hovered.value];
  const under = over === undefined ? undefined : `${over.segment}${pose.value?.atLimit[hovered.value] ? ` · ${over.name} is at a limit` : ""}`;
  const made = goals.value.some((goal) => !goal.pinned);
  return (
    <div class="viewport" role="application" aria-label="viewport" tabIndex={0} ref={box} onKeyDown={look}>
      {view.value !== null && (
        <>
          <Handles view={view.value} />
          <KeyHandles view={view.value} />
          <Knots view={view.value} />
          <GizmoGrips view={view.value} />
          {stage.value !== null ? <StageBar /> : !readOnly && (showsClip.value ? <EditBar /> : <ToolBar />)}
          {stage.value !== null && <MatchOverlay view={view.value} />}
          <ViewCube view={view.value} />
          <Curves />
        </>
      )}
      <p class="hint" hidden={tab.value !== "Design"}>
        {designPose.value === null
          ? "The design meets the goals of the tab Pose. Choose postures to splice from."
          : "Left: the splice, with its parts in colours; right: refined. Drag a goal, and both follow."}
      </p>
      <GoalMenu />
      <p class="hint" hidden={readOnly || made || showsClip.value || stage.value !== null || tab.value === "Design"}>
        Drag any part of the body: the rest follows. Right-click it for other goals. Drag beside it to look around.
      </p>
      <p class="hint" hidden={readOnly || !showsClip.value || clip.value!.keys.length + clip.value!.spans.length > 0}>
        Drag any part of the body: that is a key at this frame, and the clip follows. Space plays.
      </p>
      <p class="under" hidden={under === undefined}>
        {under}
      </p>
    </div>
  );
}
