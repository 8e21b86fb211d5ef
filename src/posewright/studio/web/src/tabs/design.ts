import { goalsPanel } from "../panels/goals";
import { posesPanel } from "../panels/poses";
import { posturesPanel } from "../panels/postures";
import { recruiting, splice } from "../panels/splice";
import { timeline } from "../panels/timeline";
import type { Tab } from ".";

export const design: Tab = {
  name: "Design",
  left: [posturesPanel, goalsPanel, posesPanel],
  right: [splice, recruiting],
  strip: [timeline],
};
