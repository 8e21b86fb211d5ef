// Performance marks, for benchmarks: of each name only the newest is kept, so that a long session stays small.
// A drag's says when its event happened: it may have waited.
export function mark(name: "drag" | "pose" | "draw", event?: Event): void {
  performance.clearMarks(name);
  performance.mark(name, { detail: event?.timeStamp });
}
