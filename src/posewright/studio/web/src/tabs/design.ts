import { elsewhere } from "../panels/elsewhere";
import { outliner } from "../panels/outliner";
import { timeline } from "../panels/timeline";
import type { Tab } from ".";

const command = "posewright design TASK --postures FILE -o OUT";

export const design: Tab = { name: "Design", left: [outliner], right: [elsewhere("Design", command)], strip: [timeline] };
