import { outliner } from "../panels/outliner";
import { timeline } from "../panels/timeline";
import type { Tab } from ".";

/** In place of all tabs, where there is nothing to edit. */
export const viewing: Tab = { name: "View", left: [{ ...outliner, folded: false }], right: [], strip: [timeline] };
