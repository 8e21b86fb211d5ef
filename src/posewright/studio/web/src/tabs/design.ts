import { outliner } from "../panels/outliner";
import { timeline } from "../panels/timeline";
import type { Tab } from ".";

export const design: Tab = { name: "Design", left: [outliner], right: [], strip: [timeline] };
