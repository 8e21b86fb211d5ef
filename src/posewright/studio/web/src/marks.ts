// Performance marks, for benchmarks: of each name only the newest is kept, so that a long session stays small.
export function mark(name: "drag" | "pose" | "draw"): void {
  performance.clearMarks(name);
  performance.mark(name);
}
