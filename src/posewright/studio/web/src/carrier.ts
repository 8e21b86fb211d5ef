// The joint that carries a body: where it branches first. Above it a file may have roots that stay where they are.
import type { Scene } from "./protocol";

const known = new WeakMap<Scene, number>();

export function carrier(figure: Scene): number {
  let found = known.get(figure);
  if (found === undefined) known.set(figure, (found = firstBranch(figure)));
  return found;
}

function firstBranch({ joints }: Scene): number {
  for (let at = 0; ; ) {
    const below = joints.flatMap((joint, k) => (joint.parent === at ? [k] : []));
    if (below.length === 0) return 0; // a chain
    if (below.length > 1) return at;
    at = below[0]!;
  }
}
