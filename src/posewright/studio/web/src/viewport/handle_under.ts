// The handle that a press means: where several lie over one another, the one whose centre is nearest.

const HANDLES = "[data-goal], [data-axis], [data-key], [data-knot], [data-role]";

export function handleUnder(event: PointerEvent): HTMLElement | null {
  const top = event.target instanceof Element ? event.target.closest<HTMLElement>(HANDLES) : null;
  if (top === null) return null;
  let best = top;
  let least = Infinity;
  for (const one of document.elementsFromPoint(event.clientX, event.clientY)) {
    if (!(one instanceof HTMLElement) || !one.matches(HANDLES)) continue;
    const box = one.getBoundingClientRect();
    const away = Math.hypot(event.clientX - (box.left + box.right) / 2, event.clientY - (box.top + box.bottom) / 2);
    if (away < least) [best, least] = [one, away];
  }
  if (best !== top) event.preventDefault(); // or the one on top would have the focus
  return best;
}
