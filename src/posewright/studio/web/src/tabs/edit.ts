import { keysPanel } from "../panels/keys";
import { motionModel } from "../panels/motion_model";
import { outliner } from "../panels/outliner";
import { pathsPanel } from "../panels/paths";
import { timeline } from "../panels/timeline";
import type { Tab } from ".";

export const edit: Tab = { name: "Edit", left: [outliner], right: [keysPanel, pathsPanel, motionModel], strip: [timeline] };
