// The tabs: which panels stand around the viewport in each. A workflow is a file here and its panels.
import type { Panel } from "../room/panel";
import { design } from "./design";
import { edit } from "./edit";
import { pose } from "./pose";
import { retarget } from "./retarget";

export interface Tab {
  name: string;
  left: Panel[];
  right: Panel[];
  strip: Panel[];
}

export const TABS: Tab[] = [pose, edit, retarget, design];
