// What the mouse holds. Until it is let go of, keys do nothing else: Escape and Undo let go, and all is as before.
let cancel: (() => void) | null = null;

/** Something is in the hand; returns what is to be called when that is over. */
export function hold(cancelled: () => void): () => void {
  letGo();
  cancel = cancelled;
  return () => {
    if (cancel === cancelled) cancel = null;
  };
}

export const holds = (): boolean => cancel !== null;

/** As if it had not been taken. */
export function letGo(): void {
  const held = cancel;
  cancel = null;
  held?.();
}
