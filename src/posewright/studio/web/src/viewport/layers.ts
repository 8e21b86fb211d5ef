// What the view draws. A layer is a function that adds objects to the view and keeps them up to date; add yours here.
import { clipGhosts } from "../clip/clip_ghosts";
import { follow } from "../clip/follow";
import { paths } from "../clip/paths";
import { trails } from "../clip/trails";
import { body } from "./body";
import { drawings } from "./drawings";
import { floor } from "./floor";
import { ghosts } from "./ghosts";
import { gizmo } from "./gizmo";
import { lights } from "./lights";
import { misses } from "../goals/misses";
import { particles } from "./particles";
import { siteDots } from "./site_dots";
import { retargetStage } from "../retarget/stage_layer";
import { spliceLayer } from "../design/splice_layer";
import type { View } from "./view";

export type Layer = (view: View) => void;

export const LAYERS: Layer[] = [
  lights,
  floor,
  body,
  ghosts,
  particles,
  drawings,
  misses,
  siteDots,
  gizmo,
  clipGhosts,
  trails,
  paths,
  follow,
  retargetStage,
  spliceLayer,
];
