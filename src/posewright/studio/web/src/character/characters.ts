// The characters on the page: the mesh of every figure that is shown, fetched once and kept while it may be shown again.
import { computed, effect, signal } from "@preact/signals";
import { fetchBytes } from "../connection";
import { scene, sessionScene, stage, toast } from "../store";
import { Character } from "./character";

const KEPT = 4; // meshes beside those that are shown

/** What arrived, by address, the newest last; null: it cannot be shown. */
const arrived = signal<Map<string, Character | null>>(new Map());
const coming = new Set<string>();

/** The addresses of what is shown. */
const wanted = computed<string[]>(() => {
  const scenes = [sessionScene.value, stage.value?.scene, stage.value?.source];
  return scenes.flatMap((one) => (one?.mesh == null ? [] : [one.mesh]));
});

/** The mesh at an address; null: there is none, or not yet. */
export function characterAt(address: string | null | undefined): Character | null {
  return address == null ? null : (arrived.value.get(address) ?? null);
}

export function isComing(address: string | null | undefined): boolean {
  return address != null && !arrived.value.has(address);
}

/** The mesh of the figure in the view; null: it has none. */
export const character = computed(() => characterAt(scene.value?.mesh));
/** Whether something that is shown is still under way. */
export const meshIsComing = computed(() => wanted.value.some(isComing));

effect(() => {
  for (const address of wanted.value) if (!arrived.peek().has(address) && !coming.has(address)) void load(address);
});

async function load(address: string): Promise<void> {
  coming.add(address);
  let found: Character | null = null;
  try {
    const { character, notes } = await Character.from(await fetchBytes(address));
    notes.forEach(toast);
    found = character;
  } catch (error) {
    toast(`The mesh of the character could not be loaded: ${error instanceof Error ? error.message : String(error)}`);
  }
  coming.delete(address);
  const kept = new Map(arrived.peek()).set(address, found);
  const spare = [...kept.keys()].filter((one) => !wanted.peek().includes(one)).slice(0, -KEPT);
  const gone = spare.map((one) => kept.get(one));
  for (const one of spare) kept.delete(one);
  arrived.value = kept;
  for (const one of gone) one?.dispose(); // after the bodies that showed it are gone
}
