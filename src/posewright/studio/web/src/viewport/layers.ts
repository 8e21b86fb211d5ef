// What the view draws. A layer is a function that adds objects to the view and keeps them up to date; add yours here.
import { body } from "./body";
import { floor } from "./floor";
import { lights } from "./lights";
import { misses } from "./misses";
import type { View } from "./view";

export type Layer = (view: View) => void;

export const LAYERS: Layer[] = [lights, floor, body, misses];
