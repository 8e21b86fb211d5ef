// Something of the timeline in the user's hand: shown where it is held, with what that makes of the clip.
import { useSignal, type Signal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { Preview } from "../clip/preview";
import type { Command } from "../protocol";

export interface Held<T> {
  /** How it is held; null: it is not. */
  now: Signal<T | null>;
  hold(to: T): void;
  /** Let go: it is done. */
  drop(): void;
  cancel(): void;
}

export function useHeld<T>(command: (to: T) => Command): Held<T> {
  const now = useSignal<T | null>(null);
  const preview = useRef<Preview | null>(null);
  return {
    now,
    hold(to) {
      now.value = to;
      (preview.current ??= new Preview()).show(command(to));
    },
    drop() {
      const ended = preview.current;
      preview.current = null;
      if (ended === null) now.value = null;
      else void ended.end().then(() => (now.value = null));
    },
    cancel() {
      preview.current?.cancel();
      preview.current = null;
      now.value = null;
    },
  };
}
