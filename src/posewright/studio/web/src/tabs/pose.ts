import { goalsPanel } from "../panels/goals";
import { inspector } from "../panels/inspector";
import { outliner } from "../panels/outliner";
import { result } from "../panels/result";
import { timeline } from "../panels/timeline";
import type { Tab } from ".";

export const pose: Tab = { name: "Pose", left: [goalsPanel, outliner], right: [inspector, result], strip: [timeline] };
