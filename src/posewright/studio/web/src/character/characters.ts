// Which character is shown: fetched when the scene has one that is not here yet.
import { computed, effect, signal } from "@preact/signals";
import { fetchBytes } from "../connection";
import { scene, toast } from "../store";
import { Character } from "./character";

/** The newest mesh that arrived, and of which address; no character: it cannot be shown. */
const arrived = signal<{ address: string; character: Character | null } | null>(null);
const wanted = computed(() => scene.value?.mesh ?? null);

/** The mesh of the figure; null: there is none. */
export const character = computed(() => (arrived.value?.address === wanted.value ? (arrived.value?.character ?? null) : null));
/** Whether it is still under way. */
export const meshIsComing = computed(() => wanted.value !== null && arrived.value?.address !== wanted.value);

effect(() => {
  const address = wanted.value;
  if (address === null || arrived.peek()?.address === address) return;
  void load(address);
});

async function load(address: string): Promise<void> {
  let found: Character | null = null;
  try {
    const { character, notes } = await Character.from(await fetchBytes(address));
    notes.forEach(toast);
    found = character;
  } catch (error) {
    toast(`The mesh of the character could not be loaded: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (wanted.peek() !== address) return found?.dispose();
  const old = arrived.peek()?.character;
  arrived.value = { address, character: found };
  old?.dispose(); // after the bodies that showed it are gone
}
