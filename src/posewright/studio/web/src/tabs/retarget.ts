import { match } from "../panels/match";
import { measures } from "../panels/measures";
import { retargetOptions } from "../panels/retarget_options";
import { retargetRun } from "../panels/retarget_run";
import { timeline } from "../panels/timeline";
import type { Tab } from ".";

export const retarget: Tab = {
  name: "Retarget",
  left: [retargetRun, match],
  right: [measures, retargetOptions],
  strip: [timeline],
};
