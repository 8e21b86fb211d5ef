// What the clip is edited in, as the server tells it.
import { signal } from "@preact/signals";
import type { Modelling } from "../protocol";

export const modelling = signal<Modelling | null>(null);
