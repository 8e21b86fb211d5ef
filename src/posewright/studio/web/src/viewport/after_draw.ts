// Elements over the drawing: a layer of them is placed anew whenever the view has been drawn, and before a new one is seen.
import { useLayoutEffect, useRef } from "preact/hooks";
import type { View } from "./view";

/** The layer's reference; `place` is called after every drawing and every rendering. */
export function useAfterDraw(view: View, place: (layer: HTMLDivElement | null, view: View) => void) {
  const layer = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const follow = () => place(layer.current, view);
    view.afterDraw.push(follow);
    return () => void view.afterDraw.splice(view.afterDraw.indexOf(follow), 1);
  }, [view]);
  useLayoutEffect(() => place(layer.current, view));
  return layer;
}
