import { keysPanel } from "../panels/keys";
import { outliner } from "../panels/outliner";
import { timeline } from "../panels/timeline";
import type { Tab } from ".";

export const edit: Tab = { name: "Edit", left: [outliner], right: [keysPanel], strip: [timeline] };
