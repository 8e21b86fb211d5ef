import { bodyPicker } from "../panels/body_picker";
import { goalsPanel } from "../panels/goals";
import { inspector } from "../panels/inspector";
import { outliner } from "../panels/outliner";
import { posesPanel } from "../panels/poses";
import { relations } from "../panels/relations";
import { result } from "../panels/result";
import { solver } from "../panels/solver";
import { timeline } from "../panels/timeline";
import type { Tab } from ".";

export const pose: Tab = {
  name: "Pose",
  left: [goalsPanel, posesPanel, bodyPicker, outliner],
  right: [inspector, result, solver, relations],
  strip: [timeline],
};
