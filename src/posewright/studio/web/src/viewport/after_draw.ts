// Elements over the drawing: a layer of them is placed anew whenever the view has been drawn.
import { useEffect, useRef } from "preact/hooks";
import type { View } from "./view";

/** The layer's reference; `place` is called after every drawing and every rendering. */
export function useAfterDraw(view: View, place: (layer: HTMLDivElement | null, view: View) => void) {
  const layer = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const follow = () => place(layer.current, view);
    view.afterDraw.push(follow);
    return () => void view.afterDraw.splice(view.afterDraw.indexOf(follow), 1);
  }, [view]);
  useEffect(() => place(layer.current, view));
  return layer;
}
