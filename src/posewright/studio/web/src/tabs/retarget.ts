import { outliner } from "../panels/outliner";
import { timeline } from "../panels/timeline";
import type { Tab } from ".";

export const retarget: Tab = { name: "Retarget", left: [outliner], right: [], strip: [timeline] };
