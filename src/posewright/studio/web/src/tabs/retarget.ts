import { elsewhere } from "../panels/elsewhere";
import { outliner } from "../panels/outliner";
import { timeline } from "../panels/timeline";
import type { Tab } from ".";

const command = "posewright retarget CLIP --to FIGURE -o OUT --report OUT.html";

export const retarget: Tab = { name: "Retarget", left: [outliner], right: [elsewhere("Retarget", command)], strip: [timeline] };
