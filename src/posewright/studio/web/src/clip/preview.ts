// What a gesture would make of the clip, shown while it lasts: one request under way, the newest wish next.
import { ask, run } from "../connection";
import type { Command } from "../protocol";

export class Preview {
  private wanted: Command | null = null;
  private asking = false;
  private over = false;

  show(command: Command): void {
    this.wanted = command;
    if (!this.asking) void this.follow();
  }

  private async follow(): Promise<void> {
    this.asking = true;
    for (let shown: Command | null = null; this.wanted !== shown && !this.over; ) {
      shown = this.wanted;
      if (shown === null || !(await ask({ kind: "preview", command: shown }))) break;
    }
    this.asking = false;
  }

  /** Let go: the newest wish is done; true if it was. */
  async end(): Promise<boolean> {
    this.over = true;
    if (this.wanted === null) return false;
    const done = await run(this.wanted);
    if (!done) void ask({ kind: "stop_preview" });
    return done;
  }

  cancel(): void {
    this.over = true;
    if (this.wanted !== null) void ask({ kind: "stop_preview" });
  }
}
